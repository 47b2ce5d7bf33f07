// Names in messages: those that a mistyped one may have meant, lists of them, and requests that name what is not there.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace sparsedyn {

/// A request that cannot be met, whatever the files hold: an unknown name, options that contradict each other. what() says
/// which, and what was expected.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Edits that turn a into b: a letter inserted, deleted, replaced, or swapped with its neighbour (optimal string alignment,
/// Damerau 1964), upper and lower case being the same letter. Cost |a| |b|.
int edit_distance(const std::string& a, const std::string& b);

/// Up to three candidates other than the name, nearest first: those within a third of the name's length (but at least two
/// edits) of it, and those of which it is a piece or which are a piece of it: `torso` finds `torso_1_joint`, `RL_calf`
/// `RL_calf_joint`, `tau.knee` `tau.left_knee_joint`.
std::vector<std::string> suggestions(const std::string& name, const std::vector<std::string>& candidates);

/// " (near: a, b)" for messages, or nothing where no candidate is near.
std::string suggestions_text(const std::string& name, const std::vector<std::string>& candidates);

/// "a, b, c".
std::string comma_list(const std::vector<std::string>& names);

/// "a, b, c and 4 more", for messages.
std::string listing(const std::vector<std::string>& names, std::size_t most = 8);

}  // namespace sparsedyn
