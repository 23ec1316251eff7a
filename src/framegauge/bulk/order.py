"""Work on several threads, results in the order of the work."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_AHEAD = 2  # pieces of work that wait, so that no thread ever does

Work = TypeVar("Work")
Result = TypeVar("Result")


def in_order(do: Callable[[Work], Result], work: Iterable[Work], jobs: int) -> Iterator[Result]:
    """Yield do(one) for each, in their order. `work` is asked in the caller's thread, and at most jobs + 2 are held.

    Whoever stops early waits only for what is being done.
    """
    if jobs == 1:
        yield from map(do, work)
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(jobs, thread_name_prefix="framegauge") as pool:
        try:
            for one in work:
                waiting.append(pool.submit(do, one))
                if len(waiting) >= jobs + _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
