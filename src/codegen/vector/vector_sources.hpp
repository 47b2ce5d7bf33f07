// Where the vectors and numbers of a recording come from.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "isomorphic_operations.hpp"

namespace sparsedyn {

/// Constants and inputs; sines and cosines, which are taken before everything else.
bool is_leaf(const Node& node);

/// The graph holds equal values once, so a number may come from several places of the recording.
///   by_time  It is taken from the place that computed it first. No operation can then depend on its own result.
///   free     It is taken from the place that suits best. An operation may then depend on its own result; this never happens
///            where the lanes are isomorphic branches that have changed places.
enum class VectorOrder { free, by_time };

class VectorSources {
 public:
  VectorSources(const std::vector<Node>& nodes, const IsomorphicOperations& calls, const std::vector<std::vector<Ref>>& results,
                VectorOrder order);

  /// The first operation that gave this vector, whose first lane that is not zero is positive; by_time only if it came before
  /// `time`. It is told even where each lane was known before: one more operation costs less than gathering the lanes.
  std::optional<IsomorphicOperation> maker(const VectorRefs& x, std::size_t time) const;

  /// The vector from which a wanted number is taken, and its lane there; nullptr where no vector is worth it.
  ///   by_time  the vector that computed the number first; more than half of its lanes must be wanted and different
  ///   free     the first vector that holds it; all of its lanes must be wanted, and more than half of them different
  const std::pair<VectorRefs, std::size_t>* home(int node) const;

  /// An operation that gives the number: the one in the graph, or, where that needs later results, the one first recorded.
  Call operation(int node) const;

 private:
  bool given(int node) const;
  bool worth_a_home(const VectorRefs& x, const std::vector<bool>& wanted) const;

  const std::vector<Node>& nodes_;
  const IsomorphicOperations& calls_;
  VectorOrder order_;
  std::vector<IsomorphicOperations::First> first_;  // of each node
  std::map<VectorRefs, std::size_t, VectorLess> makers_{less};
  std::map<int, std::pair<VectorRefs, std::size_t>> homes_;
};

}  // namespace sparsedyn
