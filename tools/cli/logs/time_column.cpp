#include "time_column.hpp"

#include "cli/support/messages.hpp"

namespace sparsedyn::cli {
namespace {

/// The number in a kept cell, which still has its quotes; false where there is none, or one that is not finite.
bool number_in(std::string_view cell, double& value) {
  if (cell.size() >= 2 && cell.front() == '"') cell = cell.substr(1, cell.size() - 2);
  while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
  while (!cell.empty() && cell.back() == ' ') cell.remove_suffix(1);
  CellState state;
  return parse_cell(cell, value, state) && state == CellState::number;
}

}  // namespace

std::string_view TimeColumn::read() {
  if (!there_) return {};
  constexpr std::size_t most_told = 3;
  double now = 0;
  const bool is_number = number_in(log_.kept(), now);
  const char* fault = "";
  if (!is_number)
    fault = " is no number";
  else if (started_ && !(now > last_))
    fault = now < last_ ? " goes back" : " repeats";
  if (is_number) started_ = true, last_ = now;
  if (*fault && ++faults_ <= static_cast<long>(most_told)) first_.push_back("line " + std::to_string(log_.line()) + fault);
  return is_number ? log_.kept() : std::string_view();
}

void TimeColumn::warn_of_faults(const CommonOptions& common) const {
  if (faults_ == 0) return;
  const std::string more = faults_ > static_cast<long>(first_.size()) ? ", … " + std::to_string(faults_) + " rows in all" : "";
  warn(common, log_.path() + ": time: " + listing(first_) + more);
}

}  // namespace sparsedyn::cli
