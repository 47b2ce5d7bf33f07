// What `flops` counts on a robot with a sensor set, and on chains.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/flops/counts.hpp"
#include "sparsedyn/report/page.hpp"

namespace sparsedyn {

/// Three accounts of the same algorithm, never mixed:
///   raw      every operation of the text: entries that are 0 or ±1 for this robot cost as much as others
///   runtime  what ZeroFillLU replays: pivots known to be ±1 are not divided by, what the outputs do not need is left out
///   folded   constants folded, equal values computed once, only what the outputs need
struct FlopsEntry {
  std::string algorithm;
  std::string of;                  // zero_fill_lu and other solvers of the system: the sensor set; program: what it computes
  std::string formulation, order;  // zero_fill_lu
  int n = 0;                       // joints of a chain, or 0
  int unknowns = 0, fill = -1;     // solvers of the system; −1: has none
  bool chosen = false;             // the order that a plan would take
  OperationCounts raw;
  std::optional<OperationCounts> folded;
  std::optional<PhaseCounts> raw_phases, runtime_phases, folded_phases;
  std::string includes;
  std::string not_folded;  // why `folded` is none
  std::vector<PublishedCount> published;
};

struct FlopsReport {
  std::string subject;  // the robot and its set, or the chains
  std::vector<FlopsEntry> entries;
  std::vector<report::Spy> matrices;  // as written down and in the chosen order
};

/// Every algorithm on this robot, and every order of elimination for this set that `optimise` compares: of the augmented system
/// where the set is estimated. Without orders where the set does not determine all, for which `warnings` gains the reason, or
/// where `sensors` is empty.
FlopsReport flops_of_robot(const Model& model, const std::string& sensors, std::vector<std::string>& warnings);

/// General chains of `first` to `last` joints, inverse and forward dynamics, on all cores. `progress`, if any, is called from
/// this thread with the share that is done.
FlopsReport flops_of_chains(int first, int last, const std::function<void(double)>& progress = {});

}  // namespace sparsedyn
