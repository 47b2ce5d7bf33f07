#include "reverse_sweep.hpp"

#include <algorithm>

#include "program_derivatives.hpp"

namespace sparsedyn {
namespace {

using NumberValues = std::vector<std::pair<double, Ref>>;

/// Numbers of the robot that are values of the recording that goes on, in the order of the numbers.
NumberValues varying_numbers() {
  NumberValues all;
  if (const VaryingNumbers* const numbers = Recording::varying_numbers()) all.assign(numbers->begin(), numbers->end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return all;
}

}  // namespace

Program recorded_apart(const std::function<void(Recorder&)>& record) {
  const NumberValues numbers = varying_numbers();
  std::vector<std::string> names;
  for (std::size_t k = 0; k < numbers.size(); ++k) names.push_back("number" + std::to_string(k));
  Recorder recorder;
  const std::vector<Expr> values = recorder.input("numbers", names);
  recorder.vary();
  for (std::size_t k = 0; k < numbers.size(); ++k) Recording::stands_for(numbers[k].first, values[k].ref());
  record(recorder);
  return recorder.program();
}

std::vector<Expr> varying_values() {
  std::vector<Expr> values;
  for (const auto& [number, value] : varying_numbers()) values.emplace_back(value);
  return values;
}

PortValues reverse_sweep(const std::function<void(Recorder&)>& record, const PortValues& inputs, const PortValues& times) {
  const Program gradient = reverse_derivative(recorded_apart(record));
  PortValues all{varying_values()};
  all.insert(all.end(), inputs.begin(), inputs.end());
  all.insert(all.end(), times.begin(), times.end());
  PortValues slopes = ReplayedProgram(gradient, all).results();
  slopes.erase(slopes.begin());
  return slopes;
}

}  // namespace sparsedyn
