// What joints add to their bodies, from a file:
//   {"joints": {"JOINT": {"armature": 0.1, "damping": 0.2, "friction": 0.3, "offset": 0, "smoothing": 0.01}}}
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Sets armature, damping, friction, offset and smoothing of the joints that the file names, in place of what the model had of
/// them; keys that are missing stand for 0 (smoothing: 1e-2). `absent`: joints that the file may name though the model has
/// them no more (locked or cut); they are passed over. `path` may be `-` for the standard input. Throws InputError, with the
/// file's line, for what is no such file, for joints that are unknown, fixed or have several freedoms, and for negative numbers
/// but the offset.
void load_joint_physics(const std::string& path, Model& model, const std::vector<std::string>& absent = {});

/// The same from a text; messages call it `name`.
void parse_joint_physics(const std::string& text, const std::string& name, Model& model,
                         const std::vector<std::string>& absent = {});

}  // namespace sparsedyn
