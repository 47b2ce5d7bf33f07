#include "sparse/steps/steps.hpp"

namespace sparsedyn {
namespace {

bool next_over(int cell, int lanes, int next) { return cell == no_cell ? next == no_cell : next == cell + lanes; }

/// True where `next` does to the cells `lanes` further what `step` does.
bool continues(const Steps& all, const Step& step, const Step& next) {
  const int terms = step.end_term - step.first_term;
  if (step.reciprocal || next.reciprocal || next.end_term - next.first_term != terms) return false;
  if (next.scale != step.scale || !next_over(step.target, step.lanes, next.target) ||
      !next_over(step.source, step.lanes, next.source))
    return false;
  for (int t = 0; t < terms; ++t) {
    const Steps::Term &own = all.terms[step.first_term + t], &other = all.terms[next.first_term + t];
    if (other.p != own.p || other.q != own.q + step.lanes) return false;
  }
  return true;
}

}  // namespace

Steps joined_lanes(const Steps& all, const std::vector<int>& chosen, int most_lanes) {
  Steps joined;
  joined.terms = all.terms;
  for (int s : chosen) {
    const Step& step = all.list[s];
    if (!joined.list.empty() && joined.list.back().lanes < most_lanes && continues(all, joined.list.back(), step))
      ++joined.list.back().lanes;
    else
      joined.list.push_back(step);
  }
  return joined;
}

}  // namespace sparsedyn
