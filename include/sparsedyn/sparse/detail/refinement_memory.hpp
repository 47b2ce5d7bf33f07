// What iterative refinement works in; one for each object that refines.
#pragma once

#include <cstddef>
#include <vector>

#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn {

/// For each unknown, the row from which the order takes it, where it stands there with ±1 at every state; -1 elsewhere.
std::vector<int> unit_rows(const Plan& plan);

template <class S>
struct RefinementMemory {
  /// Takes no memory.
  RefinementMemory() = default;
  /// Takes all memory, for the n unknowns of a plan.
  explicit RefinementMemory(const Plan& plan) : unit_row(unit_rows(plan)) {
    const std::size_t n = unit_row.size();
    for (std::vector<S>* numbers : {&rest, &step, &rounding, &answer}) numbers->assign(n, S(0));
    for (std::vector<double>* sizes : {&terms, &first, &noise, &floor}) sizes->assign(n, 0.0);
    zero.assign(n, 0);
  }

  std::vector<int> unit_row;  // for each unknown, of the plan's unit_rows
  std::vector<S> rest;        // b − A x
  std::vector<double> terms;  // |A| |x| + |b|, of each row
  std::vector<S> step;        // the last correction
  std::vector<S> rounding;    // another right-hand side
  std::vector<S> answer;      // A⁻¹ rounding
  std::vector<double> first;  // sizes of the first correction
  std::vector<double> noise;  // what rounding of the equations moves each unknown by
  std::vector<double> floor;  // sizes at which an unknown is no more than rounding of rounding
  std::vector<char> zero;     // flags: the unknown is zero but for that
};

}  // namespace sparsedyn
