// How a System is built: stages, each of which reads what those before it left in the tables.
#pragma once

#include <vector>

#include "sparsedyn/system/detail/tables.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

class Resolver;

/// The unknowns and equations of each body, in its leading frame.
void add_bodies(SystemTables& tables);
/// Joint space: the rows τ − M G q̈ + Σ Jᵀ fx = bias, one a freedom of the tree, in which a leader's τ has its followers' too;
/// and columns for the wrenches that are not all inputs.
void add_joint_rows(SystemTables& tables);
/// Measurements, inputs and rows of the sensors, and the wrenches that they leave unknown. Throws InputError. system: that has
/// these tables.
void add_sensors(const System& system, SystemTables& tables);
/// Refuses numbers of a sensor, and of a set, that only estimates over time use. Throws InputError.
void check_over_time(const Resolver& resolver, const Sensor& s);
void check_over_time(const SensorSet& set);
/// Rows and unknown forces of the hard constraints. Throws FormulationMisfit, std::invalid_argument.
void add_closures(SystemTables& tables);
/// How well the set says that the state is known. Throws InputError.
void add_state_sigma(SystemTables& tables);
/// Throws FormulationMisfit where the formulation lacks what a sensor reads.
void check_formulation(const SystemTables& tables);
/// The worst-case pattern, its constants, and where the numbers go that vary. system: that has these tables.
void derive_pattern(const System& system, SystemTables& tables);

// What several stages need.
/// A flag for each link: joint space keeps no column for its wrench, since one exact sensor gives it in full.
std::vector<char> known_by_inputs(const SystemTables& tables);
/// Six columns for the wrench on a lumped link.
void add_lumped_wrench(SystemTables& tables, int link);

}  // namespace sparsedyn
