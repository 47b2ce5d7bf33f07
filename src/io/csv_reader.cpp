#include "csv_reader.hpp"

#include <algorithm>
#include <utility>

#include "io/text/how_many.hpp"
#include "printable.hpp"
#include "record_reader.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {
namespace {

CsvDialect dialect_of_this_run;

/// Around cells: a tab is none where it parts them.
bool is_blank(char c, char separator) { return c == ' ' || (c == '\t' && separator != '\t'); }

const char* after_blanks(const char* p, const char* end, char separator) {
  while (p != end && is_blank(*p, separator)) ++p;
  return p;
}

std::string shown(char separator) {
  return separator == ' ' ? "blanks" : separator == '\t' ? "tabs" : std::string("'") + separator + "'";
}

/// What --separator calls it.
std::string option_of(char separator) {
  return std::string("--separator ") + (separator == ' '    ? "blank"
                                        : separator == '\t' ? "tab"
                                        : separator == ';'  ? "';'"
                                                            : ",");
}

/// Names of columns that this character would part, where at least one is such as logs have.
bool parts_columns(std::string_view header, char separator) {
  int names = 0;
  bool known = false;
  for (const char *p = header.data(), *const end = p + header.size(); p < end;) {
    p = after_blanks(p, end, separator);
    const char* const first = p;
    while (p != end && (separator == ' ' ? !is_blank(*p, ' ') : *p != separator)) ++p;
    std::string_view name(first, static_cast<std::size_t>(p - first));
    if (!name.empty() && name.front() == '"') name.remove_prefix(1);
    names += !name.empty();
    for (const std::string_view begins : {"time", "q.", "dq.", "ddq.", "tau.", "y.", "fx.", "pose."})
      known = known || name.substr(0, begins.size()) == begins;
    if (p != end) ++p;
  }
  return names > 1 && known;
}

/// Whether a cell is a number but for the comma in it.
bool has_decimal_comma(std::string_view cell, std::string& with_point) {
  const std::size_t comma = cell.find(',');
  if (comma == std::string_view::npos || cell.size() > 64) return false;
  with_point.assign(cell);
  with_point[comma] = '.';
  double value = 0;
  CellState state = CellState::empty;
  return cell.find('.') == std::string_view::npos && parse_cell(with_point, value, state);
}

/// The closing quote of the cell that opens before p; nullptr where the record ends first. `""` stands for one quote.
const char* closing_quote(const char* p, const char* end) {
  for (; p != end; ++p) {
    if (*p != '"') continue;
    if (p + 1 == end || p[1] != '"') return p;
    ++p;
  }
  return nullptr;
}

std::string unquoted(std::string_view cell) {
  std::string text;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    text += cell[i];
    if (cell[i] == '"') ++i;
  }
  return text;
}

/// A cell as a message quotes it, shortened.
std::string quoted_for_message(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::size_t end = 0;  // not within a character
  while (end < text.size() && end < longest) end += std::max<std::size_t>(1, utf8_length(text.substr(end)));
  return "'" + printable(text.substr(0, end)) + (end < text.size() ? "…'" : "'");
}

}  // namespace

void CsvReader::set_dialect(const CsvDialect& dialect) { dialect_of_this_run = dialect; }

CsvReader::CsvReader(const std::string& path, const std::string& name)
    : path_(name), records_(std::make_unique<RecordReader>(path)), dialect_(dialect_of_this_run) {
  read_header();
}
CsvReader::~CsvReader() = default;

long CsvReader::line() const { return records_->line(); }

void CsvReader::fail(const std::string& element, const std::string& found, const std::string& expected) const {
  throw InputError(path_, line(), element, found, expected);
}

/// Calls take(column, cell, quoted) for each cell of the record, blanks and outer quotes dropped; returns how many there are.
/// A record whose quoted cell runs on is made longer and read again.
template <class Take>
int CsvReader::for_each_cell(Take&& take) {
restart:
  const char* p = records_->record().data();
  const char* const end = p + records_->record().size();
  const char separator = dialect_.separator;
  const bool by_blanks = separator == ' ';
  const auto ends_cell = [&](char c) { return c == separator || (by_blanks && c == '\t'); };
  for (int column = 0;; ++column) {
    p = after_blanks(p, end, separator);
    const bool quoted = p != end && *p == '"';
    const char* first = quoted ? p + 1 : p;
    const char* last;
    if (quoted) {
      last = closing_quote(first, end);
      if (!last) {
        if (records_->extend()) goto restart;
        fail("", "a quote that never closes", "a closing quote");
      }
      p = last + 1;
      if (p != end && by_blanks && !ends_cell(*p)) fail("", "text after a closing quote", "a blank");
      p = after_blanks(p, end, separator);
      if (p != end && !by_blanks && *p != separator)
        fail("", "text after a closing quote", separator == ',' ? "a comma" : separator == ';' ? "a semicolon" : "a tab");
    } else {
      while (p != end && !ends_cell(*p)) ++p;
      for (last = p; last != first && is_blank(last[-1], separator);) --last;
      if (by_blanks) p = after_blanks(p, end, separator);
    }
    take(column, std::string_view(first, static_cast<std::size_t>(last - first)), quoted);
    if (p == end) return column + 1;
    if (!by_blanks) ++p;
  }
}

void CsvReader::read_header() {
  if (!records_->next()) throw InputError(path_, 0, "header", "nothing", "a line of column names");
  header_line_ = line();
  for (const auto& [begins, kind] : {std::pair("PAR1", "a Parquet file"), std::pair("\x89MCAP", "an MCAP file")})
    if (records_->record().substr(0, std::string_view(begins).size()) == begins)
      fail("header", kind, "CSV; in Python sd.open_log and sd.solve_dataset read it");
  if (records_->record().find('\r') != std::string_view::npos)
    fail("header", "a carriage return within the line", "lines that end with LF or CRLF");
  for_each_cell([&](int column, std::string_view cell, bool quoted) {
    columns_.resize(column);  // a record that is read again starts anew
    columns_.push_back(quoted ? unquoted(cell) : std::string(cell));
  });
  for (const char other : {',', ';', '\t', ' '})
    if (columns_.size() == 1 && other != dialect_.separator && parts_columns(records_->record(), other))
      fail("header", "columns parted by " + shown(other), shown(dialect_.separator) + ", or " + option_of(other));
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!index_.emplace(columns_[i], static_cast<int>(i)).second)
      fail("column " + columns_[i], "there twice", "each column once");
  slot_.assign(columns_.size(), passed_over);
}

int CsvReader::ask(const std::string& column) {
  const auto found = index_.find(column);
  if (found == index_.end()) return -1;
  int& slot = slot_[found->second];
  if (slot == passed_over) {
    slot = static_cast<int>(asked_.size());
    asked_.push_back(found->second);
    values_.push_back(0.0);
    states_.push_back(CellState::empty);
    gap_words_.push_back(0);
  }
  return slot;
}

bool CsvReader::keep(const std::string& column) {
  const auto found = index_.find(column);
  if (found == index_.end()) return false;
  slot_[found->second] = kept_as_text;
  return true;
}

void CsvReader::take(int column, std::string_view cell, bool quoted) {
  if (column >= static_cast<int>(slot_.size())) return;  // ragged: next() says so once it has counted
  if (keeps_all_) {
    cells_.resize(static_cast<std::size_t>(column));  // a record that is read again starts anew
    cells_texts_.resize(slot_.size());
    cells_.push_back(as_written(cell, quoted, cells_texts_[static_cast<std::size_t>(column)]));
  }
  const int slot = slot_[column];
  if (slot == passed_over) return;
  if (slot == kept_as_text) {
    kept_ = as_written(cell, quoted, kept_text_);
    return;
  }
  if (quoted) {
    while (!cell.empty() && is_blank(cell.front(), ' ')) cell.remove_prefix(1);
    while (!cell.empty() && is_blank(cell.back(), ' ')) cell.remove_suffix(1);
  }
  if (gap_words_[slot] && is_gap_word(cell)) cell = {};
  parse(cell, slot, column);
}

void CsvReader::parse(std::string_view cell, int slot, int column) {
  if (parse_cell(cell, values_[slot], states_[slot])) return;
  std::string with_point;
  if (!has_decimal_comma(cell, with_point)) fail("column " + columns_[column], quoted_for_message(cell), "a number");
  if (!dialect_.decimal_comma)
    fail("column " + columns_[column], quoted_for_message(cell) + ", a decimal comma", "a decimal point, or --decimal-comma");
  parse_cell(with_point, values_[slot], states_[slot]);
}

/// A cell with its quotes; where commas part nothing in this log, one that has some is written with a point, or quoted.
std::string_view CsvReader::as_written(std::string_view cell, bool quoted, std::string& into) const {
  const bool as_it_is = dialect_.separator == ',' && !dialect_.decimal_comma;
  if (!as_it_is && dialect_.decimal_comma && has_decimal_comma(cell, into)) return into;
  if (quoted) return {cell.data() - 1, cell.size() + 2};
  if (as_it_is || cell.find(',') == std::string_view::npos) return cell;
  into = "\"";
  for (const char c : cell) into.append(c == '"' ? 2 : 1, c);
  return into += '"';
}

bool CsvReader::waits() { return records_->waits(); }

bool CsvReader::next() {
  if (!records_->next()) return false;
  const int cells = for_each_cell([this](int column, std::string_view cell, bool quoted) { take(column, cell, quoted); });
  const auto due = static_cast<int>(slot_.size());
  if (cells != due)
    fail("", how_many(cells, "cell", "cells"),
         std::to_string(due) + ", as in the header (line " + std::to_string(header_line_) + ")" +
             (dialect_.separator == ',' && cells == 2 * due ? ", and decimal points: twice as many cells are decimal commas"
                                                            : ""));
  return true;
}

}  // namespace sparsedyn
