// The answer of `check` for the user's eyes and for programs.
#pragma once

#include <string>

#include "cli/support/json_text.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"

namespace sparsedyn::cli {

/// The verdict, what is undetermined, which exact rows depend on each other, and what sensors would help; several lines.
std::string in_words(const System& system, const Determinacy& found);
Json to_json(const System& system, const Determinacy& found);

/// Singular configurations met; one line.
std::string in_words(const RankOverStates& found);
Json to_json(const RankOverStates& found);

/// Throws AnswerIsNo unless every unknown is determined by as many rows.
void require_determined(const System& system, const Determinacy& found);
/// Throws AnswerIsNo where something is undetermined, or exact rows depend on each other.
void require_plannable(const System& system, const Determinacy& found);

}  // namespace sparsedyn::cli
