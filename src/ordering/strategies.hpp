// What proposes orders.
#pragma once

#include <optional>
#include <vector>

#include "sparsedyn/ordering/detail/optimise_order.hpp"

namespace sparsedyn {

/// UMFPACK's orders at some random states; none without SuiteSparse.
std::vector<Candidate> umfpack_candidates(const OrderingProblem& problem, int states);

/// KLU's orders with COLAMD, and with block triangular form and AMD or COLAMD, at some random states; none without SuiteSparse.
std::vector<Candidate> klu_candidates(const OrderingProblem& problem, int states);

/// The greedy order in which no pivot is smaller than `threshold` beside its column at any of several states (it gives way
/// where no other pivot is left); none where the matrix is singular at all of them, or the order turns out to cost more than
/// `most_cost` multiplications (greed has no foresight: on long chains it can end in dense blocks).
std::optional<Order> markowitz_order(const OrderingProblem& problem, double threshold, long most_cost);
std::vector<Candidate> markowitz_candidates(const OrderingProblem& problem, long most_cost);

/// Orders of least fill with pivots on the diagonal of a symmetric problem, each exact row's as a block with an unknown's; none
/// for other problems.
std::vector<Candidate> symmetric_candidates(const OrderingProblem& problem);

}  // namespace sparsedyn
