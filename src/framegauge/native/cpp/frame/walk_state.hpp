// What a walk holds between its steps, what it notes on the way, and keys.
#pragma once
#include "core.h"
#include "json/keys.hpp"
#include "frame/lookalikes.hpp"
#include "json/numbers.hpp"
#include "json/simdjson_shim.hpp"

namespace fg {

// Facts of the type of an envelope member.
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
  u32 stop;               // one past the frame; `size`, except for a line of a larger buffer
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
  const u64* slashes;       // null, or the marks of a chunk: see next_backslash
  fg_member code, message;  // of the error object, also beyond the described room; set where their type is

  // Member by member: an aggregate of this size would be cleared with `rep stos`.
  Walk(StageOne& index, Keys& keys_, const u8* data, u32 size_, const fg_limits& limits_, fg_facts& facts, const u64* marked = nullptr)
      : b(data), size(size_), stop(size_), few(limits_.max_members < Keys::kFew ? limits_.max_members : Keys::kFew), next(index.offsets()),
        end(next + index.count()), limits(limits_), keys(keys_), f(facts), bits(0), gap(0),
        depth(0), limit_at(0), digits(0), id_digits(0), present(0), limit(FG_NO_FAULT), no_memory(false),
        meta_seen(false), width(g_width), places(nullptr), values{nullptr, nullptr, nullptr}, slashes(marked) {
    code.type = message.type = FG_ABSENT;
    keys.most = index.count() / 3 + 1;
    if (marked) {
      backslash = next_marked(marked, 0);
      return;
    }
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

// Raw newlines are only between tokens. Long strings are left out of the search, so it costs little on text and blobs.
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

// A repeated key whose text starts at `at`.
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

// The first backslash from `from` on, or w.size.
FG_INLINE u32 next_backslash(const Walk& w, u32 from) {
  if (!w.slashes) return find_backslash(w.b, from, w.size);
  return from < w.size ? next_marked(w.slashes, from) : w.size;
}

// Checks the escapes of the string that closes at q, from its first backslash on. Returns the next backslash behind it, 0 where one is bad.
FG_INLINE u32 check_escapes(const Walk& w, u32 p, u32 q, bool& lone) {
  if (!w.slashes || q - p >= kDense) return escapes_ok(w.b, p, q, lone, w.width) ? next_backslash(w, q + 1) : 0;
  do {
    p = escape_end(w.b, p, q, lone);
    if (FG_UNLIKELY(!p)) return 0;
    p = next_marked(w.slashes, p);
  } while (p < q);
  return p;
}

// Deals with the backslashes, from the first one, of the string that closes at q. Returns the next one behind it, 0 where an escape is bad.
FG_NOINLINE static u32 take_escapes(Walk& w, u32 backslash, u32 q) {
  bool lone = false;
  const u32 next = check_escapes(w, backslash, q, lone);
  if (FG_UNLIKELY(lone)) {
    w.bits |= FG_BIT(FG_LONE_SURROGATE);
    if (w.places) note_lone(w, FG_LONE_SURROGATE, backslash, q);
  }
  return next;
}

// The same for the walk's own backslash.
FG_INLINE bool take_own_escapes(Walk& w, u32 q) {
  const u32 next = take_escapes(w, w.backslash, q);
  w.backslash = next ? next : w.backslash;
  return next != 0;
}

}  // namespace fg
