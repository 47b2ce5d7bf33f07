// Long work with warnings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "interruptible.hpp"
#include "io/printable.hpp"

namespace sparsedyn::python {

/// What work made, and what is said of it.
template <class Result>
struct WithWords {
  Result result;
  std::vector<std::string> warnings = {};
  std::vector<std::string> notes = {};
};

/// `work()` as `interruptible` runs it: a WithWords<Result>. Its warnings become Python's, its notes go to Python's stderr;
/// warnings are left in `said` too. The work must own all that it touches.
template <class Result, class Work>
Result warned_work(Work&& work, std::vector<std::string>* said = nullptr) {
  auto made = interruptible<WithWords<Result>>([work = std::forward<Work>(work)](const Progress&) { return work(); });
  for (const std::string& text : made.warnings) warn(printable(text));
  for (const std::string& text : made.notes) note(printable(text));
  if (said) *said = std::move(made.warnings);
  return std::move(made.result);
}

}  // namespace sparsedyn::python
