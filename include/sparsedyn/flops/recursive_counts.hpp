// What the recursive algorithms cost on a robot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/flops/counting_scalar.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

struct AlgorithmCounts {
  std::string algorithm;                  // rnea, aba, crba, rnea+crba+ltdl
  OperationCounts raw;                    // what the compiled template executes
  std::optional<OperationCounts> folded;  // what is left of it with the robot's constants folded and equal values shared
};

/// Without external wrenches. Folding records each algorithm, which takes memory for its every operation: without `fold` it is
/// left out.
std::vector<AlgorithmCounts> recursive_counts(const Model& model, bool fold);

/// Operations of the least program for inverse (rnea) or forward (aba) dynamics that the library generates.
OperationCounts program_counts(const Model& model, const std::string& algorithm);

/// A fixed-base chain of n revolute joints with nothing special about its geometry: the robot of the published formulas.
Model general_chain(int n);

/// A formula of the literature for general_chain(n), additions and multiplications, sin and cos excluded.
struct PublishedCount {
  const char* algorithm;
  const char* source;
  long mul, add;
};
std::vector<PublishedCount> published_counts(int n);

}  // namespace sparsedyn
