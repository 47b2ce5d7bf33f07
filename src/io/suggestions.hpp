// Names that a mistyped one may have meant.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// Edits that turn a into b: a letter inserted, deleted, replaced, or swapped with its neighbour (optimal string alignment,
/// Damerau 1964), upper and lower case being the same letter. Cost |a| |b|.
int edit_distance(const std::string& a, const std::string& b);

/// Up to three candidates, nearest first, that lie within a third of the name's length (but at least two edits) of it.
std::vector<std::string> suggestions(const std::string& name, const std::vector<std::string>& candidates);

/// " (near: a, b)" for messages, or nothing where no candidate is near.
std::string suggestions_text(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace sparsedyn
