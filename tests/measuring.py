"""Measures work by counting it, or against other work of the same run: no machine's second is another's."""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest


def calls(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[tuple[Any, ...]]:
    """The arguments by place of each call of a function, or of a class's method, from now on."""
    made: list[tuple[Any, ...]] = []
    called = getattr(owner, name)

    def counted(*arguments: Any, **named: Any) -> Any:
        made.append(arguments)
        return called(*arguments, **named)

    monkeypatch.setattr(owner, name, counted)
    return made


def times(work: Callable[[], object], than: Callable[[], object], *, turns: int = 3) -> float:
    """How many times as much of the processor `work` takes `than` other work: the median of some turns."""
    return median(_seconds(work) / _seconds(than) for _ in range(turns))


def _seconds(work: Callable[[], object]) -> float:
    """What one call takes of the processor, whoever else uses the machine."""
    began = time.process_time()
    work()
    return max(time.process_time() - began, time.get_clock_info("process_time").resolution)
