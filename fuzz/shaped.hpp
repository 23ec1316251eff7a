// The judgements of every MCP revision and of `auto`, as protocols.py writes them; and edits of frames that stay JSON.
#pragma once
#include <random>
#include <string>

#include "../tests/native/gauges.hpp"
#include "native.hpp"

namespace fuzz {

#include "protocols.inc"

struct Judge {
  const char* name;
  const fg_table* table;
  const fg_protocol* protocol;
};

class Judges {
 public:
  const Judge& operator[](size_t i) const { return judges_[i]; }

  Judges() {
    for (size_t i = 0; i < kJudgeCount; i++) judges_[i] = {kJudgeNames[i], &gauges_.at(i)->table, &gauges_[i]->protocol};
  }

 private:
  const std::vector<std::unique_ptr<Gauge>> gauges_ = read_gauges(kGauges);
  Judge judges_[kJudgeCount];
};

static const Judges kJudges;

constexpr uint32_t kRevisions = kJudgeCount - 1;  // the last is auto
constexpr uint32_t kSenders = FG_FROM_CLIENT | FG_FROM_SERVER;

// A protocol as it is for frames of these senders.
inline fg_protocol sent_by(const Judge& judge, uint32_t senders) {
  fg_protocol protocol = *judge.protocol;
  protocol.senders = uint8_t(senders);
  return protocol;
}

// What `auto` needs beside its own tables: those of the revision that a frame names.
class Own {
 public:
  explicit Own(uint32_t senders) {
    for (uint32_t i = 0; i < kRevisions; i++) {
      texts_[i] = {kJudges[i].name, uint32_t(strlen(kJudges[i].name)), 0};
      tables_[i] = kJudges[i].table, made_[i] = sent_by(kJudges[i], senders), protocols_[i] = &made_[i];
    }
  }
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;
  fg_own c = {texts_, tables_, protocols_, kRevisions};

 private:
  fg_text texts_[kRevisions];
  const fg_table* tables_[kRevisions];
  fg_protocol made_[kRevisions];
  const fg_protocol* protocols_[kRevisions];
};

// Replaces, takes out or copies a value, member or item of a frame; or gives a string one of the texts that a revision knows.
class Edit {
 public:
  Edit(const uint8_t* data, size_t size, uint32_t seed) : text_(reinterpret_cast<const char*>(data), size), random_(seed) {
    fg_facts facts;
    kernels().front().use();
    if (fg_classify(data, size, &fg::kUnlimited, &facts) != FG_OK || facts.fault || facts.kind < FG_BATCH) return;
    const fg::StageOne& index = fg::t_scratch->index;
    tokens_.assign(index.offsets(), index.offsets() + index.count());
    tokens_.push_back(uint32_t(size));
  }

  // The frame after one edit; as it was where it is no JSON.
  std::string made() {
    if (tokens_.size() < 4) return text_;
    const size_t at = random(tokens_.size() - 1), from = random(tokens_.size() - 1);
    const char c = byte(at);
    if (c == ':' || c == ',' || c == '}' || c == ']') return text_;
    if (is_start(at) && random(3) == 0) return changed(at, from);
    return replaced(at, after(at), is_key(at) || (c == '"' && random(2)) ? string() : value(from));
  }

 private:
  size_t random(size_t below) { return random_() % below; }
  char byte(size_t token) const { return tokens_[token] < text_.size() ? text_[tokens_[token]] : 0; }
  bool is_key(size_t token) const { return byte(token) == '"' && byte(token + 1) == ':'; }

  // Does a member or an item start here?
  bool is_start(size_t token) const {
    const char before = token ? byte(token - 1) : 0, c = byte(token);
    return (before == '{' || before == '[' || before == ',') && c != '}' && c != ']';
  }

  // The token behind the value, member or item that starts here.
  size_t after(size_t token) const {
    int depth = 0;
    do {
      const char c = byte(token++);
      depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    } while (token + 1 < tokens_.size() && (depth > 0 || byte(token) == ':' || byte(token - 1) == ':'));
    return token;
  }

  std::string said(size_t from, size_t to) const { return text_.substr(tokens_[from], tokens_[to] - tokens_[from]); }
  std::string replaced(size_t from, size_t to, const std::string& by) const {
    const size_t stop = is_key(from) ? tokens_[from + 1] : tokens_[to];  // of a member the key alone
    return text_.substr(0, tokens_[from]) + by + text_.substr(stop);
  }

  // A member or item is taken out, or another is put before it.
  std::string changed(size_t at, size_t from) {
    const size_t end = after(at);
    if (random(2) && is_start(from) && is_key(from) == is_key(at))
      return text_.substr(0, tokens_[at]) + said(from, after(from)) + "," + text_.substr(tokens_[at]);
    if (byte(end) == ',') return text_.substr(0, tokens_[at]) + text_.substr(tokens_[end + 1]);
    return text_.substr(0, tokens_[byte(at - 1) == ',' ? at - 1 : at]) + text_.substr(tokens_[end]);
  }

  std::string value(size_t from) {
    static const char* const kValues[] = {"null", "true", "7", "1.5", "2e0", "-0", "{}", "[]", "[{}]", "{\"x\":1}", "\"\""};
    const size_t i = random(sizeof kValues / sizeof kValues[0] + 4);
    if (i < sizeof kValues / sizeof kValues[0]) return kValues[i];
    const char c = byte(from);
    return c && c != ',' && c != ':' && c != '}' && c != ']' && !is_key(from) ? said(from, after(from)) : string();
  }

  // A known text; now and then spelled with an escape, or only nearly right.
  std::string string() {
    const fg_protocol& p = *kJudges[random(kJudgeCount)].protocol;
    const size_t most = p.extra_texts + p.extra_count;  // these come last
    const size_t chance = random(8);
    if (chance < 2) return "\"" + std::string(kTexts[random(sizeof kTexts / sizeof kTexts[0])]) + "\"";
    const std::string known = chance < 6 ? p.texts[random(most)].text : fg_method(1 + uint32_t(random(fg::kMethodCount)));
    const size_t at = known.empty() ? 0 : random(known.size());
    std::string other = known;
    char escape[8];
    switch (known.empty() ? 9 : random(10)) {
      case 0:
        snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned char>(known[at]));
        other.replace(at, 1, escape);
        break;
      case 1: other[at] = char(other[at] ^ 32); break;
      case 2: other.insert(at, "\\u200b"); break;
      case 3: other.erase(at, 1); break;
      default: break;
    }
    return "\"" + other + "\"";
  }

  std::string text_;
  std::minstd_rand random_;
  std::vector<uint32_t> tokens_;
};

}  // namespace fuzz

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

// Half the time libFuzzer's own mutations, else an edit of one line, and now and then of the choices before the frame.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace fuzz;
  if (size <= kHeader || seed % 2) return LLVMFuzzerMutate(data, size, most);
  if (seed % 8 == 0) data[seed / 8 % kHeader] = uint8_t(seed / 16);
  const std::string whole(reinterpret_cast<char*>(data) + kHeader, size - kHeader);
  const size_t at = seed / 2 % whole.size(), newline = at ? whole.rfind('\n', at - 1) : std::string::npos;
  const size_t start = newline == std::string::npos ? 0 : newline + 1, hit = whole.find('\n', start);
  const size_t stop = hit == std::string::npos ? whole.size() : hit;
  const std::string line = Edit(data + kHeader + start, stop - start, seed).made();
  const std::string made = whole.substr(0, start) + line + whole.substr(stop);
  if (made == whole || made.size() + kHeader > most) return LLVMFuzzerMutate(data, size, most);
  memcpy(data + kHeader, made.data(), made.size());
  return kHeader + made.size();
}
