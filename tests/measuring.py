"""Measures work against other work of the same run, since a second means something else on every machine."""

import time
from collections.abc import Callable
from statistics import median


def times(work: Callable[[], object], than: Callable[[], object], *, turns: int = 3) -> float:
    """How many times as much of the processor `work` takes `than` other work: the median of some turns."""
    return median(_seconds(work) / _seconds(than) for _ in range(turns))


def _seconds(work: Callable[[], object]) -> float:
    """What one call takes of the processor, whoever else uses the machine."""
    began = time.process_time()
    work()
    return max(time.process_time() - began, time.get_clock_info("process_time").resolution)
