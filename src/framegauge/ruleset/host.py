"""The finding about failed rules of the host, see framegauge.gauge.host_rules."""

from framegauge.protocol.features import ALL
from framegauge.ruleset.model import Row, Rule

RULES = (
    Rule(
        id="rule-failed",
        at=("stage",),
        area="host",
        title="A host rule raised an exception",
        authority=("limit",),
        message="a host rule raised an exception",
        what="A host rule raised an exception instead of yielding findings. The finding names the rule and the "
        "exception. The frame itself was read and is not invalid.",
        why="A failed rule must not let everything or nothing pass. So the failure is a finding of severity error, "
        "and the host decides.",
        fix="Call the rule with the frame of the finding and fix it. Leave `rule-failed` out with `ignore` only if a "
        "failed rule counts as passed.",
        rows=(Row(facts=(), severity="error", revisions=ALL),),
    ),
)
