"""Names that docs/facts.md speaks of: member names of the protocol, fact names, fault names."""

ENVELOPE = ("jsonrpc", "id", "method", "params", "result", "error")

# Room for described members of each tracked object; more is the fact `member-overflow`.
ROOM = {"params": 24, "result": 16, "error": 8, "_meta": 16}

# They get room in any case.
EVIDENCE = ("_meta", "protocolVersion", "io.modelcontextprotocol/protocolVersion")

_KNOWN_MEMBERS = """
    _meta argument arguments capabilities clientInfo context createdAt cursor data elicitationId
    includeContext inputResponses lastUpdatedAt level logger maxTokens message messages metadata
    mode modelPreferences name notifications pollInterval progress progressToken protocolVersion
    reason ref requestId requestState requestedSchema status statusMessage stopSequences
    systemPrompt task taskId temperature toolChoice tools total ttl uri url
    io.modelcontextprotocol/clientCapabilities io.modelcontextprotocol/clientInfo
    io.modelcontextprotocol/logLevel io.modelcontextprotocol/protocolVersion
    action cacheScope completion content contents description inputRequests instructions isError
    model nextCursor prompts resourceTemplates resources resultType role roots serverInfo
    stopReason structuredContent supportedVersions tasks ttlMs code
    io.modelcontextprotocol/subscriptionId io.modelcontextprotocol/related-task
    io.modelcontextprotocol/serverInfo
"""

# Known in params, result, error and _meta alike.
KNOWN_MEMBERS = frozenset(_KNOWN_MEMBERS.split())

BYTE_FAULTS = (
    "invalid-utf8",
    "utf8-bom",
    "not-json",
    "leading-garbage",
    "truncated",
    "raw-control-char",
    "bad-escape",
    "non-finite-number",
    "bad-number",
    "bad-literal",
    "trailing-data",
    "bad-structure",
)

LIMIT_FAULTS = (
    "frame-too-large",
    "nesting-limit",
    "number-too-long",
    "too-many-members",
    "batch-too-large",
)

KINDS = (
    "empty",
    "parse-error",
    "batch",
    "invalid",
    "request",
    "notification",
    "success",
    "error",
)

_FACT_NAMES = """
    duplicate-key duplicate-envelope key-case-variant key-lookalike escaped-key
    escaped-jsonrpc escaped-method
    lone-surrogate lone-surrogate-id lone-surrogate-method lone-surrogate-key
    raw-newline unknown-member member-overflow top-scalar top-array
    jsonrpc-missing jsonrpc-wrong
    id-absent id-null id-boolean id-container id-string id-empty
    id-not-integer id-not-integer-literal id-unsafe-integer
    method-absent method-type method-reserved
    params-absent params-scalar params-array
    result-absent result-null result-not-object
    error-absent error-null error-not-object
    method-and-result method-and-error result-and-error no-method-result-error
    error-code-missing error-code-type error-code-not-integer error-code-not-integer-literal
    error-code-out-of-range error-message-missing error-message-type
    result-without-id error-without-id batch-empty trailing-cr
"""

FACT_NAMES = tuple(_FACT_NAMES.split())

# Default_Ignorable_Code_Point of the Unicode Character Database, as inclusive ranges.
DEFAULT_IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)


def default_ignorable(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in DEFAULT_IGNORABLE)
