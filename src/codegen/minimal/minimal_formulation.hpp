// The formulation of a robot's dynamics that needs the fewest operations, found by counting.
#pragma once

#include <functional>

#include "column_options.hpp"
#include "model/minimal_tree.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

struct MinimalFormulation {
  bool minimal = true;  // on a MinimalTree, where the Model has one; else the algorithms' templates on the Model as it is
  MinimalOptions tree;
  std::vector<bool> eliminate;  // forward dynamics: bodies at which joints are eliminated (minimal_elimination.hpp)
  bool tensors = false;         // M: composite inertias are tensors, not second moments (minimal_crba.hpp)
  ColumnOptions columns = {};   // M: how columns pass from body to body
};

bool is_minimal(const Model& model, const MinimalFormulation& f);

/// What is free to choose.
struct Choices {
  bool unit = true, elimination = true, axes_at_rest = true;
  bool varying = false;  // inertias may be inputs: then frames and where shared parameters go are chosen, too
  bool tensors = false;  // M is recorded by composite bodies
};

/// Records the program of a model in a formulation.
using RecordMinimal = std::function<void(Recorder&, const Model&, const MinimalFormulation&)>;

/// The cheapest formulation that the search finds. It makes one choice after the other and keeps each that saves operations,
/// counted before sums are factored. The unit of length is chosen by the count after factoring, unless the program is large. In
/// a small program the search also says which of two bodies on a joint keeps the parameters that they share. Where inertias may
/// be inputs it is made twice, frames body by body or all alike, and the cheaper result is taken. No choice may cost digits:
/// where a minimal formulation is less exact than the templates (lost_digits.hpp), as with masses or lengths far apart, it is
/// theirs.
MinimalFormulation cheapest_formulation(const Model& model, const Choices& choices, const RecordMinimal& record);

/// The program in a formulation, its sums factored.
Program program_in(const Model& model, const MinimalFormulation& f, const RecordMinimal& record);

}  // namespace sparsedyn
