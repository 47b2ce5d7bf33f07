// What making a SensorSolver throws, as answers that are no.
#pragma once

#include <string>

#include "answer_is_no.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/runtime/plan_source.hpp"

namespace sparsedyn {

/// Throws AnswerIsNo where something is undetermined, or exact rows depend on each other.
void require_plannable(const System& system, const Determinacy& found);

/// A stored plan does not fit. Throws AnswerIsNo.
[[noreturn]] void refuse_plan(const std::string& reason);

/// In a handler of what making a SensorSolver or SensorDerivatives of `system` threw: throws AnswerIsNo in its place where that
/// says that the answer is no, else the same again.
[[noreturn]] void rethrow_as_answer(const System& system, const PlanSource& plans);

}  // namespace sparsedyn
