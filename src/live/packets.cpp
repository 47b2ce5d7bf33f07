#include "packets.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "io/csv_reader.hpp"
#include "io/printable.hpp"
#include "io/text/how_many.hpp"

namespace sparsedyn {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view magic = "SDL1", byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t frame_head = 16;
enum : std::uint32_t { names_frame = 1, row_frame = 2 };

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string_view unquoted(std::string_view cell) {
  const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return quoted ? cell.substr(1, cell.size() - 2) : cell;
}

/// False where there are too many.
bool split(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return true;
    if (cells.size() == most_cells) return false;
    line.remove_prefix(comma + 1);
  }
}

std::uint32_t word(std::string_view bytes, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t k = 0; k < 4; ++k) x |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
  return x;
}

double number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t bits = word(bytes, at) | std::uint64_t{word(bytes, at + 4)} << 32;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

std::string short_text(std::string_view text) {
  return printable(std::string(text.substr(0, 40)) + (text.size() > 40 ? "…" : ""));
}

}  // namespace

std::uint32_t hash_of_names(std::string_view names) noexcept {
  std::uint32_t hash = 2166136261u;
  for (char c : names) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

PacketReader::PacketReader(const std::vector<LiveReading>& readings, LiveFormat format)
    : readings_(readings), format_(format), values_(readings.size()) {
  cells_.reserve(most_cells), numbers_.reserve(most_cells);
}

void PacketReader::refuse(const std::string& why) {
  ++counts_.malformed;
  counts_.why = why, counts_.line = line_;
}

std::vector<std::string> PacketReader::take_passed_over() { return std::exchange(passed_over_, {}); }

bool PacketReader::bind(std::string_view names, NamedColumns& columns) {
  if (!split(names, cells_)) return refuse("more than 4096 columns"), false;
  std::set<std::string_view> seen;
  bool has_time = false;
  for (std::string_view& cell : cells_) {
    cell = unquoted(cell);
    has_time = has_time || cell == "time";
    if (!seen.insert(cell).second) return refuse("column " + short_text(cell) + " twice"), false;
  }
  if (!has_time) return refuse("names of columns without time"), false;
  NamedColumns bound;
  bound.names.assign(cells_.begin(), cells_.end());
  bound.is_read.assign(cells_.size(), 0);
  for (const LiveReading& reading : readings_) bound.from.push_back(place_of(reading.columns));
  for (int column : bound.from)
    if (column >= 0) bound.is_read[static_cast<std::size_t>(column)] = 1;
  bound.time = static_cast<std::size_t>(std::find(cells_.begin(), cells_.end(), "time") - cells_.begin());
  bound.is_read[bound.time] = 1, bound.hash = hash_of_names(names);
  passed_over_.clear();
  for (std::size_t c = 0; c < cells_.size(); ++c)
    if (!bound.is_read[c] && passed_over_.size() < 64) passed_over_.push_back(short_text(cells_[c]));
  columns = std::move(bound);
  ++counts_.headers;
  return true;
}

/// Among the names that are bound; −1: none of them is there.
int PacketReader::place_of(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    const auto found = std::find(cells_.begin(), cells_.end(), name);
    if (found != cells_.end()) return static_cast<int>(found - cells_.begin());
  }
  return -1;
}

void PacketReader::cells(const NamedColumns& columns, RowTaker& taker) {
  if (columns.is_read.empty()) return refuse("a row before any header, and no --columns");
  if (cells_.size() != columns.is_read.size())
    return refuse(how_many(static_cast<long>(cells_.size()), "cell", "cells") + "; expected " +
                  std::to_string(columns.is_read.size()));
  numbers_.assign(cells_.size(), nothing);
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    if (!columns.is_read[c] || is_gap_word(cells_[c])) continue;
    CellState state = CellState::empty;
    if (!parse_cell(cells_[c], numbers_[c], state) || state == CellState::not_finite)
      return refuse("cell " + std::to_string(c + 1) + ": " + short_text(cells_[c]) + "; expected a number, or nothing");
  }
  hand_on(columns, taker);
}

void PacketReader::hand_on(const NamedColumns& columns, RowTaker& taker) {
  const double stamp = numbers_[columns.time];
  if (!std::isfinite(stamp)) return refuse("a row without a time");
  for (std::size_t k = 0; k < values_.size(); ++k)
    values_[k] = columns.from[k] < 0 ? nothing : numbers_[static_cast<std::size_t>(columns.from[k])];
  ++counts_.rows;
  taker.row(stamp, values_.data());
}

void PacketReader::line(std::string_view text, NamedColumns& columns, RowTaker& taker) {
  if (text.substr(0, byte_order_mark.size()) == byte_order_mark) text.remove_prefix(byte_order_mark.size());
  text = trimmed(text);
  if (text.empty()) return;
  if (!split(text, cells_)) return refuse("more than 4096 cells");
  const auto is_time = [](std::string_view cell) { return unquoted(cell) == "time"; };
  if (std::any_of(cells_.begin(), cells_.end(), is_time)) {
    if (bind(text, columns)) taker.named(columns, line_);
    return;
  }
  cells(columns, taker);
}

void PacketReader::numbers(std::string_view bytes, const NamedColumns& columns, RowTaker& taker) {
  numbers_.assign(columns.is_read.size(), nothing);
  for (std::size_t c = 0; c < numbers_.size(); ++c) {
    if (columns.is_read[c]) numbers_[c] = number_at(bytes, 8 * c);
    if (std::isinf(numbers_[c])) return refuse("number " + std::to_string(c + 1) + " is infinite");
  }
  hand_on(columns, taker);
}

/// The frame at the beginning: how many bytes it takes; 0: it has not arrived as a whole. What is no frame is passed over up to
/// the next that may be one.
std::size_t PacketReader::frame(std::string_view bytes, NamedColumns& columns, RowTaker& taker) {
  const std::size_t known = std::min(bytes.size(), magic.size());
  if (bytes.substr(0, known) != magic.substr(0, known)) {
    refuse("bytes that begin no frame");
    const std::size_t next = bytes.find(magic.front(), 1);
    return next == std::string_view::npos ? bytes.size() : next;
  }
  if (bytes.size() < frame_head) return 0;
  const std::uint32_t kind = word(bytes, 4), count = word(bytes, 8), hash = word(bytes, 12);
  const std::size_t size = kind == row_frame ? std::size_t{8} * count : count;
  if ((kind != names_frame && kind != row_frame) || size > longest_line || count == 0) {
    refuse(kind == names_frame || kind == row_frame ? "a frame of " + std::to_string(size) + " bytes; expected 1 to 65536"
                                                    : "a frame of kind " + std::to_string(kind) + "; expected 1 or 2");
    return magic.size();
  }
  if (bytes.size() < frame_head + size) return 0;
  const std::string_view body = bytes.substr(frame_head, size);
  if (kind == names_frame) {
    if (hash_of_names(body) != hash)
      refuse("names whose hash is another");
    else if (bind(body, columns))
      taker.named(columns, 0);
  } else if (columns.is_read.empty() || columns.hash != hash || columns.is_read.size() != count) {
    refuse(columns.is_read.empty() ? "a row before any names" : "a row of other names");
  } else {
    numbers(body, columns, taker);
  }
  return frame_head + size;
}

void PacketReader::datagram(std::string_view bytes, NamedColumns& columns, RowTaker& taker) {
  line_ = 0;
  if (format_ == LiveFormat::f64) {
    while (!bytes.empty()) {
      const std::size_t taken = frame(bytes, columns, taker);
      if (taken == 0) return refuse("a frame that is cut off");
      bytes.remove_prefix(taken);
    }
    return;
  }
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    line(bytes.substr(0, end), columns, taker);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}

void PacketReader::stream(std::string_view bytes, UnreadBytes& rest, NamedColumns& columns, RowTaker& taker) {
  rest.bytes.append(bytes), line_ = 0;
  std::string_view left = rest.bytes;
  while (!left.empty()) {
    if (format_ == LiveFormat::f64) {
      const std::size_t taken = frame(left, columns, taker);
      if (taken == 0) break;
      left.remove_prefix(taken);
      continue;
    }
    const std::size_t end = left.find('\n');
    if (end == std::string_view::npos) break;
    line_ = ++rest.lines;
    if (!std::exchange(rest.skipping, false)) line(left.substr(0, end), columns, taker);
    left.remove_prefix(end + 1);
  }
  if (format_ == LiveFormat::csv && left.size() > longest_line) {  // a line without an end
    if (!std::exchange(rest.skipping, true)) {
      ++counts_.oversized;
      counts_.why = "a line of more than 65536 bytes", counts_.line = rest.lines + 1;
    }
    left = {};
  }
  rest.bytes.erase(0, rest.bytes.size() - left.size());
}

void PacketReader::end(UnreadBytes& rest, bool is_whole, NamedColumns& columns, RowTaker& taker) {
  const bool is_passed_over = std::exchange(rest.skipping, false) || trimmed(rest.bytes).empty();
  line_ = format_ == LiveFormat::f64 ? 0 : rest.lines + 1;
  if (format_ == LiveFormat::f64) {
    if (!rest.bytes.empty()) refuse("a frame that is cut off");
  } else if (is_whole && !is_passed_over) {
    line(rest.bytes, columns, taker);
  } else if (!is_passed_over) {
    refuse("a last line that is cut off: " + short_text(rest.bytes));
  }
  rest.bytes.clear();
}

}  // namespace sparsedyn
