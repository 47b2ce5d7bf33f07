#include "system_inputs.hpp"

#include <algorithm>
#include <map>

#include "cli/algorithms/algorithm_inputs.hpp"
#include "cli/support/messages.hpp"

namespace sparsedyn::cli {

SystemInputs::SystemInputs(const System& system, CsvReader& log, const CommonOptions& common, bool gaps)
    : model_(system.model()), columns_(log) {
  for (const std::string& name : with_prefix("q", coordinate_names(model_))) columns_.need(name);
  for (const std::string& name : with_prefix("dq", velocity_names(model_))) columns_.need(name);
  std::map<int, std::vector<std::string>> absent;  // by measurement: columns taken as their fallback
  std::map<int, bool> some_there;
  for (const Input& input : system.inputs()) {
    const std::string* found = columns_.need_one_of(input.columns, input.required, input.fallback);
    found_.push_back(found || input.required);
    if (found && gaps && found->compare(0, 2, "y.") == 0) columns_.allow_gap();
    if (found)
      some_there[input.measurement] = true;
    else if (!input.required)
      absent[input.measurement].push_back(input.columns.back());
  }
  columns_.check();
  for (const auto& [measurement, names] : absent)
    if (some_there[measurement]) columns_.warn_of_fallback(names, common);
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
