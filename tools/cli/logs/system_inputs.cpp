#include "system_inputs.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cli/algorithms/algorithm_inputs.hpp"
#include "cli/support/messages.hpp"

namespace sparsedyn::cli {

SystemInputs::SystemInputs(const System& system, CsvReader& log, const CommonOptions& common, bool gaps)
    : model_(system.model()), columns_(log) {
  for (const std::string& name : with_prefix("q", coordinate_names(model_))) need_state(name);
  for (const std::string& name : with_prefix("dq", velocity_names(model_))) need_state(name);
  std::map<int, std::vector<std::string>> absent;  // by measurement: columns taken as their fallback
  std::map<int, bool> some_there;
  for (const Input& input : system.inputs()) {
    const std::string* found = columns_.need_one_of(input.columns, input.required, input.fallback);
    found_.push_back(found || input.required);
    if (found && may_be_missing(system, input, *found)) {
      columns_.take_gap_words();
      if (gaps) columns_.allow_gap();
    }
    read_from_.push_back(found ? *found : "");
    if (found)
      some_there[input.measurement] = true;
    else if (!input.required)
      absent[input.measurement].push_back(input.columns.back());
  }
  columns_.check(model_);
  for (const auto& [measurement, names] : absent)
    if (some_there[measurement]) columns_.warn_of_fallback(names, common);
}

/// A measurement's own column, or one that stands in for it where it has noise.
bool SystemInputs::may_be_missing(const System& system, const Input& input, const std::string& column) {
  const Measurement& m = system.measurements()[input.measurement];
  return column.compare(0, 2, "y.") == 0 || m.sigma[static_cast<std::size_t>(input.component)] > 0;
}

/// Where a robot is, and how fast as a whole, no robot knows: these may be missing.
void SystemInputs::need_state(const std::string& column) {
  static const std::set<std::string> of_the_whole{"q.base.x", "q.base.y", "q.base.z", "dq.base.vx", "dq.base.vy", "dq.base.vz"};
  if (!model_.floating() || !of_the_whole.count(column))
    columns_.need(column);
  else if (!columns_.need_one_of({column}, false, 0.0))
    whole_motion_missing_.push_back(column);
}

bool SystemInputs::read() {
  if (!columns_.read()) {
    why_ = columns_.why();
    return false;
  }
  return normalise_quaternions(model_, columns_.values().data(), why_);
}

std::vector<std::string> log_header(const System& system) {
  std::vector<std::string> names = with_prefix("q", coordinate_names(system.model()));
  for (const std::string& name : with_prefix("dq", velocity_names(system.model()))) names.push_back(name);
  for (const Input& input : system.inputs()) names.push_back(input.columns.front());
  return names;
}

}  // namespace sparsedyn::cli
