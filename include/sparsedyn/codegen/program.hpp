// A straight-line program: what the requested outputs need of a recorded graph, in an order that keeps live values few.
// It can be evaluated here, without a compiler, or written out as code (emit.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/codegen/detail/graph.hpp"
#include "sparsedyn/scalar/counting_scalar.hpp"

namespace sparsedyn {

/// Adds what a node costs; signs and comparisons are free.
void count(Op op, OperationCounts& counts);

/// A straight-line program; never changes once built.
class Program {
 public:
  Program() = default;  // of nothing
  /// results[k][e]: element e of output k, recorded in `graph`. Deterministic: equal recordings give equal programs.
  Program(const Graph& graph, std::vector<Port> inputs, std::vector<Port> outputs,
          const std::vector<std::vector<Ref>>& results);
  /// Of nodes that are in the order of evaluation already, as nodes() says; body and angles likewise.
  Program(std::vector<Node> nodes, int body, std::vector<int> angles, std::vector<Port> inputs, std::vector<Port> outputs,
          std::vector<std::vector<Ref>> results);
  /// What these alone need: outputs (`tau`) or elements (`tau.elbow`, `tau.base`). Throws std::invalid_argument for others.
  Program only(const std::vector<std::string>& outputs) const;

  /// The vectors that it reads, with names of their elements.
  const std::vector<Port>& inputs() const { return inputs_; }
  /// The vectors that it writes, likewise.
  const std::vector<Port>& outputs() const { return outputs_; }
  /// For each element of each output the node that is its value.
  const std::vector<std::vector<Ref>>& results() const { return results_; }
  /// In the order of evaluation: constants and inputs; what the angles need; sines and cosines; the rest.
  const std::vector<Node>& nodes() const { return nodes_; }
  /// Angles whose sine or cosine is taken and which need neither: all of these can be taken at once. Node indices.
  const std::vector<int>& angles() const { return angles_; }
  /// First node after the sines and cosines of angles().
  int body() const { return body_; }
  /// Operations of one evaluation.
  OperationCounts counts() const;

  /// arg[k], res[k]: input and output vectors; workspace: nodes().size() doubles. False if a result is not finite.
  bool evaluate(const double* const* arg, double* const* res, double* workspace) const noexcept;

 private:
  Program(const std::vector<Node>& recorded, std::vector<Port> inputs, std::vector<Port> outputs,
          const std::vector<std::vector<Ref>>& results);

  std::vector<Port> inputs_, outputs_;
  std::vector<std::vector<Ref>> results_;
  std::vector<Node> nodes_;
  std::vector<int> angles_;
  int body_ = 0;
};

/// A form of a program in which one operation is done on several numbers: what a pass finds, src/codegen/vector.
struct SuperwordProgram;

/// A program and its form in vectors, for code that computes one sample.
struct VectorisedProgram {
  Program program;                                     // elements that may be in any order are in that of the vectors
  std::shared_ptr<const SuperwordProgram> superwords;  // nullptr: they would save too little

  /// Of these outputs alone, as Program::only; without vectors, unless these are all.
  VectorisedProgram only(const std::vector<std::string>& outputs) const;
};

}  // namespace sparsedyn
