// The specs of methods and values, run over stage 1's index of a frame that parsed. docs/verdict.md section 6.
//
// Not recursive, nothing is allocated: shapes do not contain themselves, so FG_SHAPE_DEPTH levels are enough. Every token is visited once,
// and once more for each object around it whose shape one of its members selects.
#pragma once
#include "rules/formats.hpp"
#include "rules/meta_keys.hpp"
#include "frame/lookalikes.hpp"
#include "rules/tokens.hpp"

namespace fg {

constexpr u16 kNothing = FG_NOTHING;  // no such spec, shape or text
constexpr u64 kLook = u64(1) << (FG_LOOK - 64);
constexpr u64 kTextSeen = u64(1) << 63;  // beside the members seen: a block of text in an array of this object

class ShapeWalk : Tokens {
 public:
  ShapeWalk(const fg_protocol& protocol, const u8* data, u32 size, const u32* end, const fg_facts& facts, fg_found& found,
            fg_shape_place* places, ValuesRead* read)
      : Tokens(data, size, end, read), p_(protocol), facts_(facts), found_(found), places_(places) {}

  void report(u8 rule, bool error, u32 offset, u32 stop, u16 spec = kNothing, u16 member = kNothing) {
    const u64 bit = u64(1) << (rule & 63);
    if (!(p_.selected[rule >> 6] & bit)) return;
    found_.rules[rule >> 6] |= bit;
    if (error) found_.errors[rule >> 6] |= bit;
    else found_.warnings[rule >> 6] |= bit & ~p_.infos[rule >> 6];
    if (FG_LIKELY(!places_)) return;
    fg_shape_place& place = places_[rule];
    // The most severe comes first, then the first of them.
    const bool better = place.count == 0 || error > (place.error != 0) || (error == (place.error != 0) && offset < place.offset);
    if (place.count == 0 || error >= (place.error != 0)) place.count = error > (place.error != 0) ? 1 : place.count + 1;
    if (better) place.offset = offset, place.end = stop, place.spec = spec, place.member = member, place.error = error;
  }

  // Judges the value that token `at` starts. `open`: members that are not described are reported.
  void run(u16 spec, const u32* at, const fg_shape_rules& rules, u8 unknown) {
    t_ = at, depth_ = 0, rules_ = &rules;
    take(spec);
    while (depth_ && t_ < end_) {
      Level& level = levels_[depth_ - 1];
      const u8 c = first();
      if (c == ',') {
        t_++;
      } else if (c == '}' || c == ']') {
        t_++;
        if (level.object) close(level);
        else close_array(level);
        depth_--;
      } else if (level.object) {
        take_member(level, depth_ == 1 ? unknown : static_cast<u8>(FG_NO_RULE));
      } else {
        level.seen++;
        take(level.items);
      }
    }
  }

  // Params that must be there and are not, by the rules for the members that they must have; `at`: where the frame opens.
  FG_COLD void report_no_params(u16 spec, u32 at) {
    const u16 index = p_.specs[spec].shape;
    u64 missing = index == kNothing ? 0 : p_.shapes[index].required;
    bool plain = !missing;
    for (; missing; missing &= missing - 1) {
      const fg_shape_member& member = p_.members[p_.shapes[index].members + trailing_zeros(missing)];
      const u8 own = p_.specs[member.spec].missing_rule;
      if (own == FG_NO_RULE) plain = true;
      else report(own, true, at, at + 1, spec, p_.params_text);
    }
    if (plain) report(p_.rules[FG_IN_PARAMS].missing, true, at, at + 1, spec, p_.params_text);
  }

 private:
  struct Level {
    u64 seen;  // a bit for each member, or the number of items
    u32 at;
    u16 shape, each, items, array;  // array: the spec of one
    bool object;
  };

  // The index of the text among texts[first..first + count) that a string spells, or `count`.
  template <class IndexOf>
  u32 find_text(const Text& string, u32 count, IndexOf text) const {
    if (FG_UNLIKELY(string.broken())) return count;
    const u32 size = string.size();
    const u8* const at = string.bytes();
    const u64 head = key_words(at, size, string.room).head;
    for (u32 i = 0; i < count; i++) {
      const fg_text& other = p_.texts[text(i)];
      if (head == other.head && size == other.size && (size <= 8 || memcmp(at + 8, other.text + 8, size - 8) == 0)) return i;
    }
    if (FG_LIKELY(!memchr(at - 1, '\\', size + 1))) return count;
    for (u32 i = 0; i < count; i++)
      if (says(string.b, string.start + 1, string.stop, p_.texts[text(i)].text)) return i;
    return count;
  }

  void take_member(Level& level, u8 unknown) {
    const Text name = key();
    u16 spec = level.each;
    if (level.shape != kNothing) {
      const fg_shape& shape = p_.shapes[level.shape];
      const u32 i = find_text(name, shape.count, [&](u32 n) { return p_.members[shape.members + n].text; });
      if (i < shape.count) {
        spec = p_.members[shape.members + i].spec;
        level.seen |= u64(1) << i;
      } else {
        take_unknown(shape, name, unknown);
      }
    }
    t_ += 2;  // the key and its colon
    if (FG_LIKELY(t_ < end_)) take(spec);
  }

  // The key of a map, by the way it has to be spelt.
  FG_COLD void check_key(u8 keys, const Text& name) {
    const KeySpelling key(name.b, name.start + 1, name.stop);
    if (keys == FG_EXTENSION_KEYS) {
      if (!key.good || !key.prefixed) report(p_.extension_key, false, name.start, name.stop + 1);
    } else if (!key.good) {
      report(p_.meta_key, false, name.start, name.stop + 1);
    } else if (key.prefixed && (p_.reserved_label == FG_SECOND ? key.second : key.second_last)) {
      const bool defined = find_text(name, p_.defined_count, [&](u32 n) { return p_.defined_texts + n; }) < p_.defined_count;
      if (!defined) report(p_.reserved_prefix, false, name.start, name.stop + 1);
    } else {
      check_trace(name);
    }
  }

  // A key of _meta whose value W3C describes.
  void check_trace(const Text& name) {
    const u32 n = find_text(name, p_.trace_count, [&](u32 i) { return p_.trace_texts + i; });
    if (n == p_.trace_count || u64(end_ - t_) < 3) return;
    const u32* const key = t_;
    t_ += 2;
    if (first() != '"' || !is_trace(n, text())) report(p_.trace_value, false, *t_, value_end());
    t_ = key;
  }

  bool is_trace(u32 n, const Text& value) {
    if (read_) read_->worthless();  // hardly another line has the same one
    return is_trace_value(n, value.b, value.start + 1, value.stop);
  }

  // A key that the shape does not describe: nearly one that it does, or (`rule`, where that is one) worth a warning.
  FG_COLD void take_unknown(const fg_shape& shape, const Text& name, u8 rule) {
    if (!shape.count) {
      if (shape.keys) check_key(shape.keys, name);
      return;
    }
    const Folded key = folded(name.b, name.start + 1, name.stop, Folded::kRoom);
    for (u32 i = 0; key.size && i < shape.count; i++) {
      const fg_shape_member& member = p_.members[shape.members + i];
      if (member.spec != kNothing && key.is(p_.texts[member.text].text))
        return report(key.only_ascii_case ? p_.case_variant : p_.lookalike, true, name.start, name.stop + 1);
    }
    if (rule != FG_NO_RULE) report(rule, false, name.start, name.stop + 1);
    if (shape.keys) check_key(shape.keys, name);
  }

  // Judges the value at hand. What a spec requires of the text of a string or number is checked here alone, and by what number() and text()
  // hand out: it has been read before any check runs.
  void take(u16 index) {
    if (index == kNothing) return skip();
    const fg_spec& spec = p_.specs[index];
    const u32 p = *t_;
    const u8 type = kByte.type[first()];
    if (FG_UNLIKELY(!(spec.types >> type & 1))) {
      const u8 rule = spec.type_rule != FG_NO_RULE ? spec.type_rule : rules_->type;
      if (FG_LIKELY(!places_)) return report(rule, true, p, p + 1), skip();
      return report(rule, true, p, value_end(), index), skip();
    }
    if (FG_UNLIKELY(spec.types & FG_DEPRECATED)) report(p_.deprecated, false, p, places_ ? value_end() : p + 1);
    if (type == FG_OBJECT && (spec.shape != kNothing || spec.each != kNothing)) return open(spec);
    if (type == FG_ARRAY && spec.items != kNothing) return push({0, p, kNothing, kNothing, spec.items, index, false});
    if (type == FG_NUMBER && (spec.integer || spec.bounded)) check_number(spec, index, number());
    if (type == FG_STRING && spec.format) check_text(spec, index, text());
    skip();
  }

  void push(const Level& level) {
    if (FG_UNLIKELY(depth_ == FG_SHAPE_DEPTH)) return skip();  // the compiler of shapes lets none in that is deeper
    levels_[depth_++] = level;
    t_++;
  }

  void open(const fg_spec& spec) {
    u16 shape = spec.shape;
    while (shape != kNothing && p_.shapes[shape].tag != kNothing) {
      shape = told_shape(p_.shapes[shape]);
      if (shape == kNothing) return skip();
    }
    if (FG_UNLIKELY(shape != kNothing && p_.shapes[shape].look)) found_.rules[1] |= p_.selected[1] & kLook;
    if (shape == p_.text_block) see_text();
    push({0, *t_, shape, spec.each, kNothing, kNothing, true});
  }

  void see_text() {
    if (depth_ >= 2 && !levels_[depth_ - 1].object) levels_[depth_ - 2].seen |= kTextSeen;
  }

  void close(const Level& level) {
    if (level.shape == kNothing) return;
    const fg_shape& shape = p_.shapes[level.shape];
    for (u64 missing = shape.required & ~level.seen; FG_UNLIKELY(missing); missing &= missing - 1)
      report_missing(p_.members[shape.members + trailing_zeros(missing)], level.at);
    if (FG_UNLIKELY(shape.one_of && !(shape.one_of & level.seen)))
      report_missing(p_.members[shape.members + trailing_zeros(shape.one_of)], level.at);
    if (FG_UNLIKELY(shape.text_copy && (level.seen & (shape.text_copy | kTextSeen)) == shape.text_copy))
      report(p_.text_copy, false, level.at, level.at + 1, kNothing, shape.copied_to);
  }

  void close_array(const Level& level) {
    const fg_spec& spec = p_.specs[level.array];
    if (FG_UNLIKELY(level.seen > spec.most)) report(rules_->value, !(spec.mild & FG_MILD), level.at, t_[-1] + 1, level.array);
  }

  void report_missing(const fg_shape_member& member, u32 at) {
    const fg_spec& spec = p_.specs[member.spec];
    const u8 own = spec.missing_rule;
    report(own != FG_NO_RULE ? own : rules_->missing, !(spec.mild & FG_UNLESS_TASK) || !names_task(), at, at + 1, member.spec, member.text);
  }

  bool names_task() const { return meta_is_of_params(facts_) && has_member(facts_, FG_IN_META, kNameRelatedTask); }

  // The shape that the tag of the object at t_ selects. Reports and returns kNothing where it has none.
  u16 told_shape(const fg_shape& shape) {
    const u32* const start = t_;
    const u32 at = *start;
    u16 told = shape.fallback;
    bool found = false;
    for (t_++; t_ < end_ && first() != '}' && !found;) {
      if (first() == ',') t_++;
      if (t_ + 2 >= end_) break;
      found = find_text(key(), 1, [&](u32) { return shape.tag; }) == 0;
      t_ += 2;
      if (!found) skip();
    }
    if (found) {
      told = told_by_value(shape);
    } else if (told == kNothing) {
      report(rules_->missing, true, at, at + 1, shape.tag_spec, shape.tag);
    }
    t_ = start;
    return told;
  }

  u16 told_by_value(const fg_shape& shape) {
    if (first() != '"') {
      if (shape.otherwise == kNothing) report(rules_->type, true, *t_, value_end(), shape.tag_spec);
      return shape.otherwise;
    }
    const Text tag = text();
    const u32 i = find_text(tag, shape.case_count, [&](u32 n) { return p_.cases[shape.cases + n].text; });
    if (i < shape.case_count) {
      const u16 told = p_.cases[shape.cases + i].shape;
      if (FG_UNLIKELY(told == kNothing)) report(rules_->value, true, tag.start, tag.stop + 1);  // a value that others have
      return told;
    }
    if (shape.otherwise == kNothing) report_value(shape.value_rule, tag.start, tag.stop + 1, shape.tag_spec);
    return shape.otherwise;
  }

  void check_number(const fg_spec& spec, u16 index, const Number& n) {
    if (!n.stop) return;
    if (read_ && !spec.bounded && n.plain()) read_->integer(n.start);
    if (FG_UNLIKELY(spec.integer && !n.plain()) && !number_facts(n.b, n.start, n.stop, "0", "0").integral)
      report(spec.type_rule != FG_NO_RULE ? spec.type_rule : rules_->type, spec.integer == FG_INTEGER, n.start, n.stop, index);
    if (spec.bounded && !within(n.b, n.start, n.stop, spec.low, spec.high))
      report(rules_->value, !(spec.mild & FG_MILD), n.start, n.stop, index);
  }

  void check_text(const fg_spec& spec, u16 index, const Text& text) {
    if (FG_LIKELY(spec.format == FG_LISTED)) return check_listed(spec, index, text);
    if (FG_UNLIKELY(text.broken())) return;
    const Fit fit = spec.format == FG_BEGINS ? begins_as(spec, text) : format_fit(spec.format, text.b, text.start + 1, text.stop);
    if (read_) fit == kFits && spec.format != FG_BEGINS ? read_->fits(text.start, spec.format) : read_->worthless();
    if (FG_UNLIKELY(fit != kFits)) report(rules_->value, fit == kUnfit && !(spec.mild & FG_MILD), text.start, text.stop + 1, index);
  }

  Fit begins_as(const fg_spec& spec, const Text& text) const {
    for (u32 i = 0; i < spec.value_count; i++) {
      Characters characters(text.b, text.start + 1, text.stop);
      if (begins(characters, p_.texts[spec.values + i].text)) return kFits;
    }
    return kUnfit;
  }

  void check_listed(const fg_spec& spec, u16 index, const Text& text) {
    const u32 i = find_text(text, spec.known_count, [&](u32 n) { return spec.values + n; });
    if (FG_UNLIKELY(i >= spec.value_count))
      report_value(i < spec.known_count ? static_cast<u8>(FG_NO_RULE) : spec.value_rule, text.start, text.stop + 1, index);
    else if (FG_UNLIKELY(i < spec.deprecated))
      report(p_.deprecated, false, text.start, text.stop + 1);
  }

  void report_value(u8 warning, u32 p, u32 stop, u16 index) {
    if (warning == FG_NO_RULE) return report(rules_->value, true, p, stop, index);
    report(warning, false, p, stop, index);
  }

  const fg_protocol& p_;
  const fg_facts& facts_;
  fg_found& found_;
  fg_shape_place* const places_;  // by rule; null if findings are not required
  const fg_shape_rules* rules_ = nullptr;
  u32 depth_ = 0;
  Level levels_[FG_SHAPE_DEPTH];
};

// The row of a method, also of one that is written with escapes. `known`: its number, if it was looked up; or 0.
FG_INLINE u32 method_of(const fg_protocol& p, Keys& keys, const u8* b, u32 size, const fg_envelope_value& method, u32 known) {
  if (known) return known;
  const u32 at = method.start + 1;
  PlainKey plain = {b + at, method.stop - 1 - at};
  bool room = size - at > 8;
  if (FG_UNLIKELY(method.escaped)) {
    if (!plain_key(keys, b, at, method.stop - 1, plain)) return 0;
    room = true;
  }
  const u32 number = method_number(plain.text, plain.size, room);
  if (FG_LIKELY(number)) return number;
  for (u32 i = 0; i < p.extra_count; i++) {
    const fg_text& text = p.texts[p.extra_texts + i];
    if (text.size == plain.size && memcmp(text.text, plain.text, plain.size) == 0) return kMethodCount + 1 + i;
  }
  return 0;
}

// A request or notification. `start`: where its object opens.
inline void judge_call(const fg_protocol& p, ShapeWalk& walk, Keys& keys, const u8* b, u32 size, const fg_facts& f, u32 start, const u32* params,
                       u32 known) {
  const fg_envelope_value &method = f.envelope[FG_METHOD], &id = f.envelope[FG_ID];
  if (p.listed_count) {
    const fg_member* const version = unlisted_version(b, f, p.listed, p.listed_count);
    if (FG_UNLIKELY(version)) walk.report(p.unlisted, true, version->start, version->stop);
  }
  const fg_method_row& row = p.methods[method_of(p, keys, b, size, method, known)];
  const bool barred = f.kind == FG_REQUEST && !(p.requests_from & p.senders);  // whatever its method
  if (FG_UNLIKELY(barred || (row.kind && !(row.senders & p.senders)))) walk.report(p.wrong_direction, true, method.start, method.stop);
  if (FG_UNLIKELY(!row.kind)) {
    if (barred && row.elsewhere == FG_NO_FRAME) return;
    const bool error = row.elsewhere || f.kind == FG_REQUEST;
    return walk.report(row.elsewhere ? p.other_revision : p.unknown_method, error, method.start, method.stop);
  }
  if (FG_UNLIKELY(row.kind != f.kind)) {
    if (f.kind == FG_REQUEST) walk.report(p.with_id, true, id.start, id.stop);
    else walk.report(p.without_id, true, method.start, method.stop);
  }
  if (params) {
    if (row.params != kNothing) walk.run(row.params, params, p.rules[FG_IN_PARAMS], p.unknown_param);
  } else if (FG_UNLIKELY(row.params_required && !f.envelope[FG_PARAMS].count)) {
    walk.report_no_params(row.params, start);
  }
}

// Has the result, whatever it answers, a member that is described or nearly so, or must it have one?
inline bool says_of_any(const fg_protocol& p, const fg_facts& f) {
  if (p.any_result == kNothing) return false;
  const fg_shape& shape = p.shapes[p.specs[p.any_result].shape];
  if (shape.required || shape.tag != kNothing || f.bits & FG_BIT(FG_MEMBER_OVERFLOW)) return true;
  for (u32 i = 0; i < f.counts[FG_IN_RESULT]; i++)
    if (f.members[kGroupStart[FG_IN_RESULT] + i].name <= kNameMeta) return true;  // 0: a name that is not described
  return false;
}

inline void judge_answer(const fg_protocol& p, ShapeWalk& walk, const fg_facts& f, const u32* const values[3], u32 asked) {
  const fg_envelope_value& answer = f.envelope[f.kind == FG_SUCCESS ? FG_RESULT : FG_ERROR];
  if (FG_UNLIKELY(!(p.answers_from & p.senders))) walk.report(p.wrong_direction, true, answer.start, answer.stop);
  if (f.kind == FG_SUCCESS && values[FG_IN_RESULT]) {
    u16 spec = p.methods[asked].result;
    if (spec == kNothing && says_of_any(p, f)) spec = p.any_result;
    if (spec != kNothing) walk.run(spec, values[FG_IN_RESULT], p.rules[FG_IN_RESULT], FG_NO_RULE);
  } else if (values[FG_IN_ERROR]) {
    // The three members are not checked here; another name may resemble one of them.
    u16 spec = has_member(f, FG_IN_ERROR, 0) || f.bits & FG_BIT(FG_MEMBER_OVERFLOW) ? p.any_error : kNothing;
    for (u32 i = 0; f.has_error_code && i < p.error_count; i++)
      if (p.errors[i].code == f.error_code) spec = p.errors[i].spec;
    if (spec != kNothing) walk.run(spec, values[FG_IN_ERROR], p.rules[FG_IN_ERROR], FG_NO_RULE);
  }
}

// Judges a request, notification or response that parsed. `first`: its first token; `end`: one past its last; `values`: see Walk.
inline void judge_frame(const fg_protocol& p, Keys& keys, const u8* b, u32 size, const fg_facts& f, const u32* first, const u32* end,
                        const u32* const values[3], u32 known, u32 asked, fg_found& found, fg_shape_place* places, ValuesRead* read) {
  ShapeWalk walk(p, b, size, end, f, found, places, read);
  if (f.kind == FG_REQUEST || f.kind == FG_NOTIFICATION) {
    judge_call(p, walk, keys, b, size, f, *first, values[FG_IN_PARAMS], known);
  } else if (f.kind == FG_SUCCESS || f.kind == FG_ERROR_RESPONSE) {
    judge_answer(p, walk, f, values, asked);
  }
}

// The frame that this scratch saw last.
inline void judge_last(const fg_protocol& p, FrameScratch& s, const u8* b, u32 size, const fg_facts& f, u32 asked, fg_found& found, fg_shape_place* places,
                       ValuesRead* read) {
  if (f.kind < FG_REQUEST) return;  // an empty frame has no index
  const u32* const first = s.index.offsets();
  judge_frame(p, s.keys, b, size, f, first, first + s.index.count(), s.values, 0, asked, found, places, read);
}

}  // namespace fg
