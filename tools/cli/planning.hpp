// Where a command's plan comes from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/ordering/determinacy.hpp"
#include "sparsedyn/solve/plan.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// The plan in that file, its health sampled anew at this robot's numbers; with an empty path the shipped plan that fits, else
/// the recursive order if it is healthy, else the best that a search finds. Throws InputError where the file is no plan,
/// AnswerIsNo where it was made for another robot or sensor set, or where the set determines less or more than all, and
/// SingularSystem where the set does in general, but one of this robot's bodies has no inertia.
Plan plan_for(const System& system, const std::string& path, const CommonOptions& common);

/// Throws AnswerIsNo, in words, unless every unknown is determined by as many rows.
void require_determined(const System& system, const Determinacy& found);

/// "insufficient: 10 of 12 …", the undetermined unknowns, and what would help.
std::string in_words(const System& system, const Determinacy& found);

/// The files of patterns/, by name.
const std::vector<std::pair<std::string, std::string>>& shipped_plan_texts();

}  // namespace sparsedyn::cli
