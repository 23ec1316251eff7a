# `from framegauge.native cimport fg_facts, classify_bytes`; see docs/embedding.md.
from framegauge.native.core cimport (
    FG_ABSENT, FG_ARRAY, FG_BATCH, FG_EMPTY, FG_ERROR, FG_ERROR_RESPONSE, FG_FALSE, FG_ID, FG_INVALID, FG_JSONRPC,
    FG_METHOD, FG_NO_LIMIT, FG_NO_MEMORY, FG_NOTIFICATION, FG_NULL, FG_NUMBER, FG_OBJECT, FG_OK, FG_PARAMS,
    FG_PARSE_ERROR, FG_REQUEST, FG_RESULT, FG_STRING, FG_SUCCESS, FG_TRUE,
    fg_api, fg_envelope_value, fg_facts, fg_limits, fg_member,
)
from framegauge.native.tokenizer cimport classify_bytes, default_limits, element_spans
