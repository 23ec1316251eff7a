"""Tools: their names, and the schemas that they and forms carry."""

from framegauge.protocol.features import with_feature
from framegauge.ruleset import references
from framegauge.ruleset.codes import INVALID_PARAMS
from framegauge.ruleset.model import Row, Rule
from framegauge.ruleset.places import Check

_START = '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":'
_GOOD = _START + '"weather","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}}}]}}'

RULES = (
    Rule(
        id="tools-names",
        at=(Check("ListToolsResult", needs=("Tool",)),),
        area="values",
        title="A tool name that not every client can use",
        authority=("mcp",),
        message="the name of a tool should be 1 to 128 of A-Z a-z 0-9 _ - and .",
        what="In the result of tools/list the name of a tool is empty, longer than 128 characters, or has a "
        "character outside A-Z a-z 0-9 _ - and the point. Or two tools of the list have the same name. Case "
        "counts. Found only if the method of the request is known.",
        why="Clients pass the names to models and their interfaces, many of which accept only these characters: the "
        "tool is renamed or dropped, or the whole list is refused. Of two tools with one name only one can be "
        "called.",
        fix="Name the tool with these characters, and put the text for people into title.",
        bad=_GOOD.replace("weather", "weather in the city"),
        good=_GOOD,
        clauses=("tools-names",),
        urls=references.spec("server/tools#tool-names", references.V2607, references.V2511),
        rows=(Row(facts=(), severity="warning", revisions=with_feature("tool_names")),),
    ),
    Rule(
        id="jsonschema-valid",
        at=(
            Check("Tool"),
            Check("ElicitRequestFormParams.requestedSchema"),
        ),
        area="values",
        title="Invalid schema for its dialect",
        authority=("mcp",),
        message="not a valid JSON Schema",
        what="The meta-schema of its dialect refuses the inputSchema or outputSchema of a tool, or the "
        "requestedSchema of a form. $schema names the dialect: draft-04, draft-06, draft-07, 2019-09 or "
        "2020-12; without $schema it is the last of these. Formats are not asserted and nothing is fetched. The "
        "rule requires the library jsonschema: `pip install 'framegauge[schema]'`. Without it, the verdict "
        "lists the rule as not judged. The same holds for other dialects, and if the schemas of a frame have "
        "more than 20000 values or 64 levels. In a result it is found only if the method of the request is "
        "known.",
        why="A validator refuses such a schema, or misreads the keyword: the tool cannot be called, or is called "
        "with unchecked arguments.",
        fix="Write the value at the path as the dialect requires, or name the dialect of the schema.",
        bad=_GOOD.replace('{"type":"string"}', '{"type":"text"}'),
        good=_GOOD,
        clauses=("jsonschema-valid",),
        urls=references.spec("basic#schema-validation", references.V2607, references.V2511),
        rows=(Row(facts=(), severity="error", revisions=with_feature("schema_dialects"), answer=INVALID_PARAMS),),
    ),
)
