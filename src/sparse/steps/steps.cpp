#include "sparse/steps/steps.hpp"

namespace sparsedyn {

Flops flops(const Step& step) {
  if (step.reciprocal) return {0, 0, 1};
  const long terms = step.terms(), sums = terms == 0 ? 0 : step.source != no_cell ? terms : terms - 1;
  return {step.lanes * (terms + (step.scale >= 0 ? 1 : 0)), step.lanes * sums, 0};
}

std::vector<char> needed_steps(const Steps& all, const std::vector<int>& wanted_cells, int cells) {
  std::vector<char> wanted(cells, 0), needed(all.list.size(), 0);
  for (int cell : wanted_cells) wanted[cell] = 1;
  for (std::size_t s = all.list.size(); s-- > 0;) {
    const Step& step = all.list[s];
    if (!wanted[step.target]) continue;
    needed[s] = 1;
    if (step.source != no_cell) wanted[step.source] = 1;
    if (step.scale >= 0) wanted[step.scale] = 1;
    for (int t = step.first_term; t < step.end_term; ++t) wanted[all.terms[t].p] = wanted[all.terms[t].q] = 1;
  }
  return needed;
}

}  // namespace sparsedyn
