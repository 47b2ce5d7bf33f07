// Records one program: declares its inputs, runs any template on them, names its outputs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/codegen/expr.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Recording is on for this thread while a Recorder lives.
class Recorder {
 public:
  Recorder() : recording_(graph_) {}

  /// A new input vector, with these names for its elements.
  std::vector<Expr> input(const std::string& port, const std::vector<std::string>& elements);
  /// The input vector q of a model (`q.` names); its quaternions have unit norm.
  std::vector<Expr> coordinates(const Model& model);
  /// The input vector `x` of a model's state: q, then dq, with the names that both have in logs.
  std::pair<std::vector<Expr>, std::vector<Expr>> state(const Model& model);
  /// Robots that are recorded from now on have numbers that vary: those of Recording::stands_for.
  void vary() { Recording::vary(&numbers_); }
  /// The input vector of a robot's parameters: the last one, behind `others` input vectors. `nominal`: values near which they
  /// are; `columns`: their places among all parameters of the robot.
  std::vector<Expr> parameters(int others, const std::string& port, const std::vector<std::string>& elements,
                               const std::vector<double>& nominal, const std::vector<int>& columns);
  /// The elements of that vector; none without it.
  const std::vector<Expr>& parameters() const { return parameters_; }
  /// Values near which inputs are, by port; of others nothing is known.
  const std::map<int, std::vector<double>>& nominal() const { return nominal_; }
  /// Places of the parameters that are inputs, of all parameters of the robot.
  const std::vector<int>& parameter_columns() const { return columns_; }
  /// A new output vector. Names and values are as many.
  void output(const std::string& port, const std::vector<std::string>& elements, const std::vector<Expr>& values);
  /// The same for elements in any order, such as those of a sparse tensor.
  void output_in_any_order(const std::string& port, const std::vector<std::string>& elements, const std::vector<Expr>& values);

  /// From now on calls are kept; `width`: of what is done side by side.
  void keep_calls(int width) { calls_.width = width, Recording::keep_calls(&calls_); }
  /// Constants that differ relatively by no more than this are one.
  void tolerate(double rounding) { graph_.tolerate(rounding); }
  /// Begins another recording of the same computation: inputs are the earlier ones, by the names of their elements in any
  /// order; outputs are ignored.
  void again() { repeats_ = true; }
  /// The calls kept so far.
  Calls& calls() { return calls_; }

  /// Throws std::domain_error where something was divided by zero; so do those below.
  const Graph& graph() const { return graph_.sound(); }
  /// For each output its values, as recorded.
  const std::vector<std::vector<Ref>>& results() const { return results_; }
  /// For each output vector, whether its elements may be in any order.
  const std::vector<bool>& any_order() const { return any_order_; }

  /// With sums factored, as often as that saves operations.
  Program program() const;
  /// As it was recorded.
  Program unfactored() const { return Program(graph(), inputs(), outputs_, results_); }
  /// Operations of unfactored() and of program(), sin and cos apart: cheaper than these.
  long flops() const;
  /// Of program(), sin and cos apart.
  long factored_flops() const { return factored().flops; }
  /// Operations of program() and twice the instructions that these make: a sum and a product in it may be one. Batches are
  /// bound by instructions.
  long factored_cost() const;

 private:
  struct Rewritten {
    std::unique_ptr<Graph> graph;  // null: the recorded one
    std::vector<std::vector<Ref>> results;
    long flops;
  };
  Rewritten factored() const;
  std::vector<Expr> posture(const Model& model, int port);
  void declare(const std::string& port, const std::vector<std::string>& elements, const std::vector<Expr>& x);
  std::vector<Expr> repeated(const std::vector<std::string>& elements) const;

  Graph graph_;
  Recording recording_;
  std::vector<Port> inputs() const;

  std::vector<Port> inputs_, outputs_;
  std::optional<std::pair<int, Port>> last_;  // the parameters, and where they stand
  VaryingNumbers numbers_;
  std::map<int, std::vector<double>> nominal_;
  std::vector<int> columns_;
  std::vector<Expr> parameters_;
  std::vector<std::vector<Ref>> results_;
  std::map<std::string, Expr> known_;  // inputs by the names of their elements
  std::vector<bool> any_order_;
  Calls calls_;
  bool repeats_ = false;
};

/// `prefix` before each name.
std::vector<std::string> prefixed(const std::string& prefix, std::vector<std::string> names);

}  // namespace sparsedyn
