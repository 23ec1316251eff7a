# The C interface of api.cpp, declared once.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from framegauge.native.layout cimport *

cdef extern from "framegauge.h" nogil:
    const uint32_t FG_NO_LIMIT
    enum:
        FG_FACTS_ABI
        FG_FIRST_LIMIT
        FG_ROOM_PARAMS
        FG_ROOM_RESULT
        FG_ROOM_ERROR
        FG_ROOM_META
    enum:
        FG_EMPTY
        FG_PARSE_ERROR
        FG_INVALID
        FG_BATCH
        FG_REQUEST
        FG_NOTIFICATION
        FG_SUCCESS
        FG_ERROR_RESPONSE
    enum:
        FG_ABSENT
        FG_OBJECT
        FG_ARRAY
        FG_STRING
        FG_NUMBER
        FG_TRUE
        FG_FALSE
        FG_NULL
    enum:
        FG_JSONRPC
        FG_ID
        FG_METHOD
        FG_PARAMS
        FG_RESULT
        FG_ERROR
        FG_ENVELOPE_COUNT
    enum:
        FG_OK
        FG_NO_MEMORY

    ctypedef struct fg_limits:
        uint32_t max_frame_bytes
        uint32_t max_depth
        uint32_t max_batch_items
        uint32_t max_number_digits
        uint32_t max_members

    ctypedef struct fg_envelope_value:
        uint32_t start
        uint32_t stop
        uint32_t count
        uint8_t type
        uint8_t escaped

    ctypedef struct fg_member:
        uint32_t start
        uint32_t stop
        uint16_t name
        uint8_t type
        uint8_t escaped

    ctypedef struct fg_facts:
        uint32_t size
        uint8_t kind
        uint8_t top
        uint8_t fault
        uint8_t has_error_code
        uint32_t fault_offset
        uint32_t json_start
        uint64_t bits
        uint32_t depth
        uint32_t longest_number
        uint32_t largest_object
        uint32_t items
        uint32_t duplicates
        uint32_t duplicate_offset
        int32_t error_code
        uint8_t counts[4]
        fg_envelope_value envelope[6]
        fg_member members[64]

    ctypedef struct fg_api:
        uint32_t abi
        uint32_t facts_size
        int (*classify)(const uint8_t*, size_t, const fg_limits*, fg_facts*) noexcept
        uint32_t (*elements)(const uint8_t*, size_t, uint32_t*, uint32_t) noexcept
        void (*default_limits)(fg_limits*) noexcept
        const char* (*name)(uint32_t) noexcept

cdef extern from "core.h" nogil:
    ctypedef struct fg_place:
        uint32_t offset
        uint32_t end
        uint32_t count

    enum:
        FG_ROWS
        FG_CODE_ROWS
        FG_NO_RULE
        FG_LOOK
        FG_FACT_COUNT

    ctypedef struct fg_table:
        fg_row rows[128]
        fg_code_row codes[16]
        uint32_t row_count
        uint32_t code_count
        uint64_t suspicious
        uint8_t by_fault[64]
        uint64_t serial

    enum:
        FG_NOTHING
        FG_NO_FRAME
        FG_MILD
        FG_UNLESS_TASK
        FG_INTEGER
        FG_INTEGRAL
        FG_DEPRECATED
        FG_SHAPE_DEPTH
        FG_NO_LOW
        FG_NO_HIGH
        FG_ANY_SIZE
        FG_LISTED
        FG_BEGINS
        FG_BASE64
        FG_ISO8601
        FG_MIME
        FG_URI
        FG_URL
        FG_FROM_CLIENT
        FG_FROM_SERVER

    ctypedef struct fg_own:
        const fg_text* names
        const fg_table** tables
        const fg_protocol** protocols
        uint32_t count

    ctypedef struct fg_judges:
        const fg_table* table
        const fg_protocol* protocol
        const fg_own* own

    ctypedef struct fg_shape_place:
        uint32_t offset, end, count
        uint16_t spec, member
        uint8_t error

    ctypedef struct fg_found:
        uint64_t rules[2]
        uint64_t errors[2]
        uint64_t warnings[2]

    ctypedef struct fg_columns:
        uint64_t* offset
        uint32_t* length
        uint8_t* kind
        uint64_t* facts
        uint64_t* rules
        uint8_t* fault
        uint32_t* fault_offset
        uint32_t* id_start
        uint32_t* id_stop
        uint16_t* method
        uint16_t* marks
        uint32_t* method_start
        uint32_t* method_stop
        uint64_t count
        uint64_t room
        uint64_t known
        uint64_t most
        uint64_t read
        fg_found any
