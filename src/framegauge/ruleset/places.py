"""Where a rule applies: the values of `Rule.at`. Other layers derive from them what they must know of a rule."""

from typing import Literal, NamedTuple

Within = Literal["params", "meta", "result", "error", "any"]
Misfit = Literal["missing", "type", "value"]
Step = Literal[
    "unknown_method",
    "other_revision",
    "wrong_direction",
    "with_id",
    "without_id",
    "unknown_param",
    "case_variant",
    "lookalike",
    "unlisted",
    "deprecated",
    "text_copy",
]
KeyStep = Literal["meta_key", "reserved_prefix", "trace_value", "extension_key"]


class Place(NamedTuple):
    """Values that the protocol data describes. The rule of the narrower place is the one that is found."""

    within: Within  # params, result and error: at any depth; meta: directly in the _meta of params
    member: str | None = None  # that member directly in it alone; of "any": at any depth
    methods: tuple[str, ...] = ()  # in params of these alone; empty: of all


class Value(NamedTuple):
    """A value at one of these places does not fit its spec."""

    misfits: tuple[Misfit, ...]
    places: tuple[Place, ...]


class Keys(NamedTuple):
    """Keys of `_meta` or of extensions, or their values."""

    step: KeyStep


class Walk(NamedTuple):
    """A step of the walk over the method, params and result of a frame."""

    step: Step
    answer: int | None = None  # of a rule that has rows on facts too: the code for what this step finds


class Check(NamedTuple):
    """Code in `framegauge.checks`, on objects of that shape."""

    shape: str
    needs: tuple[str, ...] = ()  # without an object of one of these shapes there is nothing to find; empty: that shape

    @property
    def looked_for(self) -> tuple[str, ...]:
        return self.needs or (self.shape,)


# facts: its rows name facts of the frame. codes: it has ranges of error.code. fault: the fault of the frame has its id.
# stage: a stage of the gauge finds it: batches, blank frames, headers on a line channel, rules of the host.
Plain = Literal["facts", "codes", "fault", "stage"]
At = Plain | Value | Keys | Walk | Check
