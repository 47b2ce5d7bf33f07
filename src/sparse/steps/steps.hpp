// Steps of a straight-line program before they are packed: each cell is written once.
#pragma once

#include <algorithm>
#include <vector>

#include "sparsedyn/sparse/detail/schedule.hpp"

namespace sparsedyn {

constexpr int no_cell = -1;
constexpr int minus_one = -2;  // as a step's scale: a change of sign

struct Step {
  int target, source, scale;  // cells; source and scale may be no_cell, scale minus_one
  bool reciprocal;
  int first_term, end_term;  // in Steps::terms
  int lanes = 1;             // neighbouring targets, sources and factors q that share this step's factors p
  int terms() const { return end_term - first_term; }
  StepShape shape() const {
    const std::uint32_t most = lanes > 1 && terms() > 0 ? several_terms : static_cast<std::uint32_t>(terms());
    return {std::min(most, several_terms), static_cast<std::uint16_t>(lanes), source != no_cell,
            scale == no_cell     ? Scaling::none
            : scale == minus_one ? Scaling::negation
                                 : Scaling::by_cell,
            reciprocal};
  }
};

struct Steps {
  struct Term {
    int p, q;
  };
  std::vector<Step> list;
  std::vector<Term> terms;
};

/// Operations of one step.
Flops flops(const Step& step);

/// Joins chosen steps of one scalar each that follow each other and differ only by the next cell over (the entries of a row of
/// L or U that are reduced by the same rows) into steps of up to `most_lanes` lanes.
Steps joined_lanes(const Steps& all, const std::vector<int>& chosen, int most_lanes);

/// Which steps of `all` the wanted cells depend on.
std::vector<char> needed_steps(const Steps& all, const std::vector<int>& wanted_cells, int cells);

/// The indices of the steps in another order, with few runs of one shape.
std::vector<int> order_of_steps(const Steps& steps, int cells);

/// Batches the steps in the order given and counts their operations.
Schedule encoded(const Steps& steps, const std::vector<int>& order);

}  // namespace sparsedyn
