// The objects whose members are described: the envelope, params, result, error and their _meta.
#pragma once
#include "frame/walk_values.hpp"

namespace fg {

// What one described object does with its members: the envelope, an object one level below it, or a _meta.
enum class Level { kEnvelope, kMembers, kMeta };

template <Level level>
static u32 take_object(Walk& w, u32 p, u32 group);

// A member that is being read.
struct Slot {
  u32 name;    // envelope member or name number
  bool first;  // the first of that name, where that matters: in the envelope, and for _meta
};

FG_COLD static u32 escaped_name(Walk& w, Level level, u32 at) {
  PlainKey plain;
  if (!plain_key(w.keys, w.b, at, w.size, plain)) return w.no_memory = true, 0;
  const KeyWords words = key_words(plain.text, plain.size, true);
  if (level == Level::kEnvelope) return envelope_member(plain.size, words);
  return name_number(plain.text, plain.size, words);
}

// The envelope member that the key at p most likely is: plain, with 8 bytes to look at. FG_ENVELOPE_COUNT where it is not so simple.
FG_INLINE u32 usual_member(const u8* b, u32 p, u32 size) {
  if (FG_UNLIKELY(size - p <= 8)) return FG_ENVELOPE_COUNT;
  const u64 text = load8(b + p + 1);
  const EnvelopeKey& key = kEnvelopeKeys.by_letter[text & 31];
  return FG_LIKELY((text & key.mask) == key.text) ? key.member : u32(FG_ENVELOPE_COUNT);
}

FG_INLINE u32 take_value_container(Walk& w, u32 p, u8 type, Level level, const Slot& slot) {
  if (type == FG_OBJECT && slot.first) {
    if (level == Level::kEnvelope && slot.name >= FG_PARAMS && slot.name <= FG_ERROR) {
      w.values[slot.name - FG_PARAMS] = w.next - 1;
      return take_object<Level::kMembers>(w, p, slot.name - FG_PARAMS);
    }
    if (level == Level::kMembers)
      return take_object<Level::kMeta>(w, p, FG_IN_META);
  }
  return take_container(w, p);
}

FG_INLINE void describe_envelope(Walk& w, const Slot& slot, u8 type, u32 start, u32 stop, bool escaped) {
  fg_envelope_value& value = w.f.envelope[slot.name];
  value.count++;
  if (FG_UNLIKELY(!slot.first)) {
    w.bits |= FG_BIT(FG_DUPLICATE_ENVELOPE);
    return;
  }
  w.present |= 1u << slot.name;
  w.bits |= kTypeFacts.of[slot.name][type];
  value.start = start, value.stop = stop, value.type = type, value.escaped = escaped;
  w.id_digits = slot.name == FG_ID ? w.digits : w.id_digits;
}

// The error object's own two members count anywhere, not only in the described room.
static void note_error_member(Walk& w, const Slot& slot, u8 type, u32 start, u32 stop) {
  fg_member* m = slot.name == kNameCode ? &w.code : slot.name == kNameMessage ? &w.message : nullptr;
  if (m && m->type == FG_ABSENT) m->start = start, m->stop = stop, m->type = type;
}

FG_INLINE bool tells_revision(u32 name) { return name == kNameMeta || name == kNameProtocolVersion || name == kNameRevision; }

// Padding must not hide the revision that a frame names: without room, the first member of such a name takes the place of the last one of
// another.
FG_COLD static void describe_without_room(Walk& w, u32 group, const fg_member& late) {
  fg_member* const members = w.f.members + kGroupStart[group];
  const u32 room = kGroupRoom[group];
  u32 gone = room;
  for (u32 i = 0; i < room; i++) {
    if (members[i].name == late.name) return;
    if (!tells_revision(members[i].name)) gone = i;
  }
  if (gone == room) return;
  for (; gone + 1 < room; gone++) members[gone] = members[gone + 1];
  members[gone] = late;
}

FG_INLINE void describe_member(Walk& w, u32 group, const Slot& slot, u8 type, u32 start, u32 stop, bool escaped) {
  if (group == FG_IN_ERROR) note_error_member(w, slot, type, start, stop);
  u8& count = w.f.counts[group];
  const fg_member member = {start, stop, static_cast<uint16_t>(slot.name), type, escaped};
  if (FG_LIKELY(count != kGroupRoom[group])) {
    w.f.members[kGroupStart[group] + count++] = member;
    return;
  }
  w.bits |= FG_BIT(FG_MEMBER_OVERFLOW);
  if (FG_UNLIKELY(slot.name && tells_revision(slot.name))) describe_without_room(w, group, member);
}

// The protocol names that one described object had so far. A name is known by its number, so its double is found without a
// fingerprint; only other keys take the general way.
struct Seen {
  u64 words[2] = {0, 0};
  u32 count = 0;  // keys with a known name, duplicates included

  // Adds name `number`; was it there?
  FG_INLINE bool add(u32 number) {
    const u64 bit = u64(1) << (number & 63), word = words[number >> 6];
    words[number >> 6] = word | bit;
    return word & bit;
  }
};
static_assert(kNameCount < 128, "Seen holds 128 names");

// Deals with the escapes of one string and returns whether it has a lone surrogate.
FG_COLD static bool take_escapes_noting(Walk& w, u32 q, bool& lone) {
  const u64 before = w.bits;
  w.bits &= ~FG_BIT(FG_LONE_SURROGATE);
  const bool ok = take_own_escapes(w, q);
  lone = (w.bits & FG_BIT(FG_LONE_SURROGATE)) != 0;
  w.bits |= before;
  return ok;
}

// A key with a backslash, from its quote at p to its quote at q.
template <Level level>
FG_COLD static bool take_escaped_key(Walk& w, u32 p, u32 q, Slot& slot) {
  constexpr u32 unknown = level == Level::kEnvelope ? u32(FG_ENVELOPE_COUNT) : 0;
  bool lone;
  const u32 first = w.backslash;
  if (!take_escapes_noting(w, q, lone)) return false;
  if (level == Level::kEnvelope && lone) {
    w.bits |= FG_BIT(FG_LONE_SURROGATE_KEY);
    note_lone(w, FG_LONE_SURROGATE_KEY, first, q);
  }
  slot.name = escaped_name(w, level, p + 1);
  if (slot.name != unknown) {
    w.bits |= FG_BIT(FG_ESCAPED_KEY);
    note(w, FG_ESCAPED_KEY, p, q + 1);
  }
  return !w.no_memory;
}

// A string value with a backslash that closes at q. Lone surrogates count double where the text is compared.
template <Level level>
FG_NOINLINE static bool take_escaped_value(Walk& w, u32 q, const Slot& slot) {
  if (level != Level::kEnvelope || !slot.first) return take_own_escapes(w, q);
  bool lone;
  const u32 first = w.backslash;
  const bool ok = take_escapes_noting(w, q, lone);
  if (lone && (slot.name == FG_ID || slot.name == FG_METHOD)) {
    const u32 fact = slot.name == FG_ID ? FG_LONE_SURROGATE_ID : FG_LONE_SURROGATE_METHOD;
    w.bits |= FG_BIT(fact);
    note_lone(w, fact, first, q);
  }
  return ok;
}

template <Level level>
static u32 take_object(Walk& w, u32 p, u32 group) {
  constexpr bool envelope = level == Level::kEnvelope;
  constexpr u32 unknown = envelope ? u32(FG_ENVELOPE_COUNT) : 0;
  Seen seen;
  const u8* const b = w.b;
  const u32* const end = w.end;
  const u32* next = w.next;  // in a register: the walk is a chain of loads through it
  if (FG_UNLIKELY(++w.depth > w.f.depth && !w.reach(w.depth, p))) return 0;
  Object o;
  KeyStack k(w.keys);
  if (FG_UNLIKELY(!k.open(w, o, w.keys.stack.size())) || FG_UNLIKELY(next >= end)) return 0;
  p = *next++;
  if (b[p] == '}') goto closing;
  for (;;) {
    if (FG_UNLIKELY(b[p] != '"')) return 0;
    Slot slot = {unknown, false};
    if (envelope) slot.name = usual_member(b, p, w.size);
    if (FG_UNLIKELY(!envelope || slot.name == unknown)) {  // a key of which the end is not known
      const u32 q = closing_quote(b, p, *next);
      if (FG_UNLIKELY(q == p)) return 0;
      const u32 size = q - p - 1;
      if (FG_UNLIKELY(w.backslash < q)) {
        if (!take_escaped_key<level>(w, p, q, slot)) return 0;
        if (slot.name == unknown && (!add_key(w, o, k, p + 1, escaped_print(w, p + 1), seen.count) || w.no_memory)) return 0;
      } else {
        const KeyWords words = key_words(b + p + 1, size, w.size - p > 8);
        slot.name = envelope ? envelope_member(size, words) : name_number(b + p + 1, size, words);
        if (slot.name == unknown && !add_key(w, o, k, p + 1, fingerprint(b + p + 1, size, words), seen.count)) return 0;
      }
      if (envelope && slot.name == unknown) {
        const u32 fact = near_miss(b, p + 1, size, w.size);
        w.bits |= FG_BIT(fact);
        note(w, fact, p, q + 1);
      }
    }
    if (FG_LIKELY(slot.name != unknown)) {
      seen.count++;
      if (FG_LIKELY(k.top < k.quick)) {
        k.quick--;
      } else if (k.size() - o.base + seen.count > w.limits.max_members) {
        return w.stop_at(FG_TOO_MANY_MEMBERS, p);
      }
      if (FG_UNLIKELY(envelope ? w.f.envelope[slot.name].count != 0 : seen.add(slot.name))) {
        note_twin(w, p + 1);
      } else if (envelope) {
        slot.first = true;
        w.key_at[slot.name] = p;
      } else if (level == Level::kMembers && slot.name == kNameMeta) {
        slot.first = group != FG_IN_ERROR && !w.meta_seen;
        w.meta_seen |= slot.first;
      }
    }
    if (FG_UNLIKELY(b[*next++] != ':')) return 0;
    p = *next++;
    const u32 start = p;
    const bool backslash = w.backslash < *next;
    const u8 type = kByte.type[b[p]];
    u32 stop;
    bool escaped = false;
    if (b[p] == '"') {
      const u32 q = closing_quote(b, p, *next);
      if (FG_UNLIKELY(q == p)) return 0;
      if (FG_UNLIKELY(backslash)) {
        escaped = true;
        if (!take_escaped_value<level>(w, q, slot)) return 0;
      }
      if (FG_UNLIKELY(q - p >= kLongString)) search_gap(w, p, q);
      stop = q + 1;
    } else if (type == FG_OBJECT || type == FG_ARRAY) {
      w.next = next;
      w.keys.stack.cut(k.size());
      stop = take_value_container(w, p, type, level, slot);
      next = w.next;
      k.read(w.keys, o, w.few, seen.count);
    } else if (type == FG_NUMBER) {
      stop = take_number(w, p, *next, w.digits);
    } else {
      stop = type == FG_ABSENT ? 0 : take_literal(b, p, *next, type);
    }
    if (FG_UNLIKELY(!stop)) return w.next = next > w.next ? next : w.next, 0;
    if (envelope) {
      if (FG_LIKELY(slot.name != unknown)) describe_envelope(w, slot, type, start, stop, escaped);
    } else {
      describe_member(w, group, slot, type, start, stop, escaped);
    }
    p = *next++;
    if (FG_LIKELY(b[p] == ',')) {
      p = *next++;
      continue;
    }
    if (FG_UNLIKELY(b[p] != '}')) return 0;
    break;
  }
closing:
  if (FG_UNLIKELY(next > end)) return 0;  // behind the index: see take_container
  close_object(w, o, k.size() - o.base, seen.count);
  w.keys.stack.cut(o.base);
  w.depth--;
  w.next = next;
  return p + 1;
}

}  // namespace fg
