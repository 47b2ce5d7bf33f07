// Names: whether the columns are the robot's at all, and what is called otherwise than in the robot.
#include <algorithm>
#include <set>

#include "inspection/tests.hpp"
#include "io/suggestions.hpp"
#include "io/text/how_many.hpp"
#include "logs/named_joints.hpp"
#include "model/columns.hpp"
#include "system/names.hpp"

namespace sparsedyn::inspection {
namespace {

using Names = std::vector<std::string>;

void append(Names& all, const Names& more) { all.insert(all.end(), more.begin(), more.end()); }

bool begins(const std::string& text, const std::string& with) { return text.compare(0, with.size(), with) == 0; }

/// The columns that the robot and its sensors can have.
Names columns_of_robot(const Examination& x) {
  Names all = motion_columns(x.model);
  for (const Joint& joint : x.model.joints)
    if (joint.follows())
      for (const char* kind : {"q.", "dq.", "ddq.", "tau."}) all.push_back(kind + joint.name);
  for (const Link& link : x.model.links) append(all, with_prefix("fx." + link.name, force_suffixes()));
  if (!x.system) return all;
  for (const Measurement& m : x.system->measurements()) append(all, m.columns), append(all, m.stand_ins);
  return all;
}

/// The kind of quantity: `q.`, `tau.`, `y.`, …
std::string kind_of(const std::string& column) { return column.substr(0, column.find('.') + 1); }

const char* const rename = "rename the columns as `sparsedyn info` lists them";

/// Whether the log is another robot's: then what it lacks and what is called otherwise need no word.
bool tell_of_other_robot(Examination& x, const Names& unknown, bool knows_one) {
  const std::string no_joint = other_robot_text(x.model, x.log.columns);
  const Names own = joint_coordinates(x.model);
  if (no_joint.empty() && (knows_one || own.empty())) return false;
  Names all = unknown;
  append(all, x.log.others);
  const bool none = all.empty();
  if (none) all = x.log.columns;
  const std::string has = !no_joint.empty() ? "the log names " + no_joint
                          : all.empty()     ? "the log has no column"
                          : none            ? "the log has no column but time"
                                            : "the log has no joint, link or sensor of the robot: " + listing(all, 4);
  x.add(FindingKind::other_robot, Severity::harm, all, has + "; the robot's joints are " + listing(own, 4),
        "a log of another robot, or one with names of its own", std::string("give the robot of this log, or ") + rename);
  return true;
}

/// `strange`: columns that are nothing of the robot's. Half of the joints that the log names are not the robot's, and half of
/// the robot is not in the log.
void tell_of_few_joints(Examination& x, const Names& strange) {
  NamedJoints named = named_joints(x.model, x.log.columns);
  named.other = named_joints(x.model, strange).other;
  const std::size_t own = named.own.size(), all = joint_coordinates(x.model).size();
  if (own >= named.other.size() || 2 * own >= all) return;
  x.add(FindingKind::other_robot, Severity::doubt, strange,
        "the log names " + std::to_string(own) + " of the robot's " + std::to_string(all) + " joints, and " +
            how_many(static_cast<long>(named.other.size()), "other joint", "other joints") + ": " + listing(named.other, 4),
        "a log of another robot", std::string("give the robot of this log, or ") + rename);
}

/// Columns that resemble one which the log lacks; returns the others.
Names tell_of_spellings(Examination& x, const Names& unknown, const Names& of_robot) {
  const std::set<std::string> there(x.log.columns.begin(), x.log.columns.end());
  Names columns, rest;
  std::string evidence;
  for (const std::string& name : unknown) {
    Names lacking;  // of the same kind
    for (const std::string& known : of_robot)
      if (kind_of(known) == kind_of(name) && !there.count(known)) lacking.push_back(known.substr(kind_of(name).size()));
    const Names near = suggestions(name.substr(kind_of(name).size()), lacking);
    if (near.empty()) {
      rest.push_back(name);
      continue;
    }
    columns.push_back(name), x.misspelt.push_back(kind_of(name) + near.front());
    if (evidence.size() < 400)
      evidence +=
          (evidence.empty() ? "" : "; ") + ("the robot has no " + name + ", the log no " + kind_of(name) + near.front());
  }
  if (!columns.empty())
    x.add(FindingKind::unknown_name, Severity::doubt, columns, evidence, "other spellings of names of the robot", rename);
  return rest;
}

/// Joints of which the log has nothing of a kind that it has of others.
void list_missing(Examination& x) {
  const std::set<std::string> there(x.log.columns.begin(), x.log.columns.end());
  Names missing;
  for (const Names& all : {with_prefix("q", coordinate_names(x.model)), with_prefix("dq", velocity_names(x.model)),
                           with_prefix("tau", force_names(x.model))}) {
    Names lacking;
    bool some = false;
    for (const std::string& name : all) {
      if (begins(name, kind_of(name) + "base.")) continue;
      there.count(name) ? some = true : (lacking.push_back(name), false);
    }
    if (some) append(missing, lacking);
  }
  if (!missing.empty()) x.unjudged(missing, "not in the log, which has others of their kind");
}

}  // namespace

void test_names(Examination& x) {
  const Names of_robot = columns_of_robot(x);
  const std::set<std::string> known(of_robot.begin(), of_robot.end());
  Names unknown;
  Names readings;  // of a set that is not given
  bool knows_one = false;
  for (const std::string& name : x.log.columns) {
    if (name == "time") continue;
    const bool is_reading = begins(name, "y.") && !x.system;
    knows_one = knows_one || is_reading || known.count(name) > 0;
    if (is_reading)
      readings.push_back(name);
    else if (!known.count(name))
      unknown.push_back(name);
  }
  if (tell_of_other_robot(x, unknown, knows_one)) return;
  const Names strange = tell_of_spellings(x, unknown, of_robot);
  tell_of_few_joints(x, strange);
  if (!readings.empty() && named_joints(x.model, x.log.columns).own.empty())
    x.unjudged(readings, "readings alone, which are compared with the robot where a sensor set is given (--sensors)");
  if (!strange.empty()) x.unjudged(strange, "compared with nothing: no joint, link or sensor of the robot has this name");
  list_missing(x);
}

}  // namespace sparsedyn::inspection
