// Sensor sets (sensors/sensor-set.schema.json), plans, constraints and joint physics as files. A plan file holds decisions
// only: the order, the robot and set that it was made for, its health and its cost. The elimination program is computed from
// the system's own pattern when the file is read, so a file cannot cause invalid memory accesses, and the computed cost must
// equal the file's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/json/document.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/formulation.hpp"
#include "sparsedyn/system/sensor_set.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// A built-in set by its name, or else the set in the file at that path. Throws InputError, with line and element, if the file
/// violates the schema. System checks the names of joints and links, because it knows the robot. Included sets come first;
/// their paths are relative to the including file's folder.
SensorSet load_sensor_set(const std::string& name_or_path);
/// The set in `text`; messages call it `file`.
SensorSet parse_sensor_set(const std::string& text, const std::string& file);

/// Texts of the sets in sensors/ by name.
const std::map<std::string, std::string>& builtin_sensor_sets();

/// The robot and set of a plan in words (the fingerprint decides whether it fits), and how the robot was read.
struct PlanLabel {
  std::string robot, sensors;  // names
  double snap = 0;             // LoadOptions::snap (urdf/load.hpp) that the robot was read with
};

/// The text of a plan file (version 1). `plan` must have been made for all outputs or for some: costs are those of all.
std::string plan_to_json(const Plan& plan, const PlanLabel& label);

/// The formulation that a plan file names; newton-euler if it names none. Throws InputError for an unknown name.
Formulation formulation_of_plan(const json::Document& document);

/// The LoadOptions::snap with which the robot of a plan file was read. Another value gives another pattern if the robot's file
/// rounds quarter turns. Files without a record were made at 1e-9. Throws InputError if it is not a number ≥ 0.
double snap_of_plan(const json::Document& document);

/// Reads a plan for a system with this pattern and fingerprint, and builds it for the outputs wanted (empty: all).
/// Throws InputError (file, line) if the file is not a plan of version 1, its order is not a pair of permutations, or its costs
/// are not those of its order; PlanMismatch if the fingerprint differs. of_open_gaps: the pattern of an estimator's order for
/// open gaps (EstimatorShape::open_gaps); without it neither that order nor those for gaps are read.
Plan plan_from_json(const json::Document& document, const std::string& fingerprint, const Pattern& pattern,
                    const UnitEntries& unit = {}, const std::vector<int>& outputs = {}, const Pattern* of_open_gaps = nullptr);
/// The same of the estimator of a system's set. Cost: dense rank decisions, O(n³).
Plan estimator_plan_from_json(const json::Document& document, const System& system);
/// The plan in a file, for make_solver or make_estimator (runtime/make_solver.hpp) with the system's robot and set: of the
/// system in the formulation that the file names, or of the estimator of its set. `path` may be `-` for the standard input.
/// Throws what plan_from_json throws. Cost, of an estimator's plan: dense rank decisions, O(n³).
Plan load_plan(const std::string& path, const System& system);
/// plan_from_json of the file.
Plan load_plan(const std::string& path, const std::string& fingerprint, const Pattern& pattern, const UnitEntries& unit = {},
               const std::vector<int>& outputs = {}, const Pattern* of_open_gaps = nullptr);

// Joint physics from a file:
//   {"joints": {"JOINT": {"armature": 0.1, "damping": 0.2, "friction": 0.3, "offset": 0, "smoothing": 0.01, "stribeck": 0.4,
//                         "stribeck_velocity": 0.1, "stiffness": 5}}}

/// Sets the JointPhysics of the joints that the file names and replaces what the model had for them. A missing key means 0
/// (smoothing: 0.01, stribeck_velocity: 0.1). `absent` lists joints that the file may name although they were locked or cut;
/// they are ignored. `path` may be `-` for the standard input. Throws InputError with the file's line if the file is malformed,
/// a joint is unknown, fixed or has several freedoms, or a number other than the offset is negative.
void load_joint_physics(const std::string& path, Model& model, const std::vector<std::string>& absent = {});

/// The same from a text; messages call it `name`.
void parse_joint_physics(const std::string& text, const std::string& name, Model& model,
                         const std::vector<std::string>& absent = {});

// Constraints from a file:
//   {"name": "standing", "parameters": {"cone": "elliptic", "impratio": 1, "timestep": 0.002},
//    "constraints": [{"name": "left", "type": "contact", "link": "l_foot", "points": [[0.1, 0, -0.09]], "friction": 0.8}]}

/// The set in the file at `path` (`-`: the standard input). Throws InputError, with the file's line and the nearest names, for
/// a malformed file, for links and joints that the robot lacks or that cannot move as needed, and for numbers out of range.
ConstraintSet load_constraint_set(const std::string& path, const Model& model);

/// The same from a text; messages call it `file`.
ConstraintSet parse_constraint_set(const std::string& text, const std::string& file, const Model& model);

}  // namespace sparsedyn
