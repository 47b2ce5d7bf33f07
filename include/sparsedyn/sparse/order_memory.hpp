// Orders that a search found, kept for later searches of an equal structure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn {

/// An order, and the strategy that proposed it.
struct NamedOrder {
  std::string strategy;  // who
  Order order;           // what
};

/// How an order fared in a search: a line of its table.
struct KeptJudgement {
  std::string strategy;  // the order is that of KeptOrders::proposals, or missing_data where it is none of these
  Flops factor, solve;   // operations
  int fill = 0;          // and fill-in
  double worst_backward_error = 0, worst_componentwise_error = 0, worst_growth = 0;  // with the search's numbers
  int refined = 0;                                                                   // states that take refinement
};

/// What a search for an estimator's plan found. The orders hold indices of rows and columns alone, no numbers.
struct KeptOrders {
  std::string numbers;                    // a fingerprint of the numbers and deviations that the search had
  std::string robot;                      // the same of the numbers without the deviations,
  std::vector<double> deviations;         // and these: of all readings, then of priors
  std::vector<NamedOrder> proposals;      // for all readings, one of each strategy
  std::string best;                       // the strategy of the best of them; none: not known
  bool healthy = false;                   // whether that one was healthy and accurate,
  long flops = 0;                         // and its operations
  std::optional<Order> missing_data;      // for readings with gaps; none: the search found none
  bool missing_data_healthy = false;      // the same of that one,
  double missing_data_error = 0;          // and its worst error, backward or of a component; 0: not known; infinite: fails
  std::optional<Order> open_gaps;         // for gaps that leave unknowns undetermined; none: the search found none
  std::string chosen;                     // the strategy whose order the plan has; none: not known,
  std::vector<KeptJudgement> judged;      // and the table; empty where orders need others' help
  std::optional<Flops> deviations_flops;  // operations that deviations take more
};

/// Stores them. Functions can be called from several threads.
class OrderMemory {
 public:
  virtual ~OrderMemory() = default;
  /// What was kept for this structure; none where nothing was, or where it is damaged. The orders need not fit: who takes them
  /// checks them.
  virtual std::optional<KeptOrders> find(const std::string& structure) const = 0;
  /// Failing to store is not an error.
  virtual void keep(const std::string& structure, const KeptOrders& orders) const = 0;
};

}  // namespace sparsedyn
