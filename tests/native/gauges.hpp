// What gauges are compiled to, read from the text that gauges.py writes: for programs without Python.
//
//   row, code, spec, ... NAME=NUMBER ...: a row of FG_ROW_KINDS (layout.h), all its fields by name
//   table: begins another gauge / fault NUMBER RULE / senders N / selected N N / infos N N / text HEX
//   listed NAME: of a revision that the host has / own NAME: of the one that a frame may name itself
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
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

  // A row with all its fields by name; false for an unknown kind, and for a field that is unknown, missing or does not fit.
  bool add_row(const std::string& kind, const std::map<std::string, std::string>& fields) {
    for (const fg_row_kind& each : FG_ROW_KINDS) {
      if (kind != each.name) continue;
      void* const row = room(kind);
      if (!row || fields.size() != each.count) return false;
      for (uint32_t i = 0; i < each.count; i++) {
        const auto field = fields.find(each.fields[i].name);
        if (field == fields.end()) return false;
        const bool negative = field->second[0] == '-';
        char* end;
        const uint64_t bits = strtoull(field->second.c_str(), &end, 10);
        if (*end || field->second.empty() || !fg_set_field(row, &each.fields[i], bits, negative)) return false;
      }
      if (kind == "row") table.suspicious |= uint64_t(1) << table.rows[table.row_count - 1].place;
      return true;
    }
    return false;
  }

  // The numbers of any other line; false where there is no such line.
  bool add(const std::string& what, const std::vector<uint64_t>& n) {
    if (what == "fault" && n.size() == 2) {
      table.by_fault[n[0]] = uint8_t(n[1]);
    } else if (what == "senders" && n.size() == 1) {
      protocol.senders = uint8_t(n[0]);
    } else if (what == "selected" && n.size() == 2) {
      protocol.selected[0] = n[0], protocol.selected[1] = n[1];
    } else if (what == "infos" && n.size() == 2) {
      protocol.infos[0] = n[0], protocol.infos[1] = n[1];
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

 private:
  uint32_t places_ = 0;

  // Where the next row of that kind goes.
  void* room(const std::string& kind) {
    if (kind == "row") return table.row_count < FG_ROWS ? &table.rows[table.row_count++] : nullptr;
    if (kind == "code") return table.code_count < FG_CODE_ROWS ? &table.codes[table.code_count++] : nullptr;
    if (kind == "place") return places_ < 3 ? &protocol.rules[places_++] : nullptr;
    if (kind == "spec") return next(specs);
    if (kind == "shape") return next(shapes);
    if (kind == "member") return next(members);
    if (kind == "case") return next(cases);
    if (kind == "method") return next(methods);
    if (kind == "error") return next(errors);
    judges = true;
    return &protocol;
  }

  template <typename Row>
  static void* next(std::vector<Row>& rows) {
    rows.emplace_back();
    return &rows.back();
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
    std::map<std::string, std::string> fields;
    bool readable = true;
    while (words >> rest) {
      const size_t equal = rest.find('=');
      if (equal != std::string::npos) {
        readable = fields.emplace(rest.substr(0, equal), rest.substr(equal + 1)).second && readable;
        continue;
      }
      char* end;
      numbers.push_back(strtoull(rest.c_str(), &end, 10));
      readable = readable && !*end;
    }
    if (what == "table" && numbers.empty() && fields.empty()) {
      gauges.emplace_back(new Gauge);
    } else if (!readable || gauges.empty() || !(fields.empty() ? gauges.back()->add(what, numbers) : numbers.empty() && gauges.back()->add_row(what, fields))) {
      fprintf(stderr, "not a line of gauges: %.40s\n", line.c_str());
      exit(3);
    }
  }
  for (auto& gauge : gauges) gauge->finish();
  return gauges;
}

inline std::vector<std::unique_ptr<Gauge>> load_gauges(const char* path) { return read_gauges(whole_file(path)); }
