// What a System consists of: tables that are built once (src/system/build/) and read at each state (src/system/assemble.hpp).
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/sparse/pattern.hpp"
#include "sparsedyn/system/body_terms.hpp"
#include "sparsedyn/system/closure.hpp"
#include "sparsedyn/system/equations.hpp"
#include "sparsedyn/system/formulation.hpp"
#include "sparsedyn/system/measurement.hpp"
#include "sparsedyn/system/rigid_group.hpp"
#include "sparsedyn/system/sensor_set.hpp"

namespace sparsedyn {

/// A varying entry: its place in the values, and among the numbers as they come.
struct VaryingEntry {
  int value, number;
};

/// The right-hand side of a sensor's row: an entry of y (input −1: none) plus a constant, which holds known offsets.
struct SensorReading {
  int row, input;
  double constant;
};

/// Where a sensor reads an acceleration that is shifted: its row, the entry's place in the values, whose component.
struct ShiftedReading {
  int row, value, body, component;
};

struct SystemTables {
  Formulation formulation;
  Model model;
  SensorSet sensors;
  bool sums_inertias = false;      // of bodies so unlike that small ones may lose their digits
  bool stands_for_inputs = false;  // numbers of its robot are examples

  std::vector<Variable> unknowns;
  std::vector<Equation> equations;
  std::vector<std::string> unknown_names, equation_names;
  std::vector<BodyTerms> terms;               // a body each
  std::vector<int> fx_columns;                // a link each; −1: none
  std::vector<int> tau_columns, ddq_columns;  // a freedom each
  std::vector<int> tree_tau_columns;          // a freedom of the tree each
  std::vector<Pose<double>> link_in_leading;  // a link each
  int torque_rows = 0;                        // joint space: the first of the tree's nv
  std::vector<char> related;                  // joint space, tree's nv × nv: one freedom moves the other's body

  std::vector<Input> inputs;
  std::vector<Measurement> measurements;
  std::vector<SensorReading> readings;
  std::vector<int> varying_sensors;  // measurements with rows() of their own
  std::vector<KnownWrench> known_wrenches;
  std::vector<RigidGroup> rigid_groups;
  std::vector<Closure> closures;
  bool needs_world = false;  // some row reads the bodies' poses in the world
  std::vector<double> position_sigma, velocity_sigma;

  Pattern pattern;
  std::vector<double> constants;  // values of the entries that do not vary, 0 elsewhere; in the pattern's order
  std::vector<VaryingEntry> varying;
  std::size_t numbers = 0;  // that assembling computes; each may stand at several places
  std::vector<ShiftedReading> shifted_readings;
};

}  // namespace sparsedyn
