// Arrays, and objects whose members are not described: most of the bytes of most frames.
#pragma once
#include "frame/walk_state.hpp"

namespace fg {

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
  // How far it came is reported also where it gives up: the line scanner pays for lines that are read on into others.
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

  // Copies of the last offset follow the index. Neither a value's first byte nor a comma there can go on from here; only a closing
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

}  // namespace fg
