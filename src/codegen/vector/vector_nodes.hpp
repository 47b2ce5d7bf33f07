// Nodes of a SuperwordProgram, one after the other.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "superword_program.hpp"

namespace sparsedyn {

inline Ref with_sign(Ref r, bool negative) { return negative ? -r : r; }

/// Each function adds a node and gives its value; nodes[0] is zero.
class VectorNodes {
 public:
  explicit VectorNodes(std::size_t lanes) : lanes_(lanes), nodes_(1) {}

  const VectorNode& operator[](Ref r) const { return nodes_[static_cast<std::size_t>(r.node)]; }
  std::vector<VectorNode> taken() { return std::move(nodes_); }

  Ref constant(double value);
  Ref input(int port, int element);
  Ref angle(Op op, int number);
  /// Signs of factors go to the product.
  Ref operation(Op op, bool wide, Ref a, Ref b);
  /// Lane l of v.
  Ref lane(Ref v, std::size_t l);
  /// Lane k is lane k + by of v.
  Ref turned(Ref v, std::size_t by);
  Ref numbers(std::vector<double> values);
  Ref gathered(std::vector<Ref> leaves);
  /// v with lanes of `source` where picks is not negative; v may be unused_lane.
  Ref merged(Ref v, Ref source, std::vector<int> picks);
  /// v, or nothing, with a number as one lane.
  Ref inserted(Ref v, std::size_t lane, Ref number);

 private:
  Ref added(VectorNode node);

  std::size_t lanes_;
  std::vector<VectorNode> nodes_;
};

}  // namespace sparsedyn
