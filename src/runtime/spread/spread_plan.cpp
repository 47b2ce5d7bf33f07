#include "runtime/spread/spread_plan.hpp"

#include <utility>

#include "determinacy/held_exactly.hpp"
#include "sparse/inverse/cheapest_sweep.hpp"

namespace sparsedyn {

SpreadPlan::SpreadPlan(const Augmented& augmented, const Plan& plan, const Outputs& outputs, const std::vector<bool>& held,
                       Spread wanted, ColumnPairs pairs, const std::vector<char>& solved)
    : outputs_(outputs),
      pairs_(std::move(pairs)),
      first_of_output_(outputs.columns().size(), -1),
      of_row_(augmented.equations(), -1),
      first_of_pair_(pairs_.size(), -1),
      held_(outputs.columns().size(), 1) {
  const int m = augmented.equations(), n = augmented.unknowns();
  std::vector<EntryGroup> groups;
  std::vector<int*> place;  // of each group
  std::vector<int> group_of_output(outputs.columns().size(), -1);
  const auto is_solved = [&](std::size_t k) { return k < solved.size() && solved[k] != 0; };
  for (std::size_t c = 0; wanted.of_outputs && c < first_of_output_.size(); ++c) {
    if (is_solved(c)) {
      solves_ = solves_ + plan.solve_flops();
      continue;
    }
    EntryGroup group;
    const std::vector<int>& unknowns = outputs.unknowns_of(static_cast<int>(c));
    for (std::size_t a = 0; a < unknowns.size(); ++a)
      for (std::size_t b = a; b < unknowns.size(); ++b) group.push_back({unknowns[a], m + unknowns[b]});
    group_of_output[c] = static_cast<int>(groups.size());
    groups.push_back(std::move(group)), place.push_back(&first_of_output_[c]);
  }
  for (int r = 0; wanted.of_rows && r < m; ++r) {
    if (augmented.exact(r)) continue;
    if (is_solved(outputs.columns().size() + static_cast<std::size_t>(r)))
      solves_ = solves_ + plan.solve_flops();
    else
      groups.push_back({{n + r, r}}), place.push_back(&of_row_[r]);
  }
  for (std::size_t k = 0; wanted.of_outputs && k < pairs_.size(); ++k) {
    EntryGroup group;
    for (int a : outputs.unknowns_of(pairs_[k].first))
      for (int b : outputs.unknowns_of(pairs_[k].second)) group.push_back({a, m + b});
    groups.push_back(std::move(group)), place.push_back(&first_of_pair_[k]);
  }
  std::vector<char> swept = worth_sweeping(plan, groups);
  const auto is_swept = [&](int output) {
    const int group = group_of_output[output];
    return group >= 0 && swept[group] != 0;
  };
  const std::size_t first_pair = groups.size() - (wanted.of_outputs ? pairs_.size() : 0);
  for (std::size_t g = first_pair; g < groups.size(); ++g) {  // digits of a covariance are told beside both variances
    const auto& [a, b] = pairs_[g - first_pair];
    swept[g] = swept[g] && is_swept(a) && is_swept(b);
  }
  std::vector<InverseEntry> entries;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!swept[g]) {
      solves_ = solves_ + plan.solve_flops();
      continue;
    }
    *place[g] = static_cast<int>(entries.size());
    entries.insert(entries.end(), groups[g].begin(), groups[g].end());
    ++swept_;
  }
  inverse_ = inverse_program(plan, entries);
  for (const unsigned seed : {17u, 23u}) moves_.push_back(moved_entries(plan.pattern, plan.unit, seed));
  for (std::size_t i = 0; i < moves_[0].unit.size(); ++i) moves_[1].unit[i] *= moves_[0].unit[i];
  for (std::size_t c = 0; c < held_.size(); ++c)
    for (int u : outputs.unknowns_of(static_cast<int>(c)))
      if (!held[u]) held_[c] = 0;
}

Flops SpreadPlan::flops() const noexcept { return inverse_.sweep.flops + solves_; }

Flops flops_of_deviations(const System& system, const EstimatorPlan& plan) {
  const std::vector<std::string> names = default_outputs(system);
  const Outputs outputs(system, names);  // of no names: all unknowns, of which nothing is asked
  return SpreadPlan(plan.augmented, plan.plan, outputs, held_exactly(system), {!names.empty(), true}).flops();
}

}  // namespace sparsedyn
