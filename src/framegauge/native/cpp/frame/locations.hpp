// Where facts are seen: what the walk noted on its way, and the spans of the members that a fact is about.
#pragma once
#include "frame/envelope_facts.hpp"

namespace fg {

// Facts about the value of one envelope member.
struct MemberFact {
  u8 fact, member;
};
constexpr MemberFact kMemberFacts[] = {
    {FG_ESCAPED_JSONRPC, FG_JSONRPC}, {FG_ESCAPED_METHOD, FG_METHOD},   {FG_JSONRPC_WRONG, FG_JSONRPC},
    {FG_ID_NULL, FG_ID},              {FG_ID_BOOLEAN, FG_ID},           {FG_ID_CONTAINER, FG_ID},
    {FG_ID_STRING, FG_ID},            {FG_ID_EMPTY, FG_ID},             {FG_ID_NOT_INTEGER, FG_ID},
    {FG_ID_NOT_INTEGER_LITERAL, FG_ID}, {FG_ID_UNSAFE_INTEGER, FG_ID},  {FG_METHOD_TYPE, FG_METHOD},
    {FG_METHOD_RESERVED, FG_METHOD},  {FG_PARAMS_SCALAR, FG_PARAMS},    {FG_PARAMS_ARRAY, FG_PARAMS},
    {FG_RESULT_NULL, FG_RESULT},      {FG_RESULT_NOT_OBJECT, FG_RESULT}, {FG_ERROR_NULL, FG_ERROR},
    {FG_ERROR_NOT_OBJECT, FG_ERROR},
};

// Facts that two members occur together: the key of the later one.
struct PairFact {
  u8 fact, one, other;
};
constexpr PairFact kPairFacts[] = {{FG_METHOD_AND_RESULT, FG_METHOD, FG_RESULT},
                                   {FG_METHOD_AND_ERROR, FG_METHOD, FG_ERROR},
                                   {FG_RESULT_AND_ERROR, FG_RESULT, FG_ERROR}};

// Facts that something is missing in the envelope, and in the error object: the bracket that should hold it.
constexpr u8 kEnvelopeLacks[] = {FG_JSONRPC_MISSING, FG_ID_ABSENT, FG_METHOD_ABSENT, FG_NO_METHOD_RESULT_ERROR, FG_RESULT_WITHOUT_ID,
                                 FG_ERROR_WITHOUT_ID, FG_TOP_ARRAY, FG_BATCH_EMPTY};
constexpr u8 kErrorLacks[] = {FG_ERROR_CODE_MISSING, FG_ERROR_MESSAGE_MISSING};
constexpr u8 kCodeFacts[] = {FG_ERROR_CODE_TYPE, FG_ERROR_CODE_NOT_INTEGER, FG_ERROR_CODE_NOT_INTEGER_LITERAL, FG_ERROR_CODE_OUT_OF_RANGE};

inline void place_once(const Walk& w, u32 fact, u32 offset, u32 end) {
  if (!(w.f.bits & FG_BIT(fact))) return;
  w.places[fact].offset = offset, w.places[fact].end = end, w.places[fact].count = 1;
}

// After finish(): the places of what the walk itself did not note. `first` is the frame's first token.
inline void place_members(Walk& w, u32 first) {
  const fg_envelope_value* e = w.f.envelope;
  for (const MemberFact& m : kMemberFacts) place_once(w, m.fact, e[m.member].start, e[m.member].stop);
  for (const PairFact& pair : kPairFacts) {
    if (!(w.f.bits & FG_BIT(pair.fact))) continue;  // key_at is set only where the member is there
    const u32 later = w.key_at[pair.one] > w.key_at[pair.other] ? w.key_at[pair.one] : w.key_at[pair.other];
    place_once(w, pair.fact, later, string_end(w.b, later + 1, w.size));
  }
  for (const u8 fact : kEnvelopeLacks) place_once(w, fact, first, first + 1);
  for (const u8 fact : kErrorLacks) place_once(w, fact, e[FG_ERROR].start, e[FG_ERROR].start + 1);
  for (const u8 fact : kCodeFacts) place_once(w, fact, w.code.start, w.code.stop);
  if (w.f.bits & FG_BIT(FG_DUPLICATE_ENVELOPE)) w.places[FG_DUPLICATE_ENVELOPE] = w.places[FG_DUPLICATE_KEY];
  place_once(w, FG_ERROR_MESSAGE_TYPE, w.message.start, w.message.stop);
  place_once(w, FG_TRAILING_CR, w.stop - 1, w.stop);
  if (w.f.bits & FG_BIT(FG_TOP_SCALAR)) {
    u32 stop = w.stop;
    while (stop > first && kByte.blank[w.b[stop - 1]]) stop--;
    place_once(w, FG_TOP_SCALAR, first, stop);
  }
  // error.code's own span also where it is fine: rules on its number ask for it.
  if (w.f.has_error_code && w.places[FG_ERROR_CODE_OUT_OF_RANGE].count == 0)
    w.places[FG_ERROR_CODE_OUT_OF_RANGE] = {w.code.start, w.code.stop, 1};
}

}  // namespace fg
