// Stage 2: one walk over stage 1's index. Not recursive, no allocation per frame, every load inside the frame.
//
// Only well-formed frames get through; the walk does not say what is wrong with the others, faults.hpp does. It stops on its own
// at a limit. Offsets from the index are always inside the frame, and after the last one stand kSlack copies of it: the bracket loops
// look at the end once per element and may run over it by fewer than that many loads in between.
#pragma once
#include "core.h"
#include "keys.hpp"
#include "near_miss.hpp"
#include "numbers.hpp"
#include "simdjson_shim.hpp"

namespace fg {

// What the type of an envelope member says.
struct TypeFacts {
  u64 of[FG_ENVELOPE_COUNT][FG_TYPE_COUNT];
  constexpr TypeFacts() : of() {
    of[FG_ID][FG_NULL] = FG_BIT(FG_ID_NULL);
    of[FG_ID][FG_TRUE] = of[FG_ID][FG_FALSE] = FG_BIT(FG_ID_BOOLEAN);
    of[FG_ID][FG_OBJECT] = of[FG_ID][FG_ARRAY] = FG_BIT(FG_ID_CONTAINER);
    of[FG_ID][FG_STRING] = FG_BIT(FG_ID_STRING);
    of[FG_PARAMS][FG_ARRAY] = FG_BIT(FG_PARAMS_ARRAY);
    of[FG_RESULT][FG_NULL] = FG_BIT(FG_RESULT_NULL);
    of[FG_ERROR][FG_NULL] = FG_BIT(FG_ERROR_NULL);
    for (int t = FG_OBJECT; t < FG_TYPE_COUNT; t++) {
      if (t != FG_STRING) of[FG_JSONRPC][t] = FG_BIT(FG_JSONRPC_WRONG), of[FG_METHOD][t] = FG_BIT(FG_METHOD_TYPE);
      if (t != FG_OBJECT && t != FG_ARRAY) of[FG_PARAMS][t] = FG_BIT(FG_PARAMS_SCALAR);
      if (t != FG_OBJECT && t != FG_NULL) of[FG_RESULT][t] = FG_BIT(FG_RESULT_NOT_OBJECT), of[FG_ERROR][t] = FG_BIT(FG_ERROR_NOT_OBJECT);
    }
  }
};
constexpr TypeFacts kTypeFacts;

constexpr u32 kGroupStart[4] = {0, FG_ROOM_PARAMS, FG_ROOM_PARAMS + FG_ROOM_RESULT, FG_ROOM_PARAMS + FG_ROOM_RESULT + FG_ROOM_ERROR};
constexpr u32 kGroupRoom[4] = {FG_ROOM_PARAMS, FG_ROOM_RESULT, FG_ROOM_ERROR, FG_ROOM_META};

struct Walk {
  const u8* const b;
  const u32 size;         // bytes that may be loaded
  u32 stop;               // one past the frame; `size`, but for a line of a larger buffer
  const u32 few;          // keys of an object before the slow path: Keys::kFew or max_members
  const u32* next;        // the next offset of the index
  const u32* end;         // one past the last real one
  const fg_limits& limits;
  Keys& keys;
  fg_facts& f;
  u64 bits;       // copied to f.bits at the end
  u32 backslash;  // the next backslash that is not dealt with, or size
  u32 gap;        // from here on no raw newline was looked for
  u32 depth;      // levels open around the container at hand
  u32 limit_at;
  u32 digits;     // of the last number
  u32 id_digits;  // of the value of the first id, where that is a number
  u32 present;    // envelope members that were read: bit n is member n
  u8 limit;
  bool no_memory;
  bool meta_seen;            // the first _meta of params and result was met
  const Width width;
  fg_place* places;         // null, or FG_FACT_COUNT places to fill: findings ask for them, in a second walk
  const u32* values[3];           // the tokens that open params, result and error, where these are objects
  u32 key_at[FG_ENVELOPE_COUNT];  // opening quote of each envelope member's first key; set where it is present
  fg_member code, message;  // of the error object, also beyond the described room; set where their type is

  // Member by member: an aggregate of this size would be cleared with `rep stos`.
  Walk(StageOne& index, Keys& keys_, const u8* data, u32 size_, const fg_limits& limits_, fg_facts& facts)
      : b(data), size(size_), stop(size_), few(limits_.max_members < Keys::kFew ? limits_.max_members : Keys::kFew), next(index.offsets()),
        end(next + index.count()), limits(limits_), keys(keys_), f(facts), bits(0), gap(0),
        depth(0), limit_at(0), digits(0), id_digits(0), present(0), limit(FG_NO_FAULT), no_memory(false),
        meta_seen(false), width(g_width), places(nullptr), values{nullptr, nullptr, nullptr} {
    code.type = message.type = FG_ABSENT;
    keys.most = index.count() / 3 + 1;
    const u32 head = size < kHead ? size : kHead;
    const Prescan found = prescan(b, head, width);
    backslash = FG_LIKELY(found.backslash < head || head == size) ? found.backslash : find_backslash(b, head, size);
    gap = found.newline ? 0 : head;
  }

  // So much of a frame is searched for backslashes and newlines in one pass before the walk.
  static constexpr u32 kHead = 512;

  // A level deeper than any before: within the limit?
  bool reach(u32 level, u32 at) {
    if (level > limits.max_depth) return stop_at(FG_NESTING_LIMIT, at);
    f.depth = level;
    return true;
  }

  u32 stop_at(u8 rule, u32 at) {
    limit = rule, limit_at = at;
    return 0;
  }
};

// One more place of a fact; only in a walk that findings asked for.
FG_INLINE void note(Walk& w, u32 fact, u32 offset, u32 end) {
  if (FG_LIKELY(!w.places)) return;
  fg_place& place = w.places[fact];
  if (place.count++ == 0) place.offset = offset, place.end = end;
}

// Every unpaired surrogate escape of the string text from the backslash at p to its quote at q.
FG_COLD static void note_lone(Walk& w, u32 fact, u32 p, u32 q) {
  while ((p = find_backslash(w.b, p, q)) < q) {
    bool lone = false;
    const u32 end = escape_end(w.b, p, q, lone);
    if (!end) return;
    if (lone) note(w, fact, p, end);
    p = end;
  }
}

FG_COLD static void note_newlines(Walk& w, u32 from, u32 to) {
  for (u32 i = from; i < to; i++)
    if (w.b[i] == '\n' || w.b[i] == '\r') note(w, FG_RAW_NEWLINE, i, i + 1);
}

// Raw newlines can only stand between tokens. Long strings are left out of the search, so it costs little on text and blobs.
constexpr u32 kLongString = 512;

FG_NOINLINE static void search_gap(Walk& w, u32 to, u32 resume) {
  if (w.gap < to && has_newline(w.b, w.gap, to)) {
    w.bits |= FG_BIT(FG_RAW_NEWLINE);
    if (w.places) note_newlines(w, w.gap, to);
  }
  if (w.gap < resume) w.gap = resume;
}

// ---- one key -----------------------------------------------------------------------------------------------------------

// One past the closing quote of the string whose text starts at `at`.
FG_COLD static u32 string_end(const u8* b, u32 at, u32 stop) {
  while (at < stop && b[at] != '"') at += b[at] == '\\' ? 2 : 1;
  return at < stop ? at + 1 : stop;
}

// A doubled key whose text starts at `at`.
FG_COLD static void note_twin(Walk& w, u32 at) {
  if (w.places) note(w, FG_DUPLICATE_KEY, at - 1, string_end(w.b, at, w.size));
  if (w.f.duplicates++ == 0) {
    w.bits |= FG_BIT(FG_DUPLICATE_KEY);
    w.f.duplicate_offset = at - 1;
  }
}

// The key stack in registers while a container is walked: its memory, its end, and from where on a key of the innermost object takes the
// slow path.
struct KeyStack {
  Key* items;
  Key* top;
  Key* quick;

  explicit KeyStack(Keys& keys) : items(keys.stack.data()), top(items + keys.stack.size()), quick(items) {}

  FG_INLINE u32 size() const { return static_cast<u32>(top - items); }

  // An object opens with its keys at `base`. There is always room for the few that it may add quickly.
  FG_INLINE bool open(Walk& w, Object& o, u32 base) {
    o.filter = 0, o.base = base;
    if (FG_UNLIKELY(base + Keys::kFew > w.keys.stack.room()) && !grow(w, base)) return false;
    quick = top + w.few;
    return true;
  }

  // An object ends, and its keys are forgotten; `o` is the one around it.
  FG_INLINE void close(u32 base, const Object& o, u32 few) { top = items + base, quick = items + o.base + few; }

  // After the memory may have moved. `known`: members of `o` that are not on the stack, see Seen.
  FG_INLINE void read(Keys& keys, const Object& o, u32 few, u32 known = 0) {
    items = keys.stack.data();
    top = items + keys.stack.size();
    quick = items + o.base + (few > known ? few - known : 0);
  }

 private:
  FG_COLD bool grow(Walk& w, u32 size) {
    w.keys.stack.cut(size);
    if (!w.keys.stack.reserve(size + Keys::kFew)) return w.no_memory = true, false;
    items = w.keys.stack.data(), top = items + size;
    return true;
  }
};

constexpr u32 filter_bit(u64 print) { return static_cast<u32>(print >> 58); }

// The filter comes and goes by value: an object whose address is taken could not be kept in registers by the caller.
FG_NOINLINE static u64 add_key_slowly(Walk& w, Object o, u32 top, u32 at, u64 print, u32 known) {
  Keys& k = w.keys;
  Key key = {static_cast<u32>(print), at};
  k.stack.cut(top);
  const u32 count = top - o.base;
  if (count + known >= w.limits.max_members) return w.stop_at(FG_TOO_MANY_MEMBERS, key.at - 1);
  bool ok;
  const u32 twin = k.find(w.b, w.size, key, o, ok);
  if (!ok || !k.stack.push(key) || (count >= Keys::kFew && !twin && !k.insert(top))) return w.no_memory = true, 0;
  if (twin) note_twin(w, key.at);
  return o.filter | u64(1) << filter_bit(print);
}

FG_INLINE bool add_key(Walk& w, Object& o, KeyStack& k, u32 at, u64 print, u32 known = 0) {
  if (FG_UNLIKELY(o.filter >> filter_bit(print) & 1) || FG_UNLIKELY(k.top >= k.quick)) {
    o.filter = add_key_slowly(w, o, k.size(), at, print, known);
    k.read(w.keys, o, w.few, known);
    return o.filter != 0;
  }
  o.filter |= u64(1) << filter_bit(print);
  k.top->print = static_cast<u32>(print), k.top->at = at;
  k.top++;
  return true;
}

// The fingerprint of a key with escapes; no_memory is set where there is none.
FG_COLD static u64 escaped_print(Walk& w, u32 at) {
  PlainKey plain;
  if (!plain_key(w.keys, w.b, at, w.size, plain)) return w.no_memory = true, 0;
  return fingerprint(plain.text, plain.size, key_words(plain.text, plain.size, true));
}

FG_NOINLINE static u32 quote_before_blanks(const u8* b, u32 p, u32 next) {
  u32 q = next > p ? next - 1 : p;
  while (q > p && b[q] != '"') q--;
  return q;
}

// The closing quote of the string whose opening quote is at p, when the next token starts at `next`. p itself where there is none.
FG_INLINE u32 closing_quote(const u8* b, u32 p, u32 next) {
  return FG_LIKELY(next - p >= 2) && FG_LIKELY(b[next - 1] == '"') ? next - 1 : quote_before_blanks(b, p, next);
}

// Deals with the backslashes, from the first one, of the string that closes at q. Returns the next one behind it, 0 where an escape is bad.
FG_NOINLINE static u32 take_escapes(Walk& w, u32 backslash, u32 q) {
  bool lone = false;
  if (!escapes_ok(w.b, backslash, q, lone, w.width)) return 0;
  if (FG_UNLIKELY(lone)) {
    w.bits |= FG_BIT(FG_LONE_SURROGATE);
    if (w.places) note_lone(w, FG_LONE_SURROGATE, backslash, q);
  }
  return find_backslash(w.b, q + 1, w.size);
}

// The same for the walk's own backslash.
FG_INLINE bool take_own_escapes(Walk& w, u32 q) {
  const u32 next = take_escapes(w, w.backslash, q);
  w.backslash = next ? next : w.backslash;
  return next != 0;
}

// ---- containers nobody asked about ---------------------------------------------------------------------------------------

// An object with `count` keys on the stack and `known` others ends. The caller takes the keys off the stack.
FG_INLINE void close_object(Walk& w, const Object& o, u32 count, u32 known = 0) {
  w.f.largest_object = count + known > w.f.largest_object ? count + known : w.f.largest_object;
  if (FG_UNLIKELY(count > Keys::kFew)) w.keys.remove_from(o.base);
}

// A number, or false: broken, or beyond the limit.
FG_INLINE u32 take_number(Walk& w, u32 p, u32 next, u32& digits) {
  const u32 e = number_end(w.b, p, next, w.size, digits);
  if (FG_UNLIKELY(digits > w.f.longest_number)) {
    if (digits > w.limits.max_number_digits) return w.stop_at(FG_NUMBER_TOO_LONG, p);
    w.f.longest_number = digits;
  }
  return FG_LIKELY(e == next || (e && kByte.blank[w.b[e]])) ? e : 0;
}

FG_INLINE u32 take_number(Walk& w, u32 p, u32 next) {
  u32 digits;
  return take_number(w, p, next, digits);
}

FG_INLINE u32 take_literal(const u8* b, u32 p, u32 next, u8 type) {
  const u32 e = literal_end(b, p, next, type);
  return FG_LIKELY(e == next || (e && kByte.blank[b[e]])) ? e : 0;
}

// Up to where a key may be taken at a glance: no backslash before it, eight bytes to load from anywhere in it. `size`: see Walk.
FG_INLINE u32 plain_until(u32 backslash, u32 size) {
  const u32 room = size < 8 ? 0 : size - 8;
  return backslash < room ? backslash : room;
}

// Walks the container that opens at p. Returns one past its closing bracket, or 0.
//
// What comes most often - a short plain key with its colon behind it, a string, a comma - is taken in as few instructions as could be
// found: three in four of all frames' time is spent here. `next` is at the token behind p.
static u32 take_container(Walk& w, u32 p) {
  const u8* const b = w.b;
  const u32* next = w.next;
  const u32* const end = w.end;
  const u32 floor = w.depth;
  u32 backslash = w.backslash, plain = plain_until(backslash, w.size), depth = floor;
  Object o;
  KeyStack k(w.keys);
  // How far it came is told also where it gives up: the line scanner pays for lines that are read on into others.
  const auto give_up = [&]() -> u32 { return w.next = next, 0; };
  const auto escapes = [&](u32 q) -> bool {
    backslash = take_escapes(w, backslash, q);
    plain = plain_until(backslash, w.size);
    return backslash != 0;
  };
  if (b[p] != '{') goto open_array;

open_object:
  if (FG_UNLIKELY(++depth > w.f.depth && !w.reach(depth, p))) return give_up();
  if (FG_UNLIKELY(!w.keys.objects.push(o))) return w.no_memory = true, give_up();
  o.arrays = 0;
  if (FG_UNLIKELY(!k.open(w, o, k.size()))) return give_up();
  p = *next++;  // behind the index the bracket itself, which is neither
  if (FG_LIKELY(b[p] == '"')) goto key;
  if (b[p] == '}') goto close_object;
  return give_up();

open_array:
  if (FG_UNLIKELY(++depth > w.f.depth && !w.reach(depth, p))) return give_up();
  if (FG_UNLIKELY(next >= end)) return give_up();
  o.arrays++;
  p = *next++;
  if (b[p] == ']') goto close_array;
  goto item;

key : {
  const u32 colon = *next, size = colon - p - 2;
  u64 print;
  // Sizes below 0 are large ones.
  if (FG_LIKELY(colon <= plain) && FG_LIKELY(memcmp(b + colon - 1, "\":", 2) == 0) && FG_LIKELY(size <= ShortKeys::kMost)) {
    print = short_print(b + p + 1, size);
  } else {
    const u32 q = closing_quote(b, p, colon);
    if (FG_UNLIKELY(q == p)) return give_up();
    if (FG_UNLIKELY(backslash < q)) {
      if (!escapes(q)) return give_up();
      print = escaped_print(w, p + 1);
      if (w.no_memory) return give_up();
    } else {
      print = fingerprint(b + p + 1, q - p - 1, w.size - p > 8);
    }
    if (FG_UNLIKELY(b[colon] != ':')) return give_up();
  }
  if (FG_UNLIKELY(!add_key(w, o, k, p + 1, print))) return give_up();
  p = next[1];
  next += 2;
}
  // A chain, not a switch: the jump table's indirect branch was mispredicted more often than these.
  if (FG_LIKELY(b[p] == '"')) {
    const u32 stop = *next;
    if (FG_UNLIKELY(backslash < stop) && !escapes(closing_quote(b, p, stop))) return give_up();
    if (FG_UNLIKELY(stop - p >= kLongString)) search_gap(w, p, closing_quote(b, p, stop));
  } else {
    const u8 type = kByte.type[b[p]];
    if (type == FG_OBJECT) goto open_object;
    if (type == FG_ARRAY) goto open_array;
    if (FG_LIKELY(type == FG_NUMBER)) {
      if (FG_UNLIKELY(!take_number(w, p, *next))) return give_up();
    } else if (FG_UNLIKELY(type == FG_ABSENT || !take_literal(b, p, *next, type))) {
      return give_up();
    }
  }

  // Behind the index stand copies of its last offset. Neither a value's first byte nor a comma there can go on from here; only a closing
  // bracket could, so only closings look whether they are real.
after_member:
  p = *next;
  if (FG_LIKELY(b[p] == ',')) {
    p = next[1];
    next += 2;
    if (FG_LIKELY(b[p] == '"')) goto key;
    return give_up();
  }
  next++;
  if (FG_UNLIKELY(b[p] != '}')) return give_up();

close_object: {
  const u32 base = o.base;
  close_object(w, o, k.size() - base);
  if (FG_UNLIKELY(next > end)) return give_up();
  o = w.keys.objects.pop();
  k.close(base, o, w.few);
  if (FG_UNLIKELY(--depth == floor)) goto done;
  if (o.arrays == 0) goto after_member;
  goto after_item;
}

close_array:
  if (FG_UNLIKELY(next > end)) return give_up();
  o.arrays--;
  if (FG_UNLIKELY(--depth == floor)) goto done;
  if (o.arrays == 0) goto after_member;
  goto after_item;

done:
  w.next = next;
  w.backslash = backslash;
  w.keys.stack.cut(k.size());
  return p + 1;

item:
  if (FG_LIKELY(b[p] == '"')) {
    const u32 stop = *next;
    if (FG_UNLIKELY(backslash < stop) && !escapes(closing_quote(b, p, stop))) return give_up();
    if (FG_UNLIKELY(stop - p >= kLongString)) search_gap(w, p, closing_quote(b, p, stop));
  } else {
    const u8 type = kByte.type[b[p]];
    if (type == FG_OBJECT) goto open_object;
    if (type == FG_ARRAY) goto open_array;
    if (FG_LIKELY(type == FG_NUMBER)) {
      if (FG_UNLIKELY(!take_number(w, p, *next))) return give_up();
    } else if (FG_UNLIKELY(type == FG_ABSENT || !take_literal(b, p, *next, type))) {
      return give_up();
    }
  }

after_item:
  p = *next;
  if (FG_LIKELY(b[p] == ',')) {
    p = next[1];
    next += 2;
    goto item;
  }
  next++;
  if (FG_LIKELY(b[p] == ']')) goto close_array;
  return give_up();
}

// ---- the objects whose members are described -----------------------------------------------------------------------------

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

// The error object's own two members count wherever they stand, not only in the described room.
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
  u32 count = 0;  // keys with a known name, doubled ones included

  // Adds name `number`; was it there?
  FG_INLINE bool add(u32 number) {
    const u64 bit = u64(1) << (number & 63), word = words[number >> 6];
    words[number >> 6] = word | bit;
    return word & bit;
  }
};
static_assert(kNameCount < 128, "Seen holds 128 names");

// Deals with the escapes of one string and tells whether it holds a lone surrogate.
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

// ---- the top level -------------------------------------------------------------------------------------------------------

// One value of an array at the top; returns one past it, or 0.
FG_INLINE u32 take_element(Walk& w, u32 p) {
  const u8 type = kByte.type[w.b[p]];
  switch (type) {
    case FG_STRING: {
      const u32 q = closing_quote(w.b, p, *w.next);
      if (q == p || (w.backslash < *w.next && !take_own_escapes(w, q))) return 0;
      if (q - p >= kLongString) search_gap(w, p, q);
      return q + 1;
    }
    case FG_OBJECT:
    case FG_ARRAY:
      return take_container(w, p);
    case FG_NUMBER:
      return take_number(w, p, *w.next);
    case FG_ABSENT:
      return 0;
    default:
      return take_literal(w.b, p, *w.next, type);
  }
}

// The array that opens at p. Writes the spans of up to `room` elements.
static u32 take_batch(Walk& w, u32 p, u32* spans, u32 room) {
  const u8* const b = w.b;
  if (!w.reach(++w.depth, p)) return 0;
  if (w.next >= w.end) return 0;
  p = *w.next++;
  if (b[p] != ']') {
    for (;;) {
      if (w.f.items >= w.limits.max_batch_items && kByte.type[b[p]] != FG_ABSENT) return w.stop_at(FG_BATCH_TOO_LARGE, p);
      const u32 start = p, stop = take_element(w, p);
      if (!stop) return 0;
      if (w.f.items < room) spans[2 * w.f.items] = start, spans[2 * w.f.items + 1] = stop;
      w.f.items++;
      if (FG_UNLIKELY(w.next >= w.end)) return 0;
      p = *w.next++;
      if (b[p] == ']') break;
      if (b[p] != ',') return 0;
      p = *w.next++;
    }
  }
  w.depth--;
  return p + 1;
}

// A scalar at the top level: it has one token, and stage 1 does not tell where that ends.
static u32 take_scalar(Walk& w, u32 p) {
  u32 stop = w.stop;
  while (stop > p + 1 && kByte.blank[w.b[stop - 1]]) stop--;
  const u8 type = kByte.type[w.b[p]];
  if (type == FG_NUMBER) return take_number(w, p, stop) == stop ? stop : 0;
  if (type != FG_STRING) return type != FG_ABSENT && take_literal(w.b, p, stop, type) == stop ? stop : 0;
  if (stop - p < 2 || w.b[stop - 1] != '"') return 0;
  return w.backslash >= stop || take_own_escapes(w, stop - 1) ? stop : 0;
}

// The whole frame: true where it is one JSON text within the limits.
static bool take_frame(Walk& w, u32* spans, u32 room) {
  const u32 p = *w.next++;
  const u8 type = kByte.type[w.b[p]];
  w.f.top = type;
  if (FG_UNLIKELY(w.gap < p)) w.gap = p;  // blanks before the first token do not count
  u32 stop;
  if (FG_LIKELY(type == FG_OBJECT)) {
    stop = take_object<Level::kEnvelope>(w, p, 0);
  } else if (type == FG_ARRAY) {
    stop = take_batch(w, p, spans, room);
  } else {
    stop = w.next >= w.end || *w.next >= w.stop ? take_scalar(w, p) : 0;
  }
  if (!stop || stop > w.stop || (w.next < w.end && *w.next < w.stop)) return false;
  if (FG_UNLIKELY(w.gap < stop)) search_gap(w, stop, stop);
  return true;
}

}  // namespace fg
