#include <charconv>
#include <cmath>
#include <limits>

#include "csv_reader.hpp"
#include "number.hpp"

namespace sparsedyn {

bool parse_cell(std::string_view cell, double& value, CellState& state) noexcept {
  if (cell.empty()) {
    value = std::numeric_limits<double>::quiet_NaN();
    state = CellState::empty;
    return true;
  }
  const char* first = cell.data();
  const char* const last = first + cell.size();
  if (*first == '+' && cell.size() > 1 && first[1] != '-') ++first;
  const auto [stop, error] = std::from_chars(first, last, value);
  if (error == std::errc::invalid_argument || stop != last) return false;
  if (error == std::errc::result_out_of_range && read_number(cell, value) == NumberText::too_large)
    value = std::numeric_limits<double>::infinity();  // from_chars gives 1e999 and 1e-400 the same answer
  state = std::isfinite(value) ? CellState::number : CellState::not_finite;
  return true;
}

bool is_gap_word(std::string_view cell) noexcept {
  if (cell == "NA" || cell == "null") return true;
  if (cell.size() == 4 && (cell[0] == '-' || cell[0] == '+')) cell.remove_prefix(1);
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return cell.size() == 3 && lower(cell[0]) == 'n' && lower(cell[1]) == 'a' && lower(cell[2]) == 'n';
}

}  // namespace sparsedyn
