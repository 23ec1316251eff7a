/* Public C interface of framegauge: the facts of one frame, as one flat struct of offsets and bits.
 *
 * docs/facts.md defines each fact. The struct holds no pointer: it may be copied, kept and
 * sent to other threads. Offsets count bytes from the start of the frame and are 32 bits wide.
 *
 * From C, C++ or Rust, fetch the functions with framegauge_import() (needs Python.h before this header); from Cython,
 * `cimport framegauge.native`.
 */
#ifndef FRAMEGAUGE_H
#define FRAMEGAUGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever the layout or the numbering below changes. */
#define FG_FACTS_ABI 1

/* X(enumerator, public name); the order is the numbering. */
#define FG_KINDS(X) \
  X(FG_EMPTY, "empty") \
  X(FG_PARSE_ERROR, "parse-error") \
  X(FG_INVALID, "invalid") \
  X(FG_BATCH, "batch") \
  X(FG_REQUEST, "request") \
  X(FG_NOTIFICATION, "notification") \
  X(FG_SUCCESS, "success") \
  X(FG_ERROR_RESPONSE, "error")

#define FG_TYPES(X) \
  X(FG_ABSENT, "absent") \
  X(FG_OBJECT, "object") \
  X(FG_ARRAY, "array") \
  X(FG_STRING, "string") \
  X(FG_NUMBER, "number") \
  X(FG_TRUE, "true") \
  X(FG_FALSE, "false") \
  X(FG_NULL, "null")

#define FG_ENVELOPE(X) \
  X(FG_JSONRPC, "jsonrpc") \
  X(FG_ID, "id") \
  X(FG_METHOD, "method") \
  X(FG_PARAMS, "params") \
  X(FG_RESULT, "result") \
  X(FG_ERROR, "error")

/* Byte faults first, then the limits (from FG_FRAME_TOO_LARGE on). */
#define FG_FAULTS(X) \
  X(FG_NO_FAULT, "") \
  X(FG_INVALID_UTF8, "invalid-utf8") \
  X(FG_UTF8_BOM, "utf8-bom") \
  X(FG_NOT_JSON, "not-json") \
  X(FG_LEADING_GARBAGE, "leading-garbage") \
  X(FG_TRAILING_DATA, "trailing-data") \
  X(FG_TRUNCATED, "truncated") \
  X(FG_RAW_CONTROL_CHAR, "raw-control-char") \
  X(FG_NON_FINITE_NUMBER, "non-finite-number") \
  X(FG_BAD_NUMBER, "bad-number") \
  X(FG_BAD_ESCAPE, "bad-escape") \
  X(FG_BAD_LITERAL, "bad-literal") \
  X(FG_BAD_STRUCTURE, "bad-structure") \
  X(FG_FRAME_TOO_LARGE, "frame-too-large") \
  X(FG_NESTING_LIMIT, "nesting-limit") \
  X(FG_NUMBER_TOO_LONG, "number-too-long") \
  X(FG_TOO_MANY_MEMBERS, "too-many-members") \
  X(FG_BATCH_TOO_LARGE, "batch-too-large")

/* Bit numbers of fg_facts.bits. */
#define FG_FACT_BITS(X) \
  X(FG_DUPLICATE_KEY, "duplicate-key") \
  X(FG_DUPLICATE_ENVELOPE, "duplicate-envelope") \
  X(FG_KEY_CASE_VARIANT, "key-case-variant") \
  X(FG_KEY_LOOKALIKE, "key-lookalike") \
  X(FG_ESCAPED_KEY, "escaped-key") \
  X(FG_ESCAPED_JSONRPC, "escaped-jsonrpc") \
  X(FG_ESCAPED_METHOD, "escaped-method") \
  X(FG_LONE_SURROGATE, "lone-surrogate") \
  X(FG_LONE_SURROGATE_ID, "lone-surrogate-id") \
  X(FG_LONE_SURROGATE_METHOD, "lone-surrogate-method") \
  X(FG_LONE_SURROGATE_KEY, "lone-surrogate-key") \
  X(FG_RAW_NEWLINE, "raw-newline") \
  X(FG_UNKNOWN_MEMBER, "unknown-member") \
  X(FG_MEMBER_OVERFLOW, "member-overflow") \
  X(FG_TOP_SCALAR, "top-scalar") \
  X(FG_TOP_ARRAY, "top-array") \
  X(FG_JSONRPC_MISSING, "jsonrpc-missing") \
  X(FG_JSONRPC_WRONG, "jsonrpc-wrong") \
  X(FG_ID_ABSENT, "id-absent") \
  X(FG_ID_NULL, "id-null") \
  X(FG_ID_BOOLEAN, "id-boolean") \
  X(FG_ID_CONTAINER, "id-container") \
  X(FG_ID_STRING, "id-string") \
  X(FG_ID_EMPTY, "id-empty") \
  X(FG_ID_NOT_INTEGER, "id-not-integer") \
  X(FG_ID_NOT_INTEGER_LITERAL, "id-not-integer-literal") \
  X(FG_ID_UNSAFE_INTEGER, "id-unsafe-integer") \
  X(FG_METHOD_ABSENT, "method-absent") \
  X(FG_METHOD_TYPE, "method-type") \
  X(FG_METHOD_RESERVED, "method-reserved") \
  X(FG_PARAMS_ABSENT, "params-absent") \
  X(FG_PARAMS_SCALAR, "params-scalar") \
  X(FG_PARAMS_ARRAY, "params-array") \
  X(FG_RESULT_ABSENT, "result-absent") \
  X(FG_RESULT_NULL, "result-null") \
  X(FG_RESULT_NOT_OBJECT, "result-not-object") \
  X(FG_ERROR_ABSENT, "error-absent") \
  X(FG_ERROR_NULL, "error-null") \
  X(FG_ERROR_NOT_OBJECT, "error-not-object") \
  X(FG_METHOD_AND_RESULT, "method-and-result") \
  X(FG_METHOD_AND_ERROR, "method-and-error") \
  X(FG_RESULT_AND_ERROR, "result-and-error") \
  X(FG_NO_METHOD_RESULT_ERROR, "no-method-result-error") \
  X(FG_ERROR_CODE_MISSING, "error-code-missing") \
  X(FG_ERROR_CODE_TYPE, "error-code-type") \
  X(FG_ERROR_CODE_NOT_INTEGER, "error-code-not-integer") \
  X(FG_ERROR_CODE_NOT_INTEGER_LITERAL, "error-code-not-integer-literal") \
  X(FG_ERROR_CODE_OUT_OF_RANGE, "error-code-out-of-range") \
  X(FG_ERROR_MESSAGE_MISSING, "error-message-missing") \
  X(FG_ERROR_MESSAGE_TYPE, "error-message-type") \
  X(FG_RESULT_WITHOUT_ID, "result-without-id") \
  X(FG_ERROR_WITHOUT_ID, "error-without-id") \
  X(FG_BATCH_EMPTY, "batch-empty") \
  X(FG_TRAILING_CR, "trailing-cr")

#define FG_ENUMERATOR(id, name) id,
enum fg_kind { FG_KINDS(FG_ENUMERATOR) FG_KIND_COUNT };
enum fg_type { FG_TYPES(FG_ENUMERATOR) FG_TYPE_COUNT };
enum fg_envelope_member { FG_ENVELOPE(FG_ENUMERATOR) FG_ENVELOPE_COUNT };
enum fg_fault { FG_FAULTS(FG_ENUMERATOR) FG_FAULT_COUNT };
enum fg_fact { FG_FACT_BITS(FG_ENUMERATOR) FG_FACT_COUNT };
#undef FG_ENUMERATOR

#define FG_FIRST_LIMIT FG_FRAME_TOO_LARGE
#define FG_BIT(fact) (UINT64_C(1) << (fact))

/* Objects whose members are described, and the room for each. */
enum fg_group { FG_IN_PARAMS, FG_IN_RESULT, FG_IN_ERROR, FG_IN_META, FG_GROUP_COUNT };
#define FG_ROOM_PARAMS 24
#define FG_ROOM_RESULT 16
#define FG_ROOM_ERROR 8
#define FG_ROOM_META 16
#define FG_ROOM (FG_ROOM_PARAMS + FG_ROOM_RESULT + FG_ROOM_ERROR + FG_ROOM_META)

/* A limit that is off. */
#define FG_NO_LIMIT UINT32_MAX

typedef struct fg_limits {
  uint32_t max_frame_bytes; /* bytes; frames over 4 GiB - 1 are refused even where this is FG_NO_LIMIT */
  uint32_t max_depth;       /* levels; the top-level bracket is level 1 */
  uint32_t max_batch_items; /* elements of the top-level array */
  uint32_t max_number_digits;
  uint32_t max_members; /* of one object */
} fg_limits;

/* One envelope member: the span of its first occurrence's value. */
typedef struct fg_envelope_value {
  uint32_t start, stop; /* bytes [start, stop) */
  uint32_t count;       /* number of occurrences of the key */
  uint8_t type;         /* enum fg_type */
  uint8_t escaped;      /* the value holds a backslash */
  uint16_t reserved;
} fg_envelope_value;

/* One member of params, result, error or _meta. */
typedef struct fg_member {
  uint32_t start, stop; /* the value's bytes [start, stop) */
  uint16_t name;        /* number of a protocol name (fg_name), 0: none */
  uint8_t type;         /* enum fg_type */
  uint8_t escaped;
} fg_member;

typedef struct fg_facts {
  uint32_t size; /* of the frame in bytes; UINT32_MAX for a larger one */
  uint8_t kind;  /* enum fg_kind */
  uint8_t top;   /* enum fg_type of the top level */
  uint8_t fault; /* enum fg_fault */
  uint8_t has_error_code;
  uint32_t fault_offset;
  uint32_t json_start; /* leading-garbage: where good JSON starts */
  uint64_t bits;       /* FG_BIT(enum fg_fact) */
  uint32_t depth;      /* deepest level */
  uint32_t longest_number; /* most digits in one number */
  uint32_t largest_object; /* most members in one object */
  uint32_t items;          /* elements of a top-level array */
  uint32_t duplicates;     /* repeated keys */
  uint32_t duplicate_offset; /* the first of them: its opening quote */
  int32_t error_code;        /* where has_error_code: integral and within 32 bits */
  uint8_t counts[4];         /* described members per enum fg_group */
  fg_envelope_value envelope[6];
  fg_member members[FG_ROOM]; /* params, result, error, _meta, each in its own room; only the counted ones are set */
} fg_facts;

enum fg_status { FG_OK = 0, FG_NO_MEMORY = 1 };

/* The functions a native embedder gets; see framegauge_import(). All are safe to call from any thread without a lock
 * and without the GIL; each thread has its own scratch memory. */
typedef struct fg_api {
  uint32_t abi; /* FG_FACTS_ABI of the module that was loaded */
  uint32_t facts_size; /* sizeof(fg_facts) there */
  /* Facts of the frame data[0..size). limits may be NULL (the defaults). Returns FG_OK or FG_NO_MEMORY. A bad frame is a
   * verdict, never an error. */
  int (*classify)(const uint8_t* data, size_t size, const fg_limits* limits, fg_facts* facts);
  /* Writes up to `room` pairs [start, stop) of the elements of a frame that classify() called a batch; returns how many the
   * array has; 0 also where memory ran out. */
  uint32_t (*elements)(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room);
  void (*default_limits)(fg_limits* limits);
  /* The text of protocol name number `number`, or NULL. */
  const char* (*name)(uint32_t number);
} fg_api;

#define FG_CAPSULE "framegauge.native.tokenizer._C_API"

#ifdef Py_PYTHON_H
/* Imports the module and checks that it was built for this header. NULL with a Python exception set on failure. */
static inline const fg_api* framegauge_import(void) {
  PyObject* module = PyImport_ImportModule("framegauge.native.tokenizer");
  if (module == NULL) return NULL;
  Py_DECREF(module); /* sys.modules keeps it */
  const fg_api* api = (const fg_api*)PyCapsule_Import(FG_CAPSULE, 0);
  if (api == NULL) return NULL;
  if (api->abi != FG_FACTS_ABI || api->facts_size != sizeof(fg_facts)) {
    PyErr_SetString(PyExc_ImportError, "framegauge was built for another fg_facts than this header: rebuild against it");
    return NULL;
  }
  return api;
}
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* FRAMEGAUGE_H */
