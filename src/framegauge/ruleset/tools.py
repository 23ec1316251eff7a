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
        title="A tool's name that not every client can use",
        authority=("mcp",),
        message="a tool's name should be 1 to 128 of A-Z a-z 0-9 _ - and .",
        what="In the result of tools/list a tool's name is empty, longer than 128 characters, or has a character that "
        "is none of A-Z a-z 0-9 _ - and the point; or two tools of the list have the same name. Case counts. Found "
        "only where the method of the request is known.",
        why="Clients hand the names on to models and their interfaces, many of which take only these characters: the "
        "tool is renamed, dropped, or the whole list refused. Of two tools with one name only one can be called.",
        fix="Name the tool with these characters, and put what people read into title.",
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
        title="A schema that is none under its dialect",
        authority=("mcp",),
        message="this is no JSON Schema",
        what="The inputSchema or outputSchema of a tool, or the requestedSchema of a form, is refused by the "
        "meta-schema of its dialect: the one that $schema names, of draft-04, draft-06, draft-07, 2019-09 and 2020-12, "
        "or without $schema the last of these. Formats are not asserted and nothing is fetched. The rule needs the "
        "library jsonschema: `pip install 'framegauge[schema]'`. Without it, for other dialects, and where the schemas "
        "of a frame have more than 20000 values or 64 levels, the verdict lists it as not judged. In a result it is "
        "found only where the method of the request is known.",
        why="A validator refuses to be made from such a schema, or takes the keyword for another: the tool cannot be "
        "called, or is called with arguments that nobody has checked.",
        fix="Write the value at the path as the dialect wants it, or name the dialect that it is written in.",
        bad=_GOOD.replace('{"type":"string"}', '{"type":"text"}'),
        good=_GOOD,
        clauses=("jsonschema-valid",),
        urls=references.spec("basic#schema-validation", references.V2607, references.V2511),
        rows=(Row(facts=(), severity="error", revisions=with_feature("schema_dialects"), answer=INVALID_PARAMS),),
    ),
)
