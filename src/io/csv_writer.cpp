#include "csv_writer.hpp"

#include <charconv>
#include <cmath>

namespace sparsedyn {
namespace {

std::string quoted_where_needed(const std::string& name) {
  const bool blank_edge = !name.empty() && (name.front() == ' ' || name.back() == ' ');
  if (name.find_first_of(",\"\r\n\t") == std::string::npos && !blank_edge) return name;
  std::string text = "\"";
  for (char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + "\"";
}

}  // namespace

void CsvWriter::separate() {
  if (row_started_) {
    *file_.room(1) = ',';
    file_.advance(1);
  }
  row_started_ = true;
  ++column_;
}

void CsvWriter::header(const std::vector<std::string>& names) {
  columns_ = names.size(), names_ = names, rows_ = -1;  // of which this line is none
  for (const std::string& name : names) raw(quoted_where_needed(name));
  end_row();
}

void CsvWriter::raw(std::string_view cell) {
  separate();
  file_.write(cell);
}

void CsvWriter::number(double value) {
  if (!std::isfinite(value)) refuse(value);
  constexpr std::size_t longest = 32;  // -1.2345678901234567e-308 has 24 characters
  separate();
  char* const first = file_.room(longest);
  file_.advance(static_cast<std::size_t>(std::to_chars(first, first + longest, value).ptr - first));
}

void CsvWriter::refuse(double value) const {
  throw NotFinite(path_ + ": row " + std::to_string(rows_) + ": " +
                  (column_ < names_.size() ? names_[column_] : std::to_string(column_)) +
                  (std::isnan(value) ? " is no number" : " is not finite"));
}

void CsvWriter::empty() {
  separate();
  if (columns_ == 1) file_.write("\"\"");
}

void CsvWriter::end_row() {
  *file_.room(1) = '\n';
  file_.advance(1);
  row_started_ = false;
  column_ = 0, ++rows_;
}

}  // namespace sparsedyn
