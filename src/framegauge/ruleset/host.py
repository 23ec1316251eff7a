"""What the gauge says about the host's own rules, see framegauge.gauge.host_rules."""

from framegauge.protocol.features import ALL
from framegauge.ruleset.model import Row, Rule

RULES = (
    Rule(
        id="rule-failed",
        at=("stage",),
        area="host",
        title="A rule of the host raised",
        authority=("limit",),
        message="a rule of the host raised an exception",
        what="One of the rules given to the gauge raised instead of yielding what it found. The finding names the rule "
        "and the exception. The frame itself was read and is not invalid.",
        why="A gate that fell over its own rules would let everything or nothing through. So the failure is a finding "
        "of severity error, and the host decides as it decides on any.",
        fix="Call the rule with the frame of the finding and mend it. Leave this rule out with `ignore` only where a "
        "failed rule shall count as passed.",
        rows=(Row(facts=(), severity="error", revisions=ALL),),
    ),
)
