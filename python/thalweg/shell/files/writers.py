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
    r"(?:.*/)?(?:(?:ba|k|z|da|c|tc)?sh|ssh|xargs|parallel|make|script"
    r"|(?:python|perl|ruby|Rscript|awk|sed).*)"
)
_GIVES_CODE = re.compile("-[a-zA-Z]*[ce]")
_OPEN_NAME = re.compile(r"[$*?`]")
_UNPACKS = {
    "tar": re.compile(r"-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get"),
    "git": re.compile("checkout|clean|reset|stash|apply|pull|merge|clone|switch|restore|rebase"),
    "unzip": re.compile(".*"),
    "cpio": re.compile(".*"),
}
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
    extracts = _UNPACKS.get(name)
    first = [each for each in words if each[:1] != "-"][:1] if name != "tar" else words
    return (extracts is not None and any(map(extracts.fullmatch, first))) or (
        name == "find" and any(map(_FIND_AND_DO.fullmatch, words))
    )


def code_of(words: Sequence[str]) -> list[str]:
    """What `sh -c` and `python -c` are given to run."""
    return [words[i + 1] for i, each in enumerate(words[:-1]) if _GIVES_CODE.fullmatch(each)]


def names_in(words: Sequence[str], code: Sequence[str]) -> set[str] | None:
    """Of files that a program may mean by its words and its code; None: any."""
    if any(map(_OPEN_NAME.search, code)):
        return None
    text = "\n".join([*words, *code])
    found = {each for parts in (r"[^\w.+-]+", r"[^\w.+@%:=,-]+") for each in re.split(parts, text)}
    return found | {each[1:] for each in found if each.startswith("w")}  # sed's
