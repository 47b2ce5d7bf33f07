// Names: whether the columns are the robot's at all, and what is called otherwise than in the robot.
#include <algorithm>
#include <set>

#include "inspection/tests.hpp"
#include "io/suggestions.hpp"
#include "io/text/begins.hpp"
#include "io/text/how_many.hpp"
#include "logs/named_joints.hpp"
#include "model/columns.hpp"
#include "spellings.hpp"
#include "system/names.hpp"
#include "system/sensors/contact_targets.hpp"

namespace sparsedyn::inspection {
namespace {

using Names = std::vector<std::string>;

void append(Names& all, const Names& more) { all.insert(all.end(), more.begin(), more.end()); }

bool is_reading(const std::string& column) { return begins(column, "y."); }

/// Columns that say whether contacts of the set stand.
Names flags_of(const System& system) {
  Names flags;
  for (const Sensor& sensor : system.sensors().sensors)
    if (sensor.type == "contact")
      for (const sensors::ContactTarget& target : sensors::contact_targets(system, sensor)) flags.push_back(target.flag);
  return flags;
}

/// The columns that the robot and its sensors can have.
std::set<std::string> columns_of_robot(const Examination& x) {
  Names all = motion_columns(x.model);
  for (const auto& [column, joint] : joints_of_columns(x.model)) all.push_back(column);
  for (const Link& link : x.model.links) append(all, with_prefix("fx." + link.name, force_suffixes()));
  append(all, {x.flags.begin(), x.flags.end()});
  if (x.system)
    for (const Measurement& m : x.system->measurements()) append(all, m.columns), append(all, m.stand_ins);
  return {all.begin(), all.end()};
}

const char* const rename = "rename the columns as `sparsedyn info` lists them";

/// " (near: J1 for joint1)", or nothing.
std::string nearest_text(const Names& own, const Names& other) {
  for (const std::string& name : own)
    if (const Names near = suggestions(name, other); !near.empty()) return " (near: " + near.front() + " for " + name + ")";
  return "";
}

/// Whether the log is another robot's: then what it lacks and what is called otherwise need no word. `knows_one`: some column
/// may be the robot's.
bool tell_of_other_robot(Examination& x, const Names& unknown, bool knows_one) {
  const std::string no_joint = other_robot_text(x.model, x.log.columns);
  const Names own = moving_joints(x.model);
  if (no_joint.empty() && (knows_one || own.empty())) return false;
  Names all = unknown;
  append(all, x.log.others);
  const bool none = all.empty();
  if (none) all = x.log.columns;
  const std::string has = !no_joint.empty()
                              ? "the log names " + no_joint + nearest_text(own, named_joints(x.model, x.log.columns).other)
                          : all.empty() ? "the log has no column"
                          : none        ? "the log has no column but time"
                                        : "the log has no joint, link or sensor of the robot: " + listing(all, 4);
  x.add(FindingKind::other_robot, Severity::harm, all, has + "; the robot's joints are " + listing(own, 4),
        "a log of another robot, or one with names of its own", std::string("give the robot of this log, or ") + rename);
  return true;
}

/// `strange`: columns that are nothing of the robot's. Of the joints that the log names, fewer are the robot's than are not,
/// and these are less than half of the robot's. Of a log with readings and none of the robot's joints, one other joint tells
/// nothing.
void tell_of_few_joints(Examination& x, const Names& strange) {
  const Names other = named_joints(x.model, strange).other;
  const std::size_t own = named_joints(x.model, x.log.columns).own.size(), all = moving_joints(x.model).size();
  if (own >= other.size() || 2 * own >= all || (own == 0 && other.size() == 1)) return;
  x.add(FindingKind::other_robot, Severity::doubt, strange,
        "the log names " + std::to_string(own) + " of the robot's " + std::to_string(all) + " joints, and " +
            how_many(static_cast<long>(other.size()), "other joint", "other joints") + ": " + listing(other, 4),
        "a log of another robot", std::string("give the robot of this log, or ") + rename);
}

/// Columns that are another spelling of one which the log lacks; returns the others.
Names tell_of_spellings(Examination& x, const Names& unknown) {
  const std::vector<Spelling> spelt = other_spellings(x.model, unknown, x.log.columns);
  if (spelt.empty()) return unknown;
  constexpr std::size_t most = 4;
  Names columns, rest;
  std::string evidence;
  for (const Spelling& one : spelt) {
    if (columns.size() < most)
      evidence += (evidence.empty() ? "" : "; ") + ("the robot has no " + one.in_log + ", the log no " + one.of_robot);
    columns.push_back(one.in_log), x.misspelt.push_back(one.of_robot);
  }
  if (spelt.size() > most) evidence += "; and " + std::to_string(spelt.size() - most) + " more";
  for (const std::string& name : unknown)
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) rest.push_back(name);
  x.add(FindingKind::unknown_name, Severity::doubt, columns, evidence, "other spellings of names of the robot", rename);
  return rest;
}

/// Columns that are compared with nothing, by the reason.
void list_strange(Examination& x, const Names& strange) {
  Names base, fixed, readings, other;
  for (const std::string& name : strange)
    if (is_of_missing_base(x.model, name))
      base.push_back(name);
    else if (is_of_fixed_joint(x.model, name))
      fixed.push_back(name);
    else
      (is_reading(name) ? readings : other).push_back(name);
  if (!base.empty()) x.unjudged(base, "of a floating base, which the robot has with --floating");
  if (!fixed.empty()) x.unjudged(fixed, "of joints that are fixed, or held by --lock");
  if (!readings.empty()) x.unjudged(readings, "readings of no sensor of the set");
  if (!other.empty()) x.unjudged(other, "compared with nothing: no joint or link of the robot has this name");
}

/// Joints of which the log has nothing of a kind that it has of others.
void list_missing(Examination& x) {
  const std::map<std::string, std::string> joint_of = joints_of_columns(x.model);
  const std::set<std::string> there(x.log.columns.begin(), x.log.columns.end());
  for (const Names& all : {with_prefix("q", coordinate_names(x.model)), with_prefix("dq", velocity_names(x.model)),
                           with_prefix("tau", force_names(x.model))}) {
    Names lacking;
    bool some = false;
    for (const std::string& name : all) {
      if (!joint_of.count(name)) continue;
      if (there.count(name))
        some = true;
      else
        lacking.push_back(name);
    }
    if (some) append(x.result.lacking, lacking);
  }
}

}  // namespace

void test_names(Examination& x) {
  if (x.system)
    for (const std::string& flag : flags_of(*x.system)) x.flags.insert(flag);
  const std::set<std::string> known = columns_of_robot(x);
  Names unknown;
  Names readings;  // of a set that is not given
  bool knows_one = false;
  for (const std::string& name : x.log.columns) {
    if (name == "time") continue;
    const bool is_known = known.count(name) > 0;
    knows_one =
        knows_one || is_known || is_reading(name) || is_of_missing_base(x.model, name) || is_of_fixed_joint(x.model, name);
    if (is_reading(name) && !x.system)
      readings.push_back(name);
    else if (!is_known)
      unknown.push_back(name);
  }
  if (tell_of_other_robot(x, unknown, knows_one)) return;
  const Names strange = tell_of_spellings(x, unknown);
  tell_of_few_joints(x, strange);
  if (!readings.empty() && named_joints(x.model, x.log.columns).own.empty())
    x.unjudged(readings, "readings alone, which are compared with the robot where a sensor set is given (--sensors)");
  list_strange(x, strange);
  list_missing(x);
}

}  // namespace sparsedyn::inspection
