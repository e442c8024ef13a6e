"""Looks up many addresses at once, host beside host, and remembers the answers."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import chain, zip_longest
from urllib.parse import urlsplit

from bot.checks import Answer
from bot.lookups.asking import Wire
from bot.lookups.conversation import conversation
from bot.lookups.hosts import Hosts
from bot.lookups.memory import Memory


class Lookups:
    """Asks the web, with a memory."""

    def __init__(
        self,
        wire: Wire,
        memory: Memory,
        hosts: Hosts,
        *,
        at_once: int = 8,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._wire, self._memory, self._hosts = wire, memory, hosts
        self._at_once, self._wait = at_once, wait

    def look_up(
        self,
        wanted: Mapping[str, bool],
        watch: Callable[[int, int], object] = lambda _done, _all: None,
    ) -> dict[str, Answer]:
        """What each address comes to; `wanted` says of which the page is wanted too.

        `watch` is told how many are known, and of how many. What was learnt is kept when it is interrupted.
        """
        answers = {
            url: known for url, whole in wanted.items() if (known := self._memory.recall(url, whole=whole))
        }
        watch(len(answers), len(wanted))
        pool = ThreadPoolExecutor(self._at_once, thread_name_prefix="lookup")
        try:
            asked = {
                pool.submit(self._answer, url, whole=wanted[url]): url
                for url in _host_by_host(url for url in wanted if url not in answers)
            }
            for future in as_completed(asked):
                answers[asked[future]] = future.result()
                self._memory.learn(asked[future], answers[asked[future]])
                watch(len(answers), len(wanted))
        finally:
            pool.shutdown(cancel_futures=True)
            self._memory.save()
        return answers

    def _answer(self, url: str, *, whole: bool) -> Answer:
        talk = conversation(url, whole=whole)
        ask = next(talk)
        while True:
            if ask.wait:
                self._wait(ask.wait)
            with self._hosts.turn(_host(ask.url)):
                reply = self._wire.ask(ask)
            try:
                ask = talk.send(reply)
            except StopIteration as end:
                answer: Answer = end.value
                return answer


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _host_by_host(urls: Iterator[str]) -> Iterator[str]:
    """The addresses in an order in which neighbours are of different hosts, as far as that goes."""
    hosts = defaultdict[str, list[str]](list)
    for url in urls:
        hosts[_host(url)].append(url)
    return (url for url in chain.from_iterable(zip_longest(*hosts.values())) if url is not None)
