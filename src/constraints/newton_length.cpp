// How far Newton's iteration goes along its step.
#include <cmath>

#include "newton_iteration.hpp"

namespace sparsedyn {

/// Derivatives of the cost at j + α dj: of what M holds, whose slope and growth are ahead[0] and ahead[1], and of every block.
void add_slopes(const NewtonIteration& of, const double* ahead, double alpha, double& first, double& second) noexcept {
  first = ahead[0] + alpha * ahead[1], second = ahead[1];
  for (std::size_t k = 0; k < of.rows.blocks().size(); ++k) {
    const int r = of.rows.blocks()[k].first_row;
    if (of.rows.states()[k].active)
      add_slope_along(of.rows.states()[k].law, of.outlooks_[k], of.j.data() + r, of.steps_.data() + r, alpha, first, second);
  }
}

namespace {

using law_rows = NewtonIteration;
#define LAW_SLOPE(rows, ahead, alpha, first, second) add_slopes(*(rows), ahead, alpha, *(first), *(second))
#include "line_search.h"

}  // namespace

double NewtonIteration::best_length() noexcept {
  for (std::size_t r = 0; r < j.size(); ++r) steps_[r] = j_next[r] - j[r];
  for (std::size_t k = 0; k < outlooks_.size(); ++k) {
    const int r = rows.blocks()[k].first_row;
    look_ahead(rows.states()[k].law, j.data() + r, steps_.data() + r, outlooks_[k]);
  }
  double ahead[4] = {0, 0, 0, 0}, length = 1;
  for (std::size_t r = 0; r < j.size(); ++r) {
    const double work = lambda[r] * steps_[r];
    ahead[0] += work, ahead[1] += (lambda_next[r] - lambda[r]) * steps_[r];
    ahead[2] += (lambda[r] - f[r]) * steps_[r], ahead[3] += std::abs(work);
  }
  law_length(this, ahead, 1, 1e-10, &length);
  return length;
}

}  // namespace sparsedyn
