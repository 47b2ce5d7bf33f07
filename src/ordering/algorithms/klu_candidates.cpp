// Orders of KLU (Davis & Palamadai Natarajan, ACM TOMS 37, 2010): block triangular form or not, then AMD or COLAMD on the
// blocks, then pivots by value at one state.
#include "ordering/strategies.hpp"

#ifdef SPARSEDYN_SUITESPARSE
#include <klu.h>

#include <algorithm>

#include "columns.hpp"

namespace sparsedyn {
namespace {

struct Strategy {
  const char* name;
  int block_triangular, ordering;  // 0: AMD, 1: COLAMD
};

std::optional<Order> klu_order(const Pattern& pattern, const double* values, const Strategy& strategy) {
  Columns A = untied_columns(pattern, values);
  klu_common common;
  klu_defaults(&common);
  common.btf = strategy.block_triangular;
  common.ordering = strategy.ordering;
  const int n = pattern.columns;
  klu_symbolic* symbolic = klu_analyze(n, A.start.data(), A.row.data(), &common);
  if (!symbolic) return {};
  klu_numeric* numeric = klu_factor(A.start.data(), A.row.data(), A.value.data(), symbolic, &common);
  std::optional<Order> order;
  if (numeric && common.status == KLU_OK)
    order = Order{std::vector<int>(numeric->Pnum, numeric->Pnum + n), std::vector<int>(symbolic->Q, symbolic->Q + n)};
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  return order;
}

}  // namespace

std::vector<Candidate> klu_candidates(const OrderingProblem& problem, int states) {
  std::vector<double> values(problem.pattern.entries()), right_side(problem.pattern.rows);
  std::vector<Candidate> candidates;
  for (int s = 0; s < std::min(states, problem.samples.random); ++s) {
    problem.samples.fill(s, values.data(), right_side.data());
    for (const Strategy& strategy : {Strategy{"colamd", 0, 1}, Strategy{"btf+amd", 1, 0}, Strategy{"btf+colamd", 1, 1}})
      if (const std::optional<Order> order = klu_order(problem.pattern, values.data(), strategy))
        candidates.push_back({strategy.name, *order});
  }
  return candidates;
}

}  // namespace sparsedyn

#else

namespace sparsedyn {

std::vector<Candidate> klu_candidates(const OrderingProblem&, int) { return {}; }

}  // namespace sparsedyn

#endif
