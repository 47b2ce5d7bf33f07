// Records one program: declares its inputs, runs any template on them, names its outputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/program/expr.hpp"
#include "sparsedyn/program/program.hpp"

namespace sparsedyn {

/// Recording is on for this thread while a Recorder lives.
class Recorder {
 public:
  Recorder() : recording_(graph_) {}

  /// A new input vector, with these names for its elements.
  std::vector<Expr> input(const std::string& port, const std::vector<std::string>& elements);
  /// The input vector q of a model (`q.` names); its quaternions have unit norm.
  std::vector<Expr> coordinates(const Model& model);
  /// A new output vector. Names and values are as many.
  void output(const std::string& port, const std::vector<std::string>& elements, const std::vector<Expr>& values);

  /// With sums factored, as often as that saves operations.
  Program program() const;
  /// As it was recorded.
  Program unfactored() const { return Program(graph_, inputs_, outputs_, results_); }
  /// Operations of unfactored() and of program(), sin and cos apart: cheaper than these.
  long flops() const;
  long factored_flops() const { return factored().flops; }

 private:
  struct Rewritten {
    std::unique_ptr<Graph> graph;  // null: the recorded one
    std::vector<std::vector<Ref>> results;
    long flops;
  };
  Rewritten factored() const;

  Graph graph_;
  Recording recording_;
  std::vector<Port> inputs_, outputs_;
  std::vector<std::vector<Ref>> results_;
};

/// `prefix` before each name.
std::vector<std::string> prefixed(const std::string& prefix, std::vector<std::string> names);

}  // namespace sparsedyn
