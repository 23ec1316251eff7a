// What gauges are compiled to, read from the text that gauges.py writes: for programs without Python.
//
// The numbers of a line stand in the order of core.h and of framegauge/native/shapes.pyx:
//   table SUSPICIOUS / row FACTS WITHOUT ANSWER RULE SEVERITY PLACE / code LOW HIGH RULE SEVERITY / fault NUMBER RULE
//   protocol SENDERS SELECTED INFOS ANY_RESULT ... / text HEX / spec, shape, member, case, method, error: one of each array
//   listed NAME: of a revision that the host has / own NAME: of the one that a frame may name itself
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core.h"

inline std::string whole_file(const char* path) {
  std::string text;
  FILE* file = fopen(path, "rb");
  char piece[65536];
  for (size_t n; file && (n = fread(piece, 1, sizeof piece, file)) > 0;) text.append(piece, n);
  if (!file || text.empty()) {
    fprintf(stderr, "%s is empty or cannot be read\n", path);
    exit(3);
  }
  fclose(file);
  return text;
}

// What one gauge is compiled to. The arrays of `protocol` are the vectors here.
struct Gauge {
  fg_table table;
  fg_protocol protocol;
  bool judges = false;  // there is a protocol
  std::string own;      // the revision that asks for it, or empty
  std::vector<std::string> said, versions;
  std::vector<fg_text> texts, listed;
  std::vector<fg_spec> specs;
  std::vector<fg_shape> shapes;
  std::vector<fg_shape_member> members;
  std::vector<fg_shape_case> cases;
  std::vector<fg_method_row> methods;
  std::vector<fg_error_data> errors;

  Gauge() {
    memset(&table, 0, sizeof table);
    memset(&protocol, 0, sizeof protocol);
    memset(table.by_fault, FG_NO_RULE, sizeof table.by_fault);
  }

  // The numbers of one line; false where there is no such line.
  bool add(const std::string& what, const std::vector<uint64_t>& n) {
    const auto b = [&](size_t i) { return uint8_t(n[i]); };
    const auto w = [&](size_t i) { return uint16_t(n[i]); };
    if (what == "row" && n.size() == 6) {
      table.rows[table.row_count++] = {n[0], n[1], int32_t(n[2]), b(3), b(4), b(5)};
    } else if (what == "code" && n.size() == 4) {
      table.codes[table.code_count++] = {int32_t(n[0]), int32_t(n[1]), b(2), b(3)};
    } else if (what == "fault" && n.size() == 2) {
      table.by_fault[n[0]] = b(1);
    } else if (what == "spec" && n.size() == 18) {
      specs.push_back({w(0), w(1), w(2), w(3), w(4), w(5), w(6), int32_t(n[7]), int32_t(n[8]), uint32_t(n[9]), b(10), b(11), b(12), b(13), b(14),
                       b(15), b(16), b(17)});
    } else if (what == "shape" && n.size() == 15) {
      shapes.push_back({n[0], n[1], w(2), w(3), w(4), w(5), w(6), w(7), w(8), w(9), b(10), b(11), b(12), w(13), n[14]});
    } else if (what == "member" && n.size() == 2) {
      members.push_back({w(0), w(1)});
    } else if (what == "case" && n.size() == 2) {
      cases.push_back({w(0), w(1)});
    } else if (what == "method" && n.size() == 6) {
      methods.push_back({b(0), b(1), b(2), b(3), w(4), w(5)});
    } else if (what == "error" && n.size() == 2) {
      errors.push_back({int32_t(n[0]), w(1)});
    } else if (what == "protocol" && n.size() == 42) {
      judges = true;
      fg_protocol& p = protocol;
      p.senders = b(0), p.selected[0] = n[1], p.selected[1] = n[2], p.infos[0] = n[3], p.infos[1] = n[4];
      p.any_result = w(5), p.any_error = w(6), p.params_text = w(7), p.extra_texts = w(8), p.extra_count = w(9);
      p.answers_from = b(10), p.requests_from = b(11);
      uint8_t* const own_rules[] = {&p.unknown_method, &p.other_revision, &p.wrong_direction, &p.with_id, &p.without_id, &p.unknown_param,
                                    &p.case_variant, &p.lookalike, &p.unlisted, &p.meta_key, &p.reserved_prefix, &p.trace_value,
                                    &p.extension_key, &p.deprecated, &p.text_copy};
      for (size_t i = 0; i < 15; i++) *own_rules[i] = b(12 + i);
      for (size_t i = 0; i < 3; i++) p.rules[i] = {b(27 + 3 * i), b(28 + 3 * i), b(29 + 3 * i)};
      p.reserved_label = b(36), p.trace_count = b(37), p.trace_texts = w(38), p.defined_texts = w(39), p.defined_count = w(40), p.text_block = w(41);
    } else {
      return false;
    }
    return true;
  }

  void add_text(const std::string& hex) {
    said.emplace_back();
    for (size_t i = 0; i + 1 < hex.size(); i += 2) said.back() += char(strtoul(hex.substr(i, 2).c_str(), nullptr, 16));
  }

  // Once all is there and nothing moves any more.
  void finish() {
    for (const std::string& name : versions) listed.push_back({name.c_str(), uint32_t(name.size()), 0});
    protocol.listed = listed.data(), protocol.listed_count = uint8_t(listed.size());
    for (const std::string& text : said) {
      uint64_t head = 0;
      memcpy(&head, text.data(), text.size() < 8 ? text.size() : 8);
      texts.push_back({text.c_str(), uint32_t(text.size()), head});
    }
    protocol.texts = texts.data(), protocol.specs = specs.data(), protocol.shapes = shapes.data(), protocol.members = members.data();
    protocol.cases = cases.data(), protocol.methods = methods.data(), protocol.errors = errors.data();
    protocol.error_count = uint32_t(errors.size());
  }
};

inline std::vector<std::unique_ptr<Gauge>> read_gauges(const std::string& text) {
  std::vector<std::unique_ptr<Gauge>> gauges;
  std::istringstream lines(text);
  for (std::string line, what, rest; std::getline(lines, line);) {
    std::istringstream words(line);
    words >> what;
    std::vector<uint64_t> numbers;
    if (what == "text" || what == "own" || what == "listed") {
      rest.clear();
      words >> rest;  // nothing is left of an empty text
      if (what == "text") gauges.back()->add_text(rest);
      else if (what == "own") gauges.back()->own = rest;
      else gauges.back()->versions.push_back(rest);
      continue;
    }
    while (words >> rest) {
      char* end;
      numbers.push_back(strtoull(rest.c_str(), &end, 10));
      if (*end) numbers.clear();  // refused below
    }
    if (what == "table" && numbers.size() == 1) {
      gauges.emplace_back(new Gauge);
      gauges.back()->table.suspicious = numbers[0];
    } else if (gauges.empty() || !gauges.back()->add(what, numbers)) {
      fprintf(stderr, "not a line of gauges: %.40s\n", line.c_str());
      exit(3);
    }
  }
  for (auto& gauge : gauges) gauge->finish();
  return gauges;
}

inline std::vector<std::unique_ptr<Gauge>> load_gauges(const char* path) { return read_gauges(whole_file(path)); }
