# SPDX-License-Identifier: Apache-2.0
"""How long a test run is: several outputs of the largest stream, and a checkpoint where there are
some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.proposing.situation import Situation
from thalweg.advisor.proposing.ways import Way
from thalweg.config.calendars import LONGEST_MS, parse_interval
from thalweg.config.durations import short_duration
from thalweg.errors import ThalwegError

_LEAST_STEPS = 20
_OUTPUTS = 4  # beside the first, of the largest stream; two for each of its partitions if more
# A checkpoint that comes later than this share of the run is set earlier in the test runs ...
_LATE = 0.25
# ... but not before 2.5 hours where it need not be: ICON refuses that with divdamp_order = 24.
_EARLIEST_MS = 3 * 3_600_000


@dataclass(frozen=True)
class Length:
    """In ms of model time. checkpoint_ms: a new interval, 0 = as it is.
    restart_ms: a new one of jobs, 0 = as it is.
    """

    run_ms: int
    checkpoint_ms: int = 0
    restart_ms: int = 0


def length_of(answer: Answer, situation: Situation, ways: Sequence[Way], asked: str) -> Length:
    """asked: an ISO 8601 duration, "" = as long as is needed. Raises a sentence."""
    run, restart = answer.runs[0], answer.processes[0].restart
    whole = (run.end_ms - run.start_ms) // run.step_ms * run.step_ms
    first = run.calendar.add(run.start_ms, restart.checkpoint) - run.start_ms if (
        restart.checkpoint and situation.sets
    ) else 0  # fmt: skip
    given = _given_ms(asked, run.step_ms, whole) if asked else 0
    length = given or _for_outputs(situation, ways, run.step_ms)
    checkpoint = 0
    if first and not given and first <= max(_LATE * whole, length):
        length = max(length, first + _steps(first / 8, run.step_ms))
    elif first and first >= (given or length):
        length = given or max(length, 2 * _EARLIEST_MS)
        checkpoint = max(_steps_down(min(length, whole) // 2, run.step_ms), run.step_ms)
    length = min(_steps(length, run.step_ms), whole)
    if checkpoint >= length:
        raise ThalwegError(
            f"a test run of {short_duration(length / 1000)} has no room for a checkpoint; give a "
            "longer --duration"
        )
    job = length if situation.sets and not restart.checkpoint else 0
    return Length(length, checkpoint, job if length < whole else 0)


def _for_outputs(situation: Situation, ways: Sequence[Way], step_ms: int) -> int:
    least = _LEAST_STEPS * step_ms
    if not situation.series:
        return least
    largest = max(range(len(situation.series)), key=lambda at: situation.series[at].load())
    series = situation.series[largest]
    most_parts = max((way.partitions[largest] for way in ways), default=1)
    outputs = max(_OUTPUTS, 2 * most_parts)
    each_ms = situation.simulated_s * 1000.0 / max(1, series.outputs - 1)
    return max(least, _steps(outputs * each_ms, step_ms))


def _given_ms(asked: str, step_ms: int, whole: int) -> int:
    try:
        interval = parse_interval(asked)
    except ValueError:
        raise ThalwegError(
            f"--duration '{asked}' is no ISO 8601 duration; write it as PT6H"
        ) from None
    if interval.months or not step_ms <= interval.ms <= LONGEST_MS:
        raise ThalwegError(
            f"--duration '{asked}' is no length of a test run: give days, hours or minutes, and "
            f"at least a step of the model ({short_duration(step_ms / 1000)})"
        )
    if interval.ms > whole:
        raise ThalwegError(
            f"--duration '{asked}' is longer than the run of the script, which has "
            f"{short_duration(whole / 1000)}; give a shorter one"
        )
    return _steps(interval.ms, step_ms)


def _steps(length_ms: float, step_ms: int) -> int:
    """Rounded up to whole steps."""
    return int(-(-length_ms // step_ms)) * step_ms


def _steps_down(length_ms: float, step_ms: int) -> int:
    return int(length_ms // step_ms) * step_ms
