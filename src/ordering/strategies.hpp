// What proposes orders.
#pragma once

#include <optional>
#include <vector>

#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn {

/// UMFPACK's orders at some random states; none without SuiteSparse.
std::vector<Candidate> umfpack_candidates(const OrderingProblem& problem, int states);

/// KLU's orders with COLAMD, and with block triangular form and AMD or COLAMD, at some random states; none without SuiteSparse.
std::vector<Candidate> klu_candidates(const OrderingProblem& problem, int states);

/// The greedy order in which no pivot is smaller than `threshold` beside its column at any of several states; the threshold
/// gives way where no other pivot is left. None where the matrix is singular at all of these states, or where the order turns
/// out to cost more than `most_cost` multiplications: a greedy choice does not look ahead, and on long chains it can end in
/// dense blocks.
std::optional<Order> markowitz_order(const OrderingProblem& problem, double threshold, long most_cost);
std::vector<Candidate> markowitz_candidates(const OrderingProblem& problem, long most_cost);

/// Orders of least fill of a symmetric problem, with pivots on its diagonal; an exact row, whose diagonal entry is zero, pivots
/// in a 2 × 2 block with an unknown. None for other problems.
std::vector<Candidate> symmetric_candidates(const OrderingProblem& problem);

/// Of such a problem: first the exact rows in their blocks, whose determinants do not depend on what the others weigh, then the
/// rest; each by least fill. None where an exact row finds no unknown, or some pivot stays zero.
std::optional<Order> exact_rows_first(const OrderingProblem& problem);

}  // namespace sparsedyn
