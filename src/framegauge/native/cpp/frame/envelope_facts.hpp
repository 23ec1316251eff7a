// From what the walk saw to fact bits and the kind. Tables over the six members' types; no branch on a clean frame but the id's.
#pragma once
#include "frame/walk.hpp"

namespace fg {

// Facts that make a frame that parses kind `invalid`; docs/facts.md section 1.
constexpr u64 kInvalid = FG_BIT(FG_TOP_SCALAR) | FG_BIT(FG_JSONRPC_MISSING) | FG_BIT(FG_JSONRPC_WRONG) | FG_BIT(FG_DUPLICATE_ENVELOPE) |
                         FG_BIT(FG_ID_BOOLEAN) | FG_BIT(FG_ID_CONTAINER) | FG_BIT(FG_METHOD_TYPE) | FG_BIT(FG_PARAMS_SCALAR) |
                         FG_BIT(FG_METHOD_AND_RESULT) | FG_BIT(FG_METHOD_AND_ERROR) | FG_BIT(FG_RESULT_AND_ERROR) |
                         FG_BIT(FG_NO_METHOD_RESULT_ERROR);

// What follows from which members there are (bit n: member n). Mixed kinds are invalid by their bits; docs/facts.md section 1.
struct Presence {
  u64 bits = 0;
  u8 kind = 0;
};
struct PresenceTable {
  Presence of[1 << FG_ENVELOPE_COUNT];
  constexpr PresenceTable() : of() {
    const u32 absent[FG_ENVELOPE_COUNT] = {FG_JSONRPC_MISSING, FG_ID_ABSENT, FG_METHOD_ABSENT, FG_PARAMS_ABSENT, FG_RESULT_ABSENT, FG_ERROR_ABSENT};
    for (u32 present = 0; present < 1u << FG_ENVELOPE_COUNT; present++) {
      const bool id = present >> FG_ID & 1, method = present >> FG_METHOD & 1, result = present >> FG_RESULT & 1, error = present >> FG_ERROR & 1;
      Presence& p = of[present];
      for (u32 i = 0; i < FG_ENVELOPE_COUNT; i++)
        if (!(present >> i & 1)) p.bits |= FG_BIT(absent[i]);
      if (method && result) p.bits |= FG_BIT(FG_METHOD_AND_RESULT);
      if (method && error) p.bits |= FG_BIT(FG_METHOD_AND_ERROR);
      if (result && error) p.bits |= FG_BIT(FG_RESULT_AND_ERROR);
      if (!method && !result && !error) p.bits |= FG_BIT(FG_NO_METHOD_RESULT_ERROR);
      if (!method && !id && result) p.bits |= FG_BIT(FG_RESULT_WITHOUT_ID);
      if (!method && !id && !result && error) p.bits |= FG_BIT(FG_ERROR_WITHOUT_ID);
      p.kind = method ? (id ? FG_REQUEST : FG_NOTIFICATION) : error ? FG_ERROR_RESPONSE : result && id ? FG_SUCCESS : FG_INVALID;
    }
  }
  constexpr const Presence& operator[](u32 present) const { return of[present]; }
};
constexpr PresenceTable kPresence;

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
  u64 bits = kPresence[w.present].bits | jsonrpc_facts(w, e[FG_JSONRPC]) | id_facts(w, e[FG_ID]) | method_facts(w, e[FG_METHOD]);
  if (FG_UNLIKELY(e[FG_ERROR].type == FG_OBJECT)) bits |= error_facts(w);
  return bits;
}


// A frame that the walk accepted whole.
FG_INLINE void finish(Walk& w) {
  fg_facts& f = w.f;
  w.bits |= static_cast<u64>(w.b[w.stop - 1] == '\r') << FG_TRAILING_CR;
  if (FG_LIKELY(f.top == FG_OBJECT)) {
    w.bits |= envelope_facts(w);
    f.kind = FG_UNLIKELY(w.bits & kInvalid) ? static_cast<u8>(FG_INVALID) : kPresence[w.present].kind;
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
