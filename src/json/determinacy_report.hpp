// The answer of `check` for the user's eyes and for programs.
#pragma once

#include <string>

#include "json/json_text.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"

namespace sparsedyn {

/// The verdict, what is undetermined, which exact rows depend on each other, and what sensors would help; several lines.
std::string in_words(const System& system, const Determinacy& found);
json::Json to_json(const System& system, const Determinacy& found);

/// Singular configurations met; one line.
std::string in_words(const RankOverStates& found);
json::Json to_json(const RankOverStates& found);

}  // namespace sparsedyn
