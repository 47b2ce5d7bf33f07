// Names of unknowns, equations and log columns.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// acc, f, tau, fx or ddq: what the names of its unknowns begin with.
const char* kind_name(VariableKind kind);
/// All five.
const std::vector<std::string>& kind_names();
/// wx wy wz vx vy vz.
const std::vector<std::string>& motion_suffixes();
/// nx ny nz fx fy fz.
const std::vector<std::string>& force_suffixes();

/// "LINK", or "JOINT.k" for the k-th (from 1) of several bodies of a joint, but its last.
std::string acc_owner_name(const Model& model, int body);
/// "JOINT", or "JOINT.k" likewise.
std::string f_owner_name(const Model& model, int body);

std::vector<std::string> names_of_unknowns(const System& system);
std::vector<std::string> names_of_equations(const System& system);

/// The forces of a hard constraint, without "lambda.": `rod.x`, `grip.nx`, `finger`; of a weld the moments first. Where rows
/// stand in the axes of a link, the forces along these come first: `rod.LINK.x`.
std::vector<std::string> closure_forces(const Model& model, const Closure& c);

}  // namespace sparsedyn
