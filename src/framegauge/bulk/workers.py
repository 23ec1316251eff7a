"""Work on several threads, results in the order of the work."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from typing import Any, Generic, TypeVar

_AHEAD = 2  # pieces of work that wait, so that no thread ever does
_END: Any = object()

Work = TypeVar("Work")
Result = TypeVar("Result")


def in_order(
    do: Callable[[Work], Result], work: Iterable[Work], jobs: int, *, stopped: threading.Event | None = None
) -> Iterator[Result]:
    """Yield do(one) for each, in their order. At most jobs + 2 are held that are not done.

    `work` is iterated in the thread of the caller. With `stopped`, the threads iterate it, one at a time, so that there
    is no extra thread. They cannot be interrupted while they wait for work: it has to end when `stopped` is set. A
    caller that stops early waits only for the work in progress.
    """
    if jobs == 1:
        yield from map(do, work)
        return
    source = _Source(work)

    def step(taken: tuple[int, Work] | None) -> tuple[int, Result]:
        number, one = taken or source.take()
        return number, one if one is _END else do(one)

    waiting: deque[Future[tuple[int, Result]]] = deque()
    done: dict[int, Result] = {}
    with ThreadPoolExecutor(jobs, thread_name_prefix="framegauge") as pool:
        try:
            for number in count():
                while number not in done:
                    while len(waiting) < jobs + _AHEAD:
                        waiting.append(_submit(pool, step, source.take() if stopped is None else None))
                    later, result = waiting.popleft().result()
                    done[later] = result
                if done[number] is _END:
                    return
                yield done.pop(number)
        finally:
            if stopped is not None:
                stopped.set()
            for future in waiting:
                future.cancel()


def _submit(pool: ThreadPoolExecutor, do: Callable[[Work], Result], work: Work) -> Future[Result]:
    try:
        return pool.submit(do, work)
    except RuntimeError as error:  # Python raises it if the system gives no more threads
        raise MemoryError("no thread can be started") from error


class _Source(Generic[Work]):
    """Numbers the work, for any thread that takes it; after the last one there is only the end."""

    def __init__(self, work: Iterable[Work]) -> None:
        self._lock = threading.Lock()
        self._work = iter(work)
        self._taken = 0

    def take(self) -> tuple[int, Work]:
        with self._lock:
            number, self._taken = self._taken, self._taken + 1
            return number, next(self._work, _END)
