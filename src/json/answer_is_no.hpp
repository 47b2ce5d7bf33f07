// That what was asked has an answer, which is no: insufficient sensors, a plan that does not fit.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace sparsedyn {

/// The answer in words, and as a JSON object.
struct AnswerIsNo : std::runtime_error {
  AnswerIsNo(const std::string& what, std::string json_object) : std::runtime_error(what), json(std::move(json_object)) {}
  std::string json;
};

}  // namespace sparsedyn
