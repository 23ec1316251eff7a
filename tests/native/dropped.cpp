// Rows of lines that are alike, beside the rows of each line alone, in builds that forget what the rules have read.
//
//   dropped TABLES BUFFERS SWITCHES
//
// TABLES: compiled gauges, see gauges.hpp. BUFFERS: buffers of lines, each after its size as 4 little-endian bytes.
// g_dropped, which the build declares before all sources, is the number of the call that is left out; 0: none. Prints
// for 0 to SWITCHES: the number, the rows that differ from those of the line alone, and the lines that were not walked.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core.h"
#include "gauges.hpp"

struct Row {
  uint64_t facts, rules[2];
  uint32_t fault, fault_offset, kind, method, marks, id_start, id_stop, method_start, method_stop;
  uint32_t filler = 0;  // so that all bytes are compared
  bool operator==(const Row& other) const { return memcmp(this, &other, sizeof other) == 0; }
};

struct Rows {
  std::vector<Row> of;
  uint64_t known = 0;
};

static void add_rows(Rows& rows, const Gauge& gauge, const fg_own* claimed, const char* data, size_t size) {
  fg_columns c;
  memset(&c, 0, sizeof c);
  const fg_protocol* const protocol = gauge.judges ? &gauge.protocol : nullptr;
  const uint8_t* const bytes = reinterpret_cast<const uint8_t*>(data);
  if (fg_lines(bytes, size, nullptr, &gauge.table, protocol, claimed, 1 << 18, &c) != FG_OK) exit(3);
  for (uint64_t i = 0; i < c.count; i++)
    rows.of.push_back({c.facts[i], {c.rules[2 * i], c.rules[2 * i + 1]}, c.fault[i], c.fault_offset[i], c.kind[i],
                       c.method[i], c.marks[i],
                       c.id_start[i], c.id_stop[i], c.method_start[i], c.method_stop[i]});
  rows.known += c.known;
  fg_free_columns(&c);
}

static std::vector<std::string> load_buffers(const char* path) {
  const std::string text = whole_file(path);
  std::vector<std::string> buffers;
  for (size_t at = 0; at + 4 <= text.size(); at += 4 + buffers.back().size()) {
    uint32_t size;
    memcpy(&size, text.data() + at, 4);
    buffers.push_back(text.substr(at + 4, size));
  }
  return buffers;
}

// Each line in a call of its own: nothing is known of it there.
static Rows alone(const Gauge& gauge, const fg_own* claimed, const std::string& buffer) {
  Rows rows;
  for (size_t at = 0; at < buffer.size();) {
    const size_t end = buffer.find('\n', at), stop = end == std::string::npos ? buffer.size() : end + 1;
    add_rows(rows, gauge, claimed, buffer.data() + at, stop - at);
    at = stop;
  }
  return rows;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto gauges = load_gauges(argv[1]);
  const std::vector<std::string> buffers = load_buffers(argv[2]);
  std::vector<fg_text> names;
  std::vector<const fg_table*> tables;
  std::vector<const fg_protocol*> protocols;
  for (const auto& gauge : gauges)
    if (!gauge->own.empty()) {
      names.push_back({gauge->own.c_str(), uint32_t(gauge->own.size()), 0});
      tables.push_back(&gauge->table), protocols.push_back(&gauge->protocol);
    }
  const fg_own claimed = {names.data(), tables.data(), protocols.data(), uint32_t(names.size())};
  const int switches = atoi(argv[3]);
  std::vector<uint64_t> differing(size_t(switches) + 1), known(differing.size());
  for (const auto& gauge : gauges) {
    if (!gauge->own.empty()) continue;
    const fg_own* const by_claim = gauge == gauges[1] ? &claimed : nullptr;
    for (const std::string& buffer : buffers) {
      g_dropped = 0;
      const Rows expected = alone(*gauge, by_claim, buffer);
      for (g_dropped = 0; g_dropped <= switches; g_dropped++) {
        Rows rows;
        add_rows(rows, *gauge, by_claim, buffer.data(), buffer.size());
        if (rows.of.size() != expected.of.size()) return 4;
        for (size_t i = 0; i < rows.of.size(); i++) differing[size_t(g_dropped)] += !(rows.of[i] == expected.of[i]);
        known[size_t(g_dropped)] += rows.known;
      }
    }
  }
  for (size_t i = 0; i < known.size(); i++)
    printf("%zu %s %s\n", i, std::to_string(differing[i]).c_str(), std::to_string(known[i]).c_str());
  return 0;
}
