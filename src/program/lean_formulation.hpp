// The formulation of a robot's dynamics that needs the fewest operations, found by counting.
#pragma once

#include <functional>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/program/lean_tree.hpp"
#include "sparsedyn/program/program.hpp"
#include "sparsedyn/program/recorder.hpp"

namespace sparsedyn {

struct LeanFormulation {
  bool lean = true;  // on a LeanTree, where the Model has one; else the algorithms' templates on the Model as it is
  LeanOptions tree;
  std::vector<bool> eliminate;  // forward dynamics: bodies at which joints are eliminated (lean_elimination.hpp)
};

bool is_lean(const Model& model, const LeanFormulation& f);

/// What is free to choose.
struct Choices {
  bool unit = true, elimination = true;
  bool lanes = true;  // the model that is handed to RecordLean may have branches in other places
  bool axes_at_rest = true;
};

/// Records the program of a model in a formulation.
using RecordLean = std::function<void(Recorder&, const Model&, const LeanFormulation&)>;

/// Each choice in turn is made by the count before sums are factored, the rest being as it is; the unit of length by that
/// after, unless the program is large; in a small one, whose are the parameters that bodies on a joint share, too. Equal
/// branches become lanes where that is worth it. No choice may cost digits: where a lean formulation is less exact than the
/// templates (lost_digits.hpp), as with masses or lengths far apart, the program is theirs.
/// `found`: where not null, the formulation.
Program cheapest_program(const Model& model, const Choices& choices, const RecordLean& record,
                         LeanFormulation* found = nullptr);

}  // namespace sparsedyn
