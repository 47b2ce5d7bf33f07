// Isomorphic operations: equal calls of a recording, side by side as one operation on vectors.
#pragma once

#include <vector>

#include "sparsedyn/codegen/expr.hpp"
#include "superword_program.hpp"

namespace sparsedyn {

/// One value for each lane; lanes that nothing uses, the last ones, are `unused_lane`.
using VectorRefs = std::vector<Ref>;
constexpr Ref unused_lane{SuperwordProgram::no_node, false};

inline bool used(Ref r) { return r.node != SuperwordProgram::no_node; }
bool less(const VectorRefs& a, const VectorRefs& b);
using VectorLess = bool (*)(const VectorRefs&, const VectorRefs&);

/// Changes the sign of all lanes if that makes the first lane that is not zero positive. True if it did.
bool make_positive(VectorRefs& x);

/// Whether all lanes that are used are the same number.
bool uniform(const VectorRefs& x);

/// The c-th calls of all stretches of a Lockstep, one a lane.
struct IsomorphicOperation {
  Op op;
  VectorRefs a, b, result;
  std::size_t time;  // when the first lane was computed: a number that single calls have too
};

class IsomorphicOperations {
 public:
  IsomorphicOperations(const Calls& calls, int lanes) : calls_(calls), lanes_(static_cast<std::size_t>(lanes)) {}

  /// visit(IsomorphicOperation) in the order of time.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Lockstep& s : calls_.for_each_lane)
      for (std::size_t c = 0; c < s.length; ++c) visit(call(s, c));
  }
  IsomorphicOperation at(std::size_t time) const;

  struct First {
    std::size_t time;
    const Call* call;
  };
  /// For each node when it was first a result, and of which call; nullptr for those that never were.
  std::vector<First> first_results(std::size_t nodes) const;

 private:
  IsomorphicOperation call(const Lockstep& s, std::size_t c) const;

  const Calls& calls_;
  std::size_t lanes_;
};

}  // namespace sparsedyn
