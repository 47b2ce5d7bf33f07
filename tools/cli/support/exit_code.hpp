// How a command ends.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/suggestions.hpp"  // UsageError
#include "json/answer_is_no.hpp"

namespace sparsedyn::cli {

enum class ExitCode {
  done = 0,
  no = 1,         // the answer is no: insufficient sensors, a plan that does not fit
  usage = 2,      // UsageError, UnknownName
  bad_input = 3,  // InputError
  numerical = 4,  // rows that failed; the others are written
};

/// Exit 2.
using sparsedyn::UsageError;

/// Of a command or an option that this build leaves out.
inline std::string left_out(const std::string& what, const std::string& option_of_cmake) {
  return what + ": left out of this build; expected one that was configured with " + option_of_cmake;
}

/// With --strict: warnings about the robot, the sensor set or the constraints; exit 3.
struct OddInput : std::runtime_error {
  explicit OddInput(std::vector<std::string> which)
      : std::runtime_error(which.empty() ? "" : which.front()), warnings(std::move(which)) {}
  std::vector<std::string> warnings;
};

/// The answer is no, and nothing was written: exit 1.
using sparsedyn::AnswerIsNo;

}  // namespace sparsedyn::cli
