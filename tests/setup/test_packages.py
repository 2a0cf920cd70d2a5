# SPDX-License-Identifier: Apache-2.0
"""The script `thalweg` installs the Debian packages a command needs, or says what to install."""

from __future__ import annotations

import shutil

import pytest

from thalweg.config.checkout import ROOT
from thalweg.testing.played_checkout import (
    BUILD,
    DPKG_NOTHING,
    PYTHON_FAKE,
)
from thalweg.testing.played_checkout import PlayedCheckout as Checkout


def test_missing_packages_without_rights_end_in_the_line_to_run(checkout: Checkout) -> None:
    checkout.call("modes")
    checkout.play("dpkg-query", DPKG_NOTHING)
    result = checkout.call(*BUILD)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "run as root: apt-get update && apt-get install -y" in result.stderr
    assert "libnetcdf-mpi-dev" in result.stderr
    assert "cdo" not in result.stderr.split()  # for tests only
    assert "cdo" in checkout.call("test").stderr.split()


def test_who_may_not_install_is_told_everything_at_once(checkout: Checkout) -> None:
    checkout.play("dpkg-query", DPKG_NOTHING)
    kinds = {"demo": ("python", "build"), "test": ("python", "build", "test")}
    for command, wanted in kinds.items():
        (line,) = checkout.call(command).stderr.splitlines()
        lines = (ROOT / "tools/packages.txt").read_text().splitlines()
        rows = [each.split() for each in lines if not each.startswith("#")]
        named = line.partition(" --no-install-recommends ")[2].split()
        assert named == [name for name, kind, *_ in rows if kind in wanted]


def test_sudo_installs_what_is_missing(checkout: Checkout) -> None:
    checkout.play("dpkg-query", DPKG_NOTHING)
    checkout.play("sudo", '[ "$1" = -n ] || echo "$*" >>sudo_calls')
    assert checkout.call("demo").returncode == 7
    assert checkout.call(*BUILD).returncode == 0
    update, install, _, build = checkout.calls("sudo")
    assert update.endswith("apt-get update")
    assert "apt-get install -y --no-install-recommends ca-certificates git python3 " in install
    assert "apt-get install -y --no-install-recommends build-essential " in build


@pytest.mark.parametrize(("command", "ahead"), [("demo", True), ("report", False)])
def test_packages_of_the_build_come_while_python_is_made(
    command: str, ahead: bool, checkout: Checkout
) -> None:
    checkout.play("dpkg-query", f'echo "$*" >>dpkg_calls; {DPKG_NOTHING}')
    checkout.play("id", "echo 0")
    checkout.play("apt-get", 'echo "$*" >>apt_calls')
    pip = 'for i in {1..3000}; do grep -q " cmake " apt_calls && break; sleep 0.01; done'
    made = checkout.root / ".venv/bin/python"
    made.parent.mkdir(parents=True)
    checkout.play("python3", PYTHON_FAKE.replace("echo", f"{pip}; echo" if ahead else "echo", 1))
    shutil.copy(checkout.bin / "python3", made)  # root would take that of the machine
    (made.parent / "thalweg").touch()
    logs = checkout.root / "build/setup"
    logs.mkdir(parents=True)
    (logs / "venv.done").write_text(str(checkout.root))
    assert checkout.call(command).returncode == 7
    assert len(checkout.calls("pip")) == 1
    assert ahead == any(" cmake " in call for call in checkout.calls("apt"))
    assert ahead == any(call.endswith(" cmake") for call in checkout.calls("dpkg"))


@pytest.mark.parametrize(("command", "kinds"), [("demo", 2), ("test", 3), ("report", 1)])
def test_who_needs_a_password_is_asked_before_python_is_made(
    command: str, kinds: int, checkout: Checkout
) -> None:
    checkout.play("dpkg-query", DPKG_NOTHING)
    checkout.play("sudo", '[ "$1" = -n ] || echo "$*" >>calls')
    checkout.play("python3", PYTHON_FAKE.replace("pip_calls", "calls"))
    assert checkout.call(command).returncode == 7
    calls = (checkout.root / "calls").read_text().splitlines()
    assert ["install" in call for call in calls] == [False, True] * kinds + [True]
    assert calls[-1].startswith("-m pip install ")


def test_packages_that_come_already_are_waited_for_and_not_installed_again(
    checkout: Checkout,
) -> None:
    """A mirror that is slow: the build asks for its packages while apt installs them."""
    checkout.play("id", "echo 0")
    dpkg = 'echo "$*" >>dpkg_calls; [[ -f installed || "$*" != *cmake ]] && echo -n installed'
    checkout.play("dpkg-query", dpkg)
    asked = '[ "$(grep -c cmake dpkg_calls)" -ge 3 ]'  # by the command twice, and by the build
    apt = f'echo "$*" >>apt_calls; for i in {{1..3000}}; do {asked} && break; sleep 0.01; done'
    checkout.play("apt-get", f'{apt}; [ "$1" = update ] || : >installed')
    made = checkout.root / ".venv/bin/python"
    made.parent.mkdir(parents=True)
    pip = "for i in {1..3000}; do [ -f apt_calls ] && break; sleep 0.01; done"
    checkout.play("python3", PYTHON_FAKE.replace("echo", f"{pip}; echo", 1))
    shutil.copy(checkout.bin / "python3", made)  # root would take that of the machine
    (made.parent / "thalweg").touch()
    logs = checkout.root / "build/setup"
    logs.mkdir(parents=True)
    (logs / "venv.done").write_text(str(checkout.root))
    assert checkout.call("demo").returncode == 7
    assert checkout.call(*BUILD).returncode == 0
    lists, install = checkout.calls("apt")
    assert lists == "update"
    assert install.endswith(" cmake")


def test_another_apt_is_waited_for(checkout: Checkout) -> None:
    checkout.play("dpkg-query", DPKG_NOTHING)
    checkout.play("sudo", APT_TAKEN)
    result = checkout.call("report")
    assert result.returncode == 7, result.stderr
    lists, lists_again, packages, packages_again = checkout.calls("sudo")
    assert lists == lists_again
    assert lists.endswith("apt-get update")
    assert packages == packages_again
    assert " install -y " in packages


# The first `apt-get update` and the first `apt-get install` find their lock taken.
APT_TAKEN = """[ "$1" = -n ] && exit 0
echo "$*" >>sudo_calls
[ "$(grep -cxF -- "$*" sudo_calls)" = 1 ] || exit 0
case "$*" in
  *update) echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)
E: Unable to lock directory /var/lib/apt/lists/" ;;
  *) echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt-get)
E: Unable to acquire the dpkg frontend lock, is another process using it?" ;;
esac
exit 100"""


def test_who_brings_programs_needs_no_packages_to_build_them(checkout: Checkout) -> None:
    checkout.play("dpkg-query", '[[ "$*" != *cmake ]] && echo -n installed')
    assert checkout.call("run", THALWEG_BIN="/programs").returncode == 7
    refused = checkout.call(*BUILD)
    assert refused.returncode == 2
    assert "cmake" in refused.stderr
