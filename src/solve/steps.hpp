// Steps of a straight-line program before they are packed: each writes one cell, and each cell is written once.
#pragma once

#include <vector>

#include "sparsedyn/solve/replay.hpp"

namespace sparsedyn {

constexpr int no_cell = -1;

struct Step {
  int target, source, scale;  // cells; source and scale may be no_cell
  bool reciprocal;
  int first_term, end_term;  // in Steps::terms
  StepShape shape() const {
    return {static_cast<std::uint32_t>(end_term - first_term), source != no_cell, scale != no_cell, reciprocal};
  }
};

struct Steps {
  struct Term {
    int p, q;
  };
  std::vector<Step> list;
  std::vector<Term> terms;
};

/// Which steps of `all` the wanted cells depend on.
std::vector<char> needed_steps(const Steps& all, const std::vector<int>& wanted_cells, int cells);

/// The chosen steps in another order, with runs of one shape as long as the inputs allow.
std::vector<int> scheduled(const Steps& all, const std::vector<int>& chosen, int cells);

/// Packs the chosen steps (in their order) and counts their operations.
Replay pack(const Steps& all, const std::vector<int>& chosen);

}  // namespace sparsedyn
