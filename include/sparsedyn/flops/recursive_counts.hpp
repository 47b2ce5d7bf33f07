// What the recursive algorithms cost on a robot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/flops/counting_scalar.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

struct AlgorithmCounts {
  std::string algorithm;                  // rnea, aba, crba, rnea+crba+ltdl, rnea+crba+cholesky
  OperationCounts raw;                    // what the compiled template executes
  std::optional<OperationCounts> folded;  // what is left of it with the robot's constants folded and equal values shared
  std::string not_folded;                 // why there is no such count
};

/// Folding records an algorithm and factors its sums, which takes seconds for a hundred thousand operations and minutes for a
/// million: a longer one is counted raw alone. On chains that is joint-space forward dynamics from 63 joints, CRBA from 95, ABA
/// from 330 and RNEA from 920.
constexpr long most_recorded = 200'000;

/// Without external wrenches.
std::vector<AlgorithmCounts> recursive_counts(const Model& model);

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
