// Sensor sets (sensors/sensor-set.schema.json), plans, constraints, and what joints add to their bodies, as files. A plan file
// holds the decision only: the order, whom it was made for, how healthy it is, and what it costs. The elimination program is
// computed again from the system's own pattern when the file is read, so that no file can make the runtime touch memory it
// should not, and its cost must come out as the file says.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/json/detail/document.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/formulation.hpp"
#include "sparsedyn/system/sensor_set.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// A built-in set by its name, or else the set in the file at that path. Throws InputError, with line and element, where the
/// file does not keep to the schema. Names of joints and links are for System to judge, which knows the robot. What the sets
/// hold that it includes comes first; they are found from the including file's folder.
SensorSet load_sensor_set(const std::string& name_or_path);
/// The set in `text`; messages call it `file`.
SensorSet parse_sensor_set(const std::string& text, const std::string& file);

/// Texts of the sets in sensors/ by name.
const std::map<std::string, std::string>& builtin_sensor_sets();

/// Whom a plan was made for, in words (the fingerprint decides), and how the robot was read.
struct PlanLabel {
  std::string robot, sensors;  // names
  double snap = 0;             // LoadOptions::snap (urdf/load.hpp) that the robot was read with
};

/// The text of a plan file (version 1). `plan` must have been made for all outputs or for some: costs are those of all.
std::string plan_to_json(const Plan& plan, const PlanLabel& label);

/// The formulation that a plan file names; newton-euler where it names none. Throws InputError for a name that none has.
Formulation formulation_of_plan(const json::Document& document);

/// With which LoadOptions::snap the robot of a plan file was read: another makes another pattern of robots whose file rounds
/// quarter turns. Files that record none were made at 1e-9. Throws InputError where it is no number ≥ 0.
double snap_of_plan(const json::Document& document);

/// Reads a plan for a system with this pattern and fingerprint, and builds it for the outputs wanted (empty: all).
/// Throws InputError (file, line) where the file is not a plan of version 1, its order is no pair of permutations, or its
/// costs are not those of its order; PlanMismatch where the fingerprint is another's. of_open_gaps: the pattern that an
/// estimator's order for open gaps is for (EstimatorShape::open_gaps); without it neither that order nor those for gaps are
/// read.
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

// What joints add to their bodies, from a file:
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
/// what is no such file, and for links and joints that the robot lacks, that cannot move as they should, or numbers out of
/// range.
ConstraintSet load_constraint_set(const std::string& path, const Model& model);

/// The same from a text; messages call it `file`.
ConstraintSet parse_constraint_set(const std::string& text, const std::string& file, const Model& model);

}  // namespace sparsedyn
