#include <algorithm>

#include "ordering/strategies.hpp"
#include "umfpack.hpp"

namespace sparsedyn {

std::vector<Candidate> umfpack_candidates(const OrderingProblem& problem, int states) {
  std::vector<double> values(problem.pattern.entries()), right_side(problem.pattern.rows);
  std::vector<Candidate> candidates;
  for (int s = 0; s < std::min(states, problem.samples.random); ++s) {
    problem.samples.fill(s, values.data(), right_side.data());
    if (const std::optional<Order> order = umfpack_order(problem.pattern, values.data()))
      candidates.push_back({"umfpack", *order});
  }
  return candidates;
}

}  // namespace sparsedyn
