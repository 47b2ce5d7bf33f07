// The way of force columns towards the base: a freedom's alone to where four meet, from there four side by side. What a column
// is good for at the joints that it meets says the algorithm.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/joint_screws.hpp"

namespace sparsedyn {
namespace detail {
inline namespace SPARSEDYN_CODE {

/// Sends ws.force_columns to the world. `at`: what algorithms make of them, with the members
///   row(i), rows(i of four)        where entries of freedom i (index in v), or of four, are written
///   alone(column), four(columns)   what is read of a column, or of four, which carry() takes
///   meet(row or rows, j, column)   the joint of body j, an ancestor's
template <class S, class Algorithm>
[[gnu::always_inline]] inline void send_columns(const Model& model, const MomentWorkspace<S>& ws, const Algorithm& at) {
  for (const ForceColumnGroup& group : ws.plan.groups) {
    ForceColumn<S> y[4];
    for (int l = 0; l < 4; ++l) y[l] = load(ws.force_columns[group.freedom[l]]);
    for (int l = 0; l < group.count; ++l) {
      const auto row = at.row(group.freedom[l]);
      for (int j = group.body[l]; model.bodies[j].parent >= 0;) {
        carry(ws.bodies[j], y[l]);
        j = model.bodies[j].parent;
        if (j == group.junction) break;
        at.meet(row, j, at.alone(y[l]));
      }
    }
    if (group.junction < 0) continue;
    for (int l = group.count; l < 4; ++l) y[l] = y[l - 1];
    const auto rows = at.rows(group.freedom);
    auto four = at.four(y);
    int j = group.junction;
    at.meet(rows, j, four);
    while (model.bodies[j].parent >= 0) {
      carry(ws.bodies[j], four);
      j = model.bodies[j].parent;
      at.meet(rows, j, four);
    }
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail
}  // namespace sparsedyn
