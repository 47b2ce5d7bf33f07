#include "evaluated_stage.hpp"

#include <algorithm>
#include <utility>

namespace sparsedyn {

EvaluatedStage::EvaluatedStage(Program program) : program_(std::move(program)), workspace_(program_.nodes().size()) {
  for (const Port& port : program_.inputs()) inputs_.emplace_back(port.elements.size());
  for (const Port& port : program_.outputs()) outputs_.emplace_back(port.elements.size());
  for (std::vector<double>& x : inputs_) arg_.push_back(x.data());
  for (std::vector<double>& x : outputs_) res_.push_back(x.data());
}

double* EvaluatedStage::vector(const std::vector<Port>& ports, std::vector<std::vector<double>>& vectors,
                               const char* name) noexcept {
  for (std::size_t k = 0; k < ports.size(); ++k)
    if (ports[k].name == name) return vectors[k].data();
  return nullptr;
}

void EvaluatedStage::set(const char* name, const double* x) noexcept {
  for (std::size_t k = 0; k < inputs_.size(); ++k)
    if (program_.inputs()[k].name == name) std::copy_n(x, inputs_[k].size(), inputs_[k].data());
}

void EvaluatedStage::clear(const char* name) noexcept {
  for (std::size_t k = 0; k < inputs_.size(); ++k)
    if (program_.inputs()[k].name == name) std::fill(inputs_[k].begin(), inputs_[k].end(), 0.0);
}

bool EvaluatedStage::evaluate() noexcept { return program_.evaluate(arg_.data(), res_.data(), workspace_.data()); }

}  // namespace sparsedyn
