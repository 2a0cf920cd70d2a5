# SPDX-License-Identifier: Apache-2.0
"""Names of C's library that neither a kernel nor a constant can have beside translated code.

A constant stands where the library's headers declare theirs. A kernel is a function of C: the
linker would take it for the library's own, in the model and in every library that it uses.
"""

from __future__ import annotations

import errno
import re

MACRO = re.compile(r"M_\w+|FP_\w+|U?INT\w*_(MAX|MIN|C)|__\w*|_[A-Z]\w*")
# Of glibc, the C++ library and MPI, as the headers of translated code bring them.
CAPITALS = re.compile(
    r"(ADJ|ATOMIC|BC|CHAR|CLOCKS?|CLONE|CPU|EXIT|FD|HUGE|INT|ITIMER|LC|LLONG|LONG|MATH|MOD|MPIX?|"
    r"NL|OMPI|OPAL|OPEN|PLATFORM|PMPI|PTHREAD|PTRDIFF|RENAME|SCHED|SEEK|SEM|SHRT|SIG|SIZE|STA|"
    r"STD(IN|OUT|ERR)|SYS|TIMER|UINT|ULLONG|ULONG|USHRT|WCHAR|WINT|XATTR)_\w+"
    r"|[A-Z][A-Z0-9_]*_(MAX|MIN|WIDTH|ENDIAN)|[FRWX]_OK|F_\w*(LOCK|TEST)|BYTE_ORDER|SNAN\w*|"
    r"W(IF)?(CONTINUED|EXITED|SIGNALED|STOPPED)|"
    r"W(EXITSTATUS|NOHANG|NOWAIT|STOPSIG|TERMSIG|UNTRACED)"
)
PREFIXED = re.compile(
    r"omp_\w+|_mm\w+|u?int\w*_t|s?size_t|(ptrdiff|off|time|pid)_t|P?MPIX?_\w+|mpi_\w+"
)
WORDS = frozenset(
    {
        *errno.errorcode.values(),
        "BUFSIZ", "CSIGNAL", "EDEADLK", "EHWPOISON", "EOF", "EOPNOTSUPP", "EWOULDBLOCK", "HUGE",
        "INFINITY", "MAXFLOAT", "NAN", "NFDBITS", "NULL", "NZERO", "WEOF",
        "errno", "math_errhandling", "sched_priority", "stderr", "stdin", "stdout",
    }
)  # fmt: skip
FUNCTIONS = frozenset(
    {
        # math.h
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign",
        "cos", "cosh", "drem", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim",
        "finite", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "gamma", "hypot", "ilogb",
        "isinf", "isnan", "j0", "j1", "jn", "ldexp", "lgamma", "log", "log10", "log1p", "log2",
        "logb", "lrint", "lround", "modf", "nan", "nearbyint", "nextafter", "pow", "remainder",
        "remquo", "rint", "round", "scalb", "scalbn", "signgam", "significand", "sin", "sincos",
        "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn", "HUGE", "OVERFLOW",
        "UNDERFLOW", "DOMAIN", "SING",
        # stdlib.h, string.h, stdio.h, time.h, signal.h
        "abort", "abs", "atexit", "atof", "atoi", "atol", "bsearch", "calloc", "clock", "ctime",
        "difftime", "div", "drand48", "exit", "fflush", "fprintf", "free", "getenv", "index",
        "labs", "ldiv", "malloc",
        "memchr", "memcmp", "memcpy", "memmove", "memset", "mktime", "printf", "putenv", "puts",
        "qsort", "raise", "rand", "random", "realloc", "remove", "rename", "rewind", "rindex",
        "scanf", "select", "setenv", "signal", "snprintf", "strlen", "strtod", "srand",
        "srandom", "system",
        "time", "timezone", "daylight", "tzname", "stdin", "stdout", "stderr", "EOF", "NULL",
        # unistd.h, sys/*.h: what MPI and netCDF call
        "accept", "access", "alarm", "bind", "brk", "chdir", "close", "connect", "creat", "dup",
        "environ", "execve", "fork", "fsync", "getpid", "ioctl", "kill", "link", "listen", "lseek",
        "mkdir", "mmap", "mount", "munmap", "nice", "open", "pause", "pipe", "poll", "pread",
        "pwrite", "read", "readv", "recv", "rmdir", "send", "shutdown", "sleep", "socket", "stat",
        "swab", "symlink", "sync", "times", "truncate", "umask", "unlink", "usleep", "wait",
        "waitpid", "write", "writev",
        # of programs and compilers
        "main", "linux", "unix",
    }
)  # fmt: skip


def is_of_library(name: str) -> bool:
    """Whether C's headers or its library have that name for themselves."""
    return name in FUNCTIONS or any(each.fullmatch(name) for each in (MACRO, PREFIXED))


def may_be_macro(name: str) -> bool:
    """Whether C's headers may put something else in its place, wherever it stands."""
    found = MACRO.fullmatch(name) or CAPITALS.fullmatch(name)
    return found is not None or name in WORDS
