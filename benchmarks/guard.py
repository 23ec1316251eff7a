"""The bounds of `run.py --guard`: too wide for a noisy neighbour to trip, too narrow to lose half."""

from typing import NamedTuple

import report
from contenders import ORJSON


class Least(NamedTuple):
    """How many times as long as `classify` a peer must take on a corpus, in one run."""

    corpus: str
    peer: str
    times: float


BOUNDS = (Least("small", ORJSON, 3.0), Least("medium", ORJSON, 3.0), Least("escapes-1m", ORJSON, 4.0))
CORPORA = tuple(bound.corpus for bound in BOUNDS)
ROUNDS = 15
SECONDS = 12.0


def complaints(rows: list[report.Row]) -> list[str]:
    """One line per bound that does not hold; a bound that was not measured does not hold."""
    found: list[str] = []
    ratios = {(row["corpus"], row["contender"]): row["ratio_to_classify"] for row in rows if not row["auxiliary"]}
    for bound in BOUNDS:
        ratio = ratios.get((bound.corpus, bound.peer))
        if ratio is None:
            found.append(f"{bound.corpus}: {bound.peer} was not measured")
        elif ratio < bound.times:
            found.append(f"{bound.corpus}: {bound.peer} takes {ratio:.2f} times as long, {bound.times:g} are the least")
    return found
