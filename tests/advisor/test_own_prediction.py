# SPDX-License-Identifier: Apache-2.0
"""The closed form of our own runs: laws that hold on any machine, and what runs tell of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thalweg.advisor.own import ways, work
from thalweg.advisor.own.event_run import simulate_own
from thalweg.advisor.own.form import Services, services_of
from thalweg.advisor.own.lanes import lanes_of
from thalweg.advisor.own.learned import OwnRun, held_out, learn_own, untaught
from thalweg.advisor.own.propose import propose_own
from thalweg.advisor.own.rates import FACTORS, rates_of
from thalweg.advisor.own.situation import OwnChoice, OwnSituation, own_situation
from thalweg.advisor.own.time_steps import steps_of
from thalweg.advisor.own.ways import choices, way_of
from thalweg.advisor.own_experiment import find_own_streams
from thalweg.advisor.shapes import Nodes
from thalweg.calibrate.machine_file import Machine
from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory, read_json_lines
from thalweg.run.native_lists import of_kind

Calibrated = Callable[..., Machine]
CASE = """
[grid]
name = "R2B4"
[[output]]
name = "all"
interval = "PT1H"
file_interval = "PT6H"
[[output]]
name = "flat"
variables = ["group:2d"]
interval = "PT15M"
[restart]
mode = "sync"
interval = "PT6H"
[machine]
ranks = 8
"""
ALONE = {name: np.ones(1) for name in FACTORS}
ASYNC = OwnChoice("async", 1, (1, 1), "sync")
NODE = Nodes(1, 8)


def told(
    given: OwnSituation, choice: OwnChoice, machine: Machine, nodes: Nodes = NODE
) -> Services:  # fmt: skip
    return services_of(given, choice, nodes, rates_of(machine, ALONE))


def total(*words: object) -> float:
    return float(told(*words).total[0])  # type: ignore[arg-type]


def test_steps_and_bytes_are_those_that_the_model_made(small_run: Path) -> None:
    run = RunDirectory(small_run)
    experiment = run.experiment()
    assert steps_of(experiment) == run.summary()["start"]["steps"]
    answer = find_own_streams(experiment, checked=False)
    given = own_situation(experiment, answer)
    assert [s.bytes_per_output for s in given.series] == [
        s.bytes_per_output for s in answer.streams
    ]
    wrote = [e for e in read_json_lines(run.events_path) if e["kind"] == "write"]
    for series in given.series:
        of_stream = [e["bytes"] for e in wrote if e["stream"] == series.name and e["step"] >= 0]
        assert sum(of_stream) >= series.outputs * series.bytes_per_output


@pytest.mark.parametrize("name", ["R2B2", "R3B2"])
@pytest.mark.parametrize(
    ("case", "steps"), [("jet", 210), ("steady", 112), ("mountain", 150)]
)  # of R2B2, as the model made them
def test_time_steps_are_the_models(tmp_path: Path, name: str, case: str, steps: int) -> None:
    path = tmp_path / "five_days.toml"
    path.write_text('[[output]]\nname = "out"\ninterval = "P5D"\n')
    words = [f"grid.name={name}", f"model.case={case}", "model.levels=1", "time.duration=P5D"]
    times = {"R2B2": 1.0, "R3B2": 1.5}[name]  # as many divisions of a side
    assert steps_of(Experiment.read(path, words)) == steps * times


def test_more_of_anything_takes_longer(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    machine = calibrated(cores=8, ranks=8)
    few = total(situation(), ASYNC, machine)
    words = ("model.levels=60", "time.duration=P2D", "grid.name=R2B5", "model.extra_work=2",
             "model.tracers=3", "output.all.interval=PT30M", "restart.interval=PT1H")  # fmt: skip
    for word in words:
        assert total(situation(word), ASYNC, machine) > few, word
    for name in ("cell_level_step_s", "step_overhead_s", "file_s"):
        figure = machine.parameter(name)
        assert figure is not None
        slower = calibrated(cores=8, ranks=8, **{name: 2.0 * figure.median})
        assert total(situation(), ASYNC, slower) > few, name


def test_output_limits_a_machine_whose_disk_is_slow(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    given = situation()
    slow = calibrated(cores=8, ranks=8, writer_bytes_per_s=2e7)
    size = sum(s.outputs * s.bytes_per_output for s in given.series)
    services = told(given, ASYNC, slow)
    assert services.output[0] > size / 2e7 > services.workers[0]
    assert services.total[0] >= services.output[0]
    two = told(given, replace(ASYNC, io_ranks=2, partitions=(2, 2)), slow)
    assert two.output[0] < 0.6 * services.output[0]
    bound = calibrated(cores=8, ranks=8, writer_bytes_per_s=2e7, node_bytes_per_s=2e7)
    held = told(given, replace(ASYNC, io_ranks=2, partitions=(2, 2)), bound)
    assert held.storage[0] >= size / 2e7


def test_the_total_is_the_longest_service_where_others_are_short(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    services = told(situation(), ASYNC, calibrated(cores=8, ranks=8))
    alone = services.startup[0] + services.workers[0]
    assert alone <= services.total[0] < 1.01 * alone
    equal = replace(services, output=services.workers, restart=0.0 * services.restart)
    assert services.startup[0] + services.workers[0] < equal.total[0]


def test_serial_output_stops_compute_ranks_and_async_output_does_not(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    machine = calibrated(cores=8, ranks=8)
    serial, beside = (
        told(situation(), choice, machine) for choice in (OwnChoice("serial", 0, (1, 1)), ASYNC)
    )
    assert serial.blocked_output[0] > 0.0 == serial.output[0]
    assert beside.blocked_output[0] == 0.0 < beside.output[0]
    assert beside.tail[0] > 0.0 == serial.tail[0]


def test_ranks_that_share_cores_take_time_from_each_other(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    given, two, many = situation(), Nodes(1, 3), calibrated(cores=16)
    roomy = told(given, ASYNC, many, two)
    tight = told(given, ASYNC, calibrated(cores=2), two)
    assert roomy.delay[0] == 0.0 < tight.delay[0]
    assert tight.steps[0] == pytest.approx(roomy.steps[0]), "two of three ranks compute"
    three = told(given, OwnChoice("serial", 0, (1, 1), "sync"), calibrated(cores=2), two)
    alone = told(given, OwnChoice("serial", 0, (1, 1), "sync"), many, two)
    assert 1.4 < three.steps[0] / alone.steps[0] <= 2.0


def test_a_calibration_on_shared_cores_is_not_counted_twice(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    """Four ranks on two cores were measured to take twice as long."""
    nodes, serial = Nodes(1, 4), OwnChoice("serial", 0, (1, 1), "sync")
    apart = told(situation(), serial, calibrated(ranks=2), nodes)
    shared = calibrated(ranks=4, cell_level_step_s=3.2e-7, step_overhead_s=3e-4)
    assert told(situation(), serial, shared, nodes).steps[0] == pytest.approx(apart.steps[0])


def test_streams_that_meet_wait_for_slots_only_where_they_are_few(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    slow = calibrated(cores=8, ranks=8, writer_bytes_per_s=1e8)
    two = told(situation(), ASYNC, slow)
    many = told(situation("io.budget=4000"), ASYNC, slow)
    assert two.stall[0] > 0.0 == many.stall[0]


def test_each_partition_has_staging_memory_that_is_made_at_the_start(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    """Two slots each. R2B5 on one compute rank: 0.42 s with one, 1.24 s with 2, 2.03 s with 4."""
    machine, one = calibrated(cores=8, ranks=8), Nodes(1, 2)
    alone, two, three = (
        told(situation(), OwnChoice("async", 1, (count, 1)), machine, one).startup[0]
        for count in (1, 2, 3)
    )
    values = situation().series[0].values
    assert two - alone == pytest.approx(three - two)
    assert two - alone == pytest.approx(1.6e-7 * work.STAGE * values * 2)


def test_every_output_is_dealt_to_someone(situation: Callable[..., OwnSituation]) -> None:
    given = situation()
    for choice in choices(given, Nodes(2, 8)):
        lanes = lanes_of(given, choice, 16 - choice.ranks)
        assert (lanes.outputs >= 0.0).all()
        most = lanes.outputs.max(axis=0)
        for at, series in enumerate(given.series):
            assert most[at] * lanes.writers >= series.outputs - 1e-9, choice
            assert most[at] <= series.outputs


@pytest.mark.parametrize("mode", ["sync", "async", "joint_multifile", "dedicated_multifile"])
def test_checkpoints_cost_in_every_mode(
    mode: str, situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    ranks = 1 if mode in ("async", "dedicated_multifile") else 0
    choice = OwnChoice("async", 1, (1, 1), mode, ranks)
    machine = calibrated(cores=8, ranks=8)
    seldom, often = (told(situation(f"restart.interval={each}"), choice, machine)
                     for each in ("PT12H", "PT1H"))  # fmt: skip
    assert often.total[0] > seldom.total[0]
    waits = often.blocked_restart[0] > 0.0
    assert waits == (not ranks)
    assert (often.restart[0] > 0.0) == bool(ranks)


def test_the_interval_is_as_wide_as_the_calibration_spreads(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    sure, unsure = (
        untaught(calibrated(cores=8, ranks=8, spread=each)).predict(situation(), ASYNC, NODE)
        for each in (1.01, 2.0)
    )
    assert sure.total_s == unsure.total_s
    assert sure.low_s < sure.total_s < sure.high_s < unsure.high_s
    assert unsure.low_s < sure.low_s


def campaign(
    situation: Callable[..., OwnSituation], machine: Machine, noise: float, **factors: float
) -> list[OwnRun]:
    """Runs of a machine that is off from its calibration by these factors."""
    rates = rates_of(machine, {n: np.full(1, factors.get(n, 1.0)) for n in FACTORS})
    chance = np.random.default_rng(3)
    runs = []
    for interval in ("PT10M", "PT3H"):
        for grid in ("R2B3", "R2B4"):
            words = f"output.all.interval={interval}", f"grid.name={grid}", "restart.mode=none"
            given = situation(*words)
            for choice in choices(given, Nodes(1, 4)):
                nodes = Nodes(1, 4)
                right = float(services_of(given, choice, nodes, rates).total[0])
                runs += [OwnRun(f"{choice}", given, choice, nodes,
                                right * float(np.exp(noise * chance.standard_normal())))
                         for _ in range(2)]  # fmt: skip
    return runs


def test_runs_correct_what_the_calibration_has_wrong(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    machine = calibrated()
    runs = campaign(situation, machine, 0.01, steps=1.2, moving=1.5, files=0.6)
    found = learn_own(machine, runs)
    values = dict(zip(FACTORS, np.exp(found.middle), strict=True))
    assert values["steps"] == pytest.approx(1.2, rel=0.03)
    assert values["moving"] == pytest.approx(1.5, rel=0.1)
    assert values["files"] == pytest.approx(0.6, rel=0.1)
    tried = held_out(machine, runs)
    errors = [abs(told.total_s / run.total_s - 1.0) for run, told in tried]
    assert np.median(errors) < 0.02
    inside = np.mean([told.low_s <= run.total_s <= told.high_s for run, told in tried])
    assert 0.6 < inside < 0.95
    alone = untaught(machine)
    blind = [abs(alone.predict(r.situation, r.choice, r.nodes).total_s / r.total_s - 1.0)
             for r in runs[::9]]  # fmt: skip
    assert np.median(blind) > 0.05


def test_runs_tell_what_ranks_that_share_cores_cost(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    """Apart from steps on cores of their own: 2 ranks compute on 2 cores in some of these runs, 3
    or 4 in the others.
    """
    runs = campaign(situation, calibrated(), 0.01, crowded=0.8, sharing=1.5)
    found = learn_own(calibrated(), runs)
    values = dict(zip(FACTORS, np.exp(found.middle), strict=True))
    assert values["steps"] == pytest.approx(1.0, rel=0.03)
    assert values["crowded"] == pytest.approx(0.8, rel=0.05)
    assert values["sharing"] == pytest.approx(1.5, rel=0.1)


def test_a_mode_that_no_prediction_knows_is_said_and_not_predicted(
    situation: Callable[..., OwnSituation], calibrated: Calibrated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that is new in the library: its deal of outputs is not that of another one."""
    more = {
        kind: [*of_kind(kind), {**of_kind(kind)[-1], "name": f"new {kind}"}]
        for kind in ("output mode", "restart mode")
    }
    monkeypatch.setattr(ways, "of_kind", more.__getitem__)
    given = situation()
    proposal = propose_own(untaught(calibrated()), given, Nodes(1, 4), lambda _: True)
    assert any("new output mode, new restart mode" in note for note in proposal.notes)
    asked = choices(given, Nodes(1, 4))
    assert not [each for each in asked if "new" in f"{each.mode} {each.restart_mode}"]
    for changed in ({"mode": "new output mode"}, {"restart_mode": "new restart mode"}):
        with pytest.raises(ThalwegError, match="no prediction knows mode 'new"):
            told(given, replace(ASYNC, **changed), calibrated())  # type: ignore[arg-type]


@pytest.mark.parametrize("interval", ["PT15M", "PT3H"])
def test_the_simulation_takes_as_long_as_the_form(
    situation: Callable[..., OwnSituation], calibrated: Calibrated, interval: str
) -> None:
    """Modes of output and restart, on cores of their own and on shared ones; a smooth maximum is
    more than the longest.
    """
    given = situation(f"output.all.interval={interval}")
    apart = []
    for cores in (2, 16):
        predictor = untaught(calibrated(cores=cores, ranks=cores))
        for choice in choices(given, NODE)[::7]:
            way = way_of(predictor, predictor.rates(), given, choice, NODE)
            found = simulate_own(predictor, given, way, 0.0)
            apart.append(found.total_s / way.prediction.total_s - 1.0)
    assert len(apart) > 20
    assert np.median(np.abs(apart)) < 0.02
    assert np.max(np.abs(apart)) < 0.25
