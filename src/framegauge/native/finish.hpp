// From what the walk saw to fact bits and the kind. Tables over the six members' types; no branch on a clean frame but the id's.
#pragma once
#include "walk.hpp"

namespace fg {

struct TypeFacts {
  u64 of[FG_ENVELOPE_COUNT][FG_TYPE_COUNT];
  constexpr TypeFacts() : of() {
    of[FG_JSONRPC][FG_ABSENT] = FG_BIT(FG_JSONRPC_MISSING);
    of[FG_ID][FG_ABSENT] = FG_BIT(FG_ID_ABSENT);
    of[FG_ID][FG_NULL] = FG_BIT(FG_ID_NULL);
    of[FG_ID][FG_TRUE] = of[FG_ID][FG_FALSE] = FG_BIT(FG_ID_BOOLEAN);
    of[FG_ID][FG_OBJECT] = of[FG_ID][FG_ARRAY] = FG_BIT(FG_ID_CONTAINER);
    of[FG_ID][FG_STRING] = FG_BIT(FG_ID_STRING);
    of[FG_METHOD][FG_ABSENT] = FG_BIT(FG_METHOD_ABSENT);
    of[FG_PARAMS][FG_ABSENT] = FG_BIT(FG_PARAMS_ABSENT);
    of[FG_PARAMS][FG_ARRAY] = FG_BIT(FG_PARAMS_ARRAY);
    of[FG_RESULT][FG_ABSENT] = FG_BIT(FG_RESULT_ABSENT);
    of[FG_RESULT][FG_NULL] = FG_BIT(FG_RESULT_NULL);
    of[FG_ERROR][FG_ABSENT] = FG_BIT(FG_ERROR_ABSENT);
    of[FG_ERROR][FG_NULL] = FG_BIT(FG_ERROR_NULL);
    for (int t = FG_OBJECT; t < FG_TYPE_COUNT; t++) {
      if (t != FG_STRING) of[FG_JSONRPC][t] = FG_BIT(FG_JSONRPC_WRONG), of[FG_METHOD][t] = FG_BIT(FG_METHOD_TYPE);
      if (t != FG_OBJECT && t != FG_ARRAY) of[FG_PARAMS][t] = FG_BIT(FG_PARAMS_SCALAR);
      if (t != FG_OBJECT && t != FG_NULL) of[FG_RESULT][t] = FG_BIT(FG_RESULT_NOT_OBJECT), of[FG_ERROR][t] = FG_BIT(FG_ERROR_NOT_OBJECT);
    }
  }
};
constexpr TypeFacts kTypeFacts;

// Facts that make a frame that parses kind `invalid`; docs/facts.md section 1.
constexpr u64 kInvalid = FG_BIT(FG_TOP_SCALAR) | FG_BIT(FG_JSONRPC_MISSING) | FG_BIT(FG_JSONRPC_WRONG) | FG_BIT(FG_DUPLICATE_ENVELOPE) |
                         FG_BIT(FG_ID_BOOLEAN) | FG_BIT(FG_ID_CONTAINER) | FG_BIT(FG_METHOD_TYPE) | FG_BIT(FG_PARAMS_SCALAR) |
                         FG_BIT(FG_METHOD_AND_RESULT) | FG_BIT(FG_METHOD_AND_ERROR) | FG_BIT(FG_RESULT_AND_ERROR) |
                         FG_BIT(FG_NO_METHOD_RESULT_ERROR);

// The bits of a number that should be an integer: not integral, another spelling, beyond the bound.
inline u64 integer_facts(const NumberFacts& n, u64 not_integer, u64 other_literal, u64 beyond) {
  return n.integral ? (n.literal ? 0 : other_literal) | (n.beyond ? beyond : 0) : not_integer;
}

inline u64 id_facts(const Walk& w, const fg_envelope_value& id) {
  if (id.type == FG_STRING) return id.stop - id.start == 2 ? FG_BIT(FG_ID_EMPTY) : 0;
  if (id.type != FG_NUMBER) return 0;
  // Digits alone, at most 15 of them: the common case, an exact integer. (The walk counted them.)
  const u32 size = id.stop - id.start;
  if (FG_LIKELY(size == w.id_digits && size <= 15)) return 0;
  const u8* b = w.b;
  const char* const safe = "9007199254740992";  // 2^53
  return integer_facts(number_facts(b, id.start, id.stop, safe, safe), FG_BIT(FG_ID_NOT_INTEGER),
                       FG_BIT(FG_ID_NOT_INTEGER_LITERAL), FG_BIT(FG_ID_UNSAFE_INTEGER));
}

inline u64 jsonrpc_facts(const Walk& w, const fg_envelope_value& v) {
  if (v.type != FG_STRING) return 0;
  const u8* text = w.b + v.start + 1;
  if (FG_LIKELY(v.stop - v.start == 5 && text[0] == '2' && text[1] == '.' && text[2] == '0')) return 0;
  if (!v.escaped) return FG_BIT(FG_JSONRPC_WRONG);
  return FG_BIT(FG_ESCAPED_JSONRPC) | (says(w.b, v.start + 1, v.stop, "2.0") ? 0 : FG_BIT(FG_JSONRPC_WRONG));
}

inline u64 method_facts(const Walk& w, const fg_envelope_value& v) {
  if (v.type != FG_STRING) return 0;
  const u8* text = w.b + v.start;
  if (FG_UNLIKELY(v.escaped))
    return FG_BIT(FG_ESCAPED_METHOD) | (says(w.b, v.start + 1, v.stop, "rpc.", true) ? FG_BIT(FG_METHOD_RESERVED) : 0);
  return v.stop - v.start >= 6 && memcmp(text, "\"rpc.", 5) == 0 ? FG_BIT(FG_METHOD_RESERVED) : 0;
}

FG_COLD static u64 error_facts(Walk& w) {
  u64 bits = 0;
  if (w.code.type == FG_ABSENT) {
    bits |= FG_BIT(FG_ERROR_CODE_MISSING);
  } else if (w.code.type != FG_NUMBER) {
    bits |= FG_BIT(FG_ERROR_CODE_TYPE);
  } else {
    const NumberFacts n = number_facts(w.b, w.code.start, w.code.stop, "2147483647", "2147483648");
    bits |= integer_facts(n, FG_BIT(FG_ERROR_CODE_NOT_INTEGER), FG_BIT(FG_ERROR_CODE_NOT_INTEGER_LITERAL),
                          FG_BIT(FG_ERROR_CODE_OUT_OF_RANGE));
    w.f.has_error_code = n.integral && !n.beyond;
    if (w.f.has_error_code) w.f.error_code = static_cast<int32_t>(n.value);
  }
  if (w.message.type == FG_ABSENT) return bits | FG_BIT(FG_ERROR_MESSAGE_MISSING);
  return w.message.type == FG_STRING ? bits : bits | FG_BIT(FG_ERROR_MESSAGE_TYPE);
}

// Bits of the envelope of an object.
FG_INLINE u64 envelope_facts(Walk& w) {
  const fg_envelope_value* e = w.f.envelope;
  u64 bits = 0;
  for (int i = 0; i < FG_ENVELOPE_COUNT; i++) bits |= kTypeFacts.of[i][e[i].type];
  bits |= jsonrpc_facts(w, e[FG_JSONRPC]) | id_facts(w, e[FG_ID]) | method_facts(w, e[FG_METHOD]);
  const u64 method = e[FG_METHOD].count != 0, result = e[FG_RESULT].count != 0, error = e[FG_ERROR].count != 0;
  const u64 answer_without_id = (method ^ 1) & (e[FG_ID].count == 0);
  bits |= (answer_without_id & result) << FG_RESULT_WITHOUT_ID | (answer_without_id & (result ^ 1) & error) << FG_ERROR_WITHOUT_ID;
  bits |= (method & result) << FG_METHOD_AND_RESULT | (method & error) << FG_METHOD_AND_ERROR | (result & error) << FG_RESULT_AND_ERROR |
          ((method | result | error) ^ 1) << FG_NO_METHOD_RESULT_ERROR;
  if (FG_UNLIKELY(e[FG_ERROR].type == FG_OBJECT)) bits |= error_facts(w);
  return bits;
}

// The kind by presence: id 1, method 2, result 4, error 8. Mixed ones are invalid by their bits. docs/facts.md section 1.
constexpr u8 kKindByPresence[16] = {
    FG_INVALID,        FG_INVALID, FG_NOTIFICATION, FG_REQUEST, FG_INVALID, FG_SUCCESS, FG_INVALID, FG_INVALID,
    FG_ERROR_RESPONSE, FG_ERROR_RESPONSE, FG_INVALID, FG_INVALID, FG_INVALID, FG_INVALID, FG_INVALID, FG_INVALID};

FG_INLINE u8 envelope_kind(const fg_facts& f, u64 bits) {
  const fg_envelope_value* e = f.envelope;
  const u32 present = (e[FG_ID].count != 0) | (e[FG_METHOD].count != 0) << 1 | (e[FG_RESULT].count != 0) << 2 | (e[FG_ERROR].count != 0) << 3;
  return FG_UNLIKELY(bits & kInvalid) ? static_cast<u8>(FG_INVALID) : kKindByPresence[present];
}

// A frame that the walk accepted whole.
FG_INLINE void finish(Walk& w) {
  fg_facts& f = w.f;
  w.bits |= static_cast<u64>(w.b[w.stop - 1] == '\r') << FG_TRAILING_CR;
  if (FG_LIKELY(f.top == FG_OBJECT)) {
    w.bits |= envelope_facts(w);
    f.kind = envelope_kind(f, w.bits);
  } else if (f.top == FG_ARRAY) {
    w.bits |= FG_BIT(FG_TOP_ARRAY) | static_cast<u64>(f.items == 0) << FG_BATCH_EMPTY;
    f.kind = FG_BATCH;
  } else {
    w.bits |= FG_BIT(FG_TOP_SCALAR);
    f.kind = FG_INVALID;
  }
  f.bits = w.bits;
}

// A frame that a limit stopped: what was complete before is kept.
FG_COLD static void finish_limit(Walk& w, u8 limit, u32 at) {
  fg_facts& f = w.f;
  if (f.top == FG_OBJECT) w.bits |= envelope_facts(w);
  if (f.top == FG_ARRAY) w.bits |= FG_BIT(FG_TOP_ARRAY);
  f.bits = w.bits;
  f.fault = limit;
  f.fault_offset = at;
  f.kind = limit == FG_BATCH_TOO_LARGE ? FG_BATCH : FG_INVALID;
}

}  // namespace fg
