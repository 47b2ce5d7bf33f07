// The formulation of a robot's dynamics that needs the fewest operations, found by counting.
#pragma once

#include <functional>

#include "model/minimal_tree.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

struct MinimalFormulation {
  MinimalOptions tree;
  std::vector<bool> eliminate;  // forward dynamics: bodies at which joints are eliminated (minimal_elimination.hpp)
};

/// What is free to choose.
struct Choices {
  bool unit = true, elimination = true;
  bool lanes = true;  // the model that is handed to RecordMinimal may have branches in other places
  bool axes_at_rest = true;
};

/// Records the program of a model in a formulation.
using RecordMinimal = std::function<void(Recorder&, const Model&, const MinimalFormulation&)>;

/// Each choice in turn is made by the count before sums are factored, the rest being as it is; the unit of length by that
/// after, unless the program is large; in a small one, whose are the parameters that bodies on a joint share, too. Equal
/// branches become lanes where that is worth it.
Program cheapest_program(const Model& model, const Choices& choices, const RecordMinimal& record);

}  // namespace sparsedyn
