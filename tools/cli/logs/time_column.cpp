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

TimeColumn::Fault TimeColumn::read() {
  if (!there_) return Fault::none;
  constexpr std::size_t most_told = 3;
  double now = 0;
  Fault fault = Fault::none;
  const char* what = "";
  if (!number_in(log_.kept(), now)) {
    fault = Fault::no_number, what = " is no number";
  } else {
    if (started_ && !(now > last_)) fault = Fault::not_later, what = now < last_ ? " goes back" : " repeats";
    started_ = true, last_ = now;
  }
  if (fault == Fault::none) return fault;
  if (++faults_ <= static_cast<long>(most_told)) first_.push_back("line " + std::to_string(log_.line()) + what);
  return fault;
}

void TimeColumn::warn_of_faults(const CommonOptions& common) const {
  if (faults_ == 0) return;
  const std::string more = faults_ > static_cast<long>(first_.size()) ? ", … " + std::to_string(faults_) + " rows in all" : "";
  warn(common, log_.path() + ": time: " + listing(first_) + more);
}

}  // namespace sparsedyn::cli
