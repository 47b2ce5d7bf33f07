// Long work under a plan, with warnings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/support/warning_sink.hpp"
#include "errors.hpp"
#include "interruptible.hpp"
#include "plan_file.hpp"

namespace sparsedyn::python {

/// `work(path)` as `interruptible` runs it, `path` being a file of the plan (its JSON) while it runs, empty without one. What
/// it warns of becomes Python's warnings, and is left in `said` too. The work must own all that it touches.
template <class Result, class Work>
Result planned_work(const std::string& plan, Work&& work, std::vector<std::string>* said = nullptr) {
  struct Made {
    Result result;
    std::vector<std::string> warnings;
  };
  Made made = interruptible<Made>([plan, work = std::forward<Work>(work)](const Progress&) {
    Made all;
    const cli::WarningSink sink(all.warnings);
    const PlanFile file(plan);
    all.result = work(file.path());
    return all;
  });
  for (const std::string& text : made.warnings) warn(text);
  if (said) *said = std::move(made.warnings);
  return std::move(made.result);
}

}  // namespace sparsedyn::python
