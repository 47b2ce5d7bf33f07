// Calls of a recording as operations on vectors.
#pragma once

#include <vector>

#include "sparsedyn/codegen/detail/expr.hpp"
#include "vector_program.hpp"

namespace sparsedyn {

/// One value for each lane; lanes that nothing uses, the last ones, are `unused_lane`.
using LaneRefs = std::vector<Ref>;
constexpr Ref unused_lane{LaneProgram::no_node, false};

inline bool used(Ref r) { return r.node != LaneProgram::no_node; }
bool less(const LaneRefs& a, const LaneRefs& b);
using LaneLess = bool (*)(const LaneRefs&, const LaneRefs&);

/// The same up to a common sign: the first lane that is not zero is positive. True if the sign has changed.
bool make_positive(LaneRefs& x);

/// Whether all lanes that are used are the same number.
bool uniform(const LaneRefs& x);

/// The c-th calls of stretches that are abreast.
struct LaneCall {
  Op op;
  LaneRefs a, b, result;
  std::size_t time;  // of calls abreast and of single ones alike: when the first lane was computed
};

class LaneCalls {
 public:
  LaneCalls(const Calls& calls, int lanes) : calls_(calls), lanes_(static_cast<std::size_t>(lanes)) {}

  /// visit(LaneCall) in the order of time.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Lockstep& s : calls_.abreast)
      for (std::size_t c = 0; c < s.length; ++c) visit(call(s, c));
  }
  LaneCall at(std::size_t time) const;

  struct First {
    std::size_t time;
    const Call* call;
  };
  /// For each node when it was first a result, and of which call; nullptr for those that never were.
  std::vector<First> first_results(std::size_t nodes) const;

 private:
  LaneCall call(const Lockstep& s, std::size_t c) const;

  const Calls& calls_;
  std::size_t lanes_;
};

}  // namespace sparsedyn
