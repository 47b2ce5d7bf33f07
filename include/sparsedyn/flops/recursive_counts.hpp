// What the recursive algorithms cost on a robot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/scalar/counting_scalar.hpp"

namespace sparsedyn {

/// What one algorithm costs on one robot.
struct AlgorithmCounts {
  std::string algorithm;                  // rnea, aba, crba, rnea+crba+ltdl, rnea+crba+cholesky
  OperationCounts raw;                    // what the compiled template executes
  std::optional<OperationCounts> folded;  // what is left of it with the robot's constants folded and equal values shared
  std::string not_folded;                 // why there is no such count
};

/// Folding records an algorithm and factors its sums: seconds and some hundred megabytes for a million operations. A longer one
/// is counted raw alone; on chains that is CRBA from 215 joints, and neither ABA nor RNEA at 1000.
constexpr long most_recorded = 1'000'000;
/// The same for an algorithm that factors M, whose sums have up to nv terms, compared pair by pair: from 63 joints.
constexpr long most_recorded_of_factors = 200'000;

/// Without external wrenches.
std::vector<AlgorithmCounts> recursive_counts(const Model& model);

/// Operations of the least program for inverse (rnea) or forward (aba) dynamics that the library generates.
OperationCounts program_counts(const Model& model, const std::string& algorithm);

/// A fixed-base chain of n revolute joints with nothing special about its geometry: the robot of the published formulas.
Model general_chain(int n);

/// A formula of the literature for general_chain(n), additions and multiplications, sin and cos excluded.
struct PublishedCount {
  const char* algorithm;  // as in AlgorithmCounts
  const char* source;     // author and year
  long mul, add;          // multiplications, additions
};
/// All formulas known, for a chain of n joints.
std::vector<PublishedCount> published_counts(int n);

}  // namespace sparsedyn
