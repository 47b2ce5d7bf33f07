// A program of a sensor set, evaluated where it was recorded, by the names of its columns.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sparsedyn/codegen/programs.hpp"
#include "true_columns.hpp"

namespace sparsedyn {

/// S: double or float. The program must outlive it.
template <class S>
class EvaluatedColumns {
 public:
  /// Weights are as the system states them, parameters are `pi`, multipliers zero.
  EvaluatedColumns(const System& system, const Program& program, const ReadInputs& read, const std::vector<double>& pi)
      : program_(program), read_(read), workspace_(program.nodes().size()) {
    for (const Port& port : program.outputs()) out_.emplace_back(port.elements.size());
    for (std::size_t k = 0; k < out_.size(); ++k)
      for (std::size_t e = 0; e < out_[k].size(); ++e) at_[program.outputs()[k].elements[e]] = &out_[k][e];
    for (std::vector<S>& x : out_) res_.push_back(x.data());
    for (const Port& port : program.inputs()) in_.push_back(constants_of(port, system, pi));
  }
  /// Whether all results are finite.
  bool evaluate(const ColumnInputs& s) {
    in_[0].assign(s.q.begin(), s.q.end()), in_[1].assign(s.v.begin(), s.v.end()), in_[2].clear();
    for (std::size_t k = 0; k < read_.size(); ++k)
      if (read_[k]) in_[2].push_back(static_cast<S>(s.y[k]));
    std::vector<const S*> arg;
    for (const std::vector<S>& x : in_) arg.push_back(x.data());
    return program_.evaluate(arg.data(), res_.data(), workspace_.data());
  }
  /// Or null, for a column that it does not have.
  const S* find(const std::string& column) const {
    const auto found = at_.find(column);
    return found == at_.end() ? nullptr : found->second;
  }
  /// The last output.
  double health() const { return static_cast<double>(out_.back().front()); }

 private:
  static std::vector<S> constants_of(const Port& port, const System& system, const std::vector<double>& pi) {
    if (port.name == "pi") return std::vector<S>(pi.begin(), pi.end());
    std::vector<S> x(port.elements.size());
    if (port.name != "weight") return x;
    std::map<std::string, double> weight;
    for (std::size_t r = 0; r < system.equation_names().size(); ++r)
      weight["weight." + system.equation_names()[r]] = 1 / system.sigma_of(static_cast<int>(r));
    for (std::size_t e = 0; e < x.size(); ++e) x[e] = static_cast<S>(weight.at(port.elements[e]));
    return x;
  }

  const Program& program_;
  const ReadInputs& read_;
  std::vector<S> workspace_;
  std::vector<std::vector<S>> in_, out_;
  std::vector<S*> res_;
  std::map<std::string, const S*> at_;
};

}  // namespace sparsedyn
