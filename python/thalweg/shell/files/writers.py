# SPDX-License-Identifier: Apache-2.0
"""Which programs that are not read write to no file that they name, and which may write to any."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ONLY_READ = frozenset(
    {"echo", "printf", "print", "cat", "grep", "egrep", "fgrep", "zgrep", "ls", "diff", "cmp", "wc",
     "head", "tail", "cut", "tr", "md5sum", "sha1sum", "sha256sum", "cksum", "stat", "file", "du",
     "df", "test", "[", "basename", "dirname", "realpath", "readlink", "date", "hostname", "more",
     "less", "od", "sort", "sed", "awk", "ncdump", "chmod", "chown", "touch", "sbatch", "squeue",
     "scancel", "read", "mapfile", "readarray", "local", "export", "declare", "typeset", "set",
     "unset", "shift", "return", "exit", "wait", "sleep", "type", "which", "hash", "module", "cd",
     "pushd", "popd", "mkdir", "getopts", "trap", "kill", "ulimit", "umask", "shopt", "uname", "id",
     "seq", "expr", "bc", "envsubst", "paste", "column", "nl", "tac", "rev", "fold", "comm", "join",
     "pwd", "true", "false", ":", "rmdir", "let", "eval"}
)  # fmt: skip
_WRITES = {
    "sort": re.compile(r"-[a-zA-Z]*o.*|--o.*"),
    "sed": re.compile(r"-[a-zA-Z]*[iIs].*|--in-place.*|--separate|.*w.*", re.S),
    "awk": re.compile(r".*(?:>|system|\||-i).*", re.S),
    "set": re.compile("$^"),
}
_DO_ANYTHING = re.compile(
    r"(?:.*/)?(?:(?:ba|k|z|da|c|tc)?sh|ssh|xargs|parallel|make"
    r"|(?:python|perl|ruby|Rscript|awk|sed).*)"
)
_OPEN_NAME = re.compile(r"[$*?`\x02]")
_UNPACK = frozenset({"tar", "unzip", "cpio", "git"})
_FIND_AND_DO = re.compile("-(?:delete|exec|execdir|ok|okdir|fprint|fprintf|fls)")


def only_reads(name: str, words: Sequence[str]) -> bool:
    """words: what the program is given."""
    name = name.rpartition("/")[2]
    if name == "find":
        return not does_all(name, words)
    writes = _WRITES.get(name)
    return name in _ONLY_READ and not (writes and any(map(writes.fullmatch, words)))


def does_anything(name: str) -> bool:
    """With files that stand somewhere in its words."""
    return _DO_ANYTHING.fullmatch(name) is not None


def does_all(name: str, words: Sequence[str]) -> bool:
    """With files that it does not name: `find . -name 'a*' -delete`, `tar xf A`"""
    name = name.rpartition("/")[2]
    return name in _UNPACK or (name == "find" and any(map(_FIND_AND_DO.fullmatch, words)))


def names_in(text: str) -> set[str] | None:
    """Of files that a program may mean; None: any."""
    if _OPEN_NAME.search(text):
        return None
    found = set(re.split(r"[^\w.+-]+", text))
    return found | {each[1:] for each in found if each.startswith("w")}  # sed's
