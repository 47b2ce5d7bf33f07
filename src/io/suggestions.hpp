// Names that a mistyped one may have meant.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// Edits that turn a into b: a letter inserted, deleted, replaced, or swapped with its neighbour (optimal string alignment,
/// Damerau 1964), upper and lower case being the same letter. Cost |a| |b|.
int edit_distance(const std::string& a, const std::string& b);

/// Up to three candidates other than the name, nearest first: those within a third of the name's length (but at least two
/// edits) of it, and those of which it is a piece or which are a piece of it: `torso` finds `torso_1_joint`, `RL_calf`
/// `RL_calf_joint`, `tau.knee` `tau.left_knee_joint`.
std::vector<std::string> suggestions(const std::string& name, const std::vector<std::string>& candidates);

/// " (near: a, b)" for messages, or nothing where no candidate is near.
std::string suggestions_text(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace sparsedyn
