// Long work that Ctrl-C stops: it runs in a thread of its own while the calling one waits, looks for signals every 50 ms, and
// passes on how far it is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "numpy.hpp"

namespace sparsedyn::python {

/// What the work calls now and then: how far it is (0 to 1) and at what. Throws where the user has interrupted.
using Progress = std::function<void(double fraction, const std::string& what)>;

/// Runs `work` and rethrows what it throws. `report`: a Python callable (fraction, what), or None. After Ctrl-C the work ends
/// at its next Progress call, after this has raised: it must own all that it touches.
void run_interruptibly(std::function<void(const Progress&)> work, nb::handle report);

/// The same for a work that returns something.
template <class Result, class Work>
Result interruptible(Work&& work, nb::handle report = nb::none()) {
  const auto result = std::make_shared<std::optional<Result>>();
  run_interruptibly([result, work = std::forward<Work>(work)](const Progress& progress) { result->emplace(work(progress)); },
                    report);
  return std::move(**result);
}

}  // namespace sparsedyn::python
