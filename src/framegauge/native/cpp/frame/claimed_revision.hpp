// The revision that a frame names itself: docs/verdict.md section 2.
#pragma once
#include "frame/walk.hpp"

namespace fg {

// The members whose text is read here, by the walk or for marks, whatever the rules are. Who keeps verdicts on lines compares them.
constexpr bool is_read_by_frame(u32 name) {
  return name == kNameRevision || name == kNameProtocolVersion || name == kNameCode || name == kNameResultType;
}

// The index of the name that equals a string value, or `count`.
FG_INLINE u32 which_name(const u8* b, u32 start, u32 stop, bool escaped, const fg_text* names, u32 count) {
  for (u32 i = 0; i < count; i++) {
    if (escaped ? says(b, start + 1, stop - 1, names[i].text)
                : stop - start - 2 == names[i].size && memcmp(b + start + 1, names[i].text, names[i].size) == 0)
      return i;
  }
  return count;
}

// The value of the first described member of that name.
template <u32 name>
FG_INLINE u32 named_in(const u8* b, const fg_facts& f, u32 group, const fg_own& own) {
  static_assert(is_read_by_frame(name), "a member whose text is read");
  for (u32 i = 0; i < f.counts[group]; i++) {
    const fg_member& m = f.members[kGroupStart[group] + i];
    if (m.name == name) return m.type == FG_STRING ? which_name(b, m.start, m.stop, m.escaped, own.names, own.count) : own.count;
  }
  return own.count;
}

FG_INLINE bool has_member(const fg_facts& f, u32 group, u32 name) {
  for (u32 i = 0; i < f.counts[group]; i++)
    if (f.members[kGroupStart[group] + i].name == name) return true;
  return false;
}

// Is the described _meta in params? It may be that of a result, and params have one that is not described.
FG_INLINE bool meta_is_of_params(const fg_facts& f) {
  if (!f.counts[FG_IN_META]) return false;
  const fg_envelope_value& params = f.envelope[FG_PARAMS];
  const u32 first = f.members[kGroupStart[FG_IN_META]].start;
  return params.start < first && first < params.stop;
}

// The version that a request names in _meta and that is none of these; or null.
FG_INLINE const fg_member* unlisted_version(const u8* b, const fg_facts& f, const fg_text* listed, u32 count) {
  static_assert(is_read_by_frame(kNameRevision), "a member whose text is read");
  if (f.kind != FG_REQUEST || !meta_is_of_params(f)) return nullptr;
  for (u32 i = 0; i < f.counts[FG_IN_META]; i++) {
    const fg_member& m = f.members[kGroupStart[FG_IN_META] + i];
    if (m.name == kNameRevision) return m.type == FG_STRING && which_name(b, m.start, m.stop, m.escaped, listed, count) == count ? &m : nullptr;
  }
  return nullptr;
}

inline u32 own_revision(const u8* b, const fg_facts& f, const fg_own& own) {
  static const fg_text initialize = {"initialize", 10, 0};
  if (f.fault) return own.count;
  u32 found = own.count;
  if (meta_is_of_params(f)) found = named_in<kNameRevision>(b, f, FG_IN_META, own);
  if (found != own.count) return found;
  const fg_envelope_value& method = f.envelope[FG_METHOD];
  if (f.kind == FG_REQUEST && which_name(b, method.start, method.stop, method.escaped, &initialize, 1) == 0)
    return named_in<kNameProtocolVersion>(b, f, FG_IN_PARAMS, own);
  return f.kind == FG_SUCCESS ? named_in<kNameProtocolVersion>(b, f, FG_IN_RESULT, own) : own.count;
}

}  // namespace fg
