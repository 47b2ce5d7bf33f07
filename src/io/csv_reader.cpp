#include "csv_reader.hpp"

#include <algorithm>
#include <utility>

#include "printable.hpp"
#include "record_reader.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

const char* after_blanks(const char* p, const char* end) {
  while (p != end && is_blank(*p)) ++p;
  return p;
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

CsvReader::CsvReader(const std::string& path, const std::string& name)
    : path_(name), records_(std::make_unique<RecordReader>(path)) {
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
  for (int column = 0;; ++column) {
    p = after_blanks(p, end);
    const bool quoted = p != end && *p == '"';
    const char* first = quoted ? p + 1 : p;
    const char* last;
    if (quoted) {
      last = closing_quote(first, end);
      if (!last) {
        if (records_->extend()) goto restart;
        fail("", "a quote that never closes", "a closing quote");
      }
      p = after_blanks(last + 1, end);
      if (p != end && *p != ',') fail("", "text after a closing quote", "a comma");
    } else {
      while (p != end && *p != ',') ++p;
      for (last = p; last != first && is_blank(last[-1]);) --last;
    }
    take(column, std::string_view(first, static_cast<std::size_t>(last - first)), quoted);
    if (p == end) return column + 1;
    ++p;
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
    cells_.push_back(quoted ? std::string_view(cell.data() - 1, cell.size() + 2) : cell);
  }
  const int slot = slot_[column];
  if (slot == passed_over) return;
  if (slot == kept_as_text) {
    kept_ = quoted ? std::string_view(cell.data() - 1, cell.size() + 2) : cell;
    return;
  }
  if (quoted) {
    while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
    while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
  }
  if (gap_words_[slot] && is_gap_word(cell)) cell = {};
  if (!parse_cell(cell, values_[slot], states_[slot])) fail("column " + columns_[column], quoted_for_message(cell), "a number");
}

bool CsvReader::next() {
  if (!records_->next()) return false;
  const int cells = for_each_cell([this](int column, std::string_view cell, bool quoted) { take(column, cell, quoted); });
  if (cells != static_cast<int>(slot_.size()))
    fail("", std::to_string(cells) + (cells == 1 ? " cell" : " cells"),
         std::to_string(slot_.size()) + ", as in the header (line " + std::to_string(header_line_) + ")");
  return true;
}

}  // namespace sparsedyn
