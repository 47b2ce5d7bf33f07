#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "codegen/contacts/stage_function.hpp"
#include "codegen/emit/emit_manifest.hpp"
#include "codegen/emit/usage_comment.hpp"
#include "codegen/kernel/emit_kernel.hpp"
#include "codegen/kernel/quaternion_text.hpp"
#include "codegen/tracking/track_stage.hpp"
#include "codegen/tracking/track_text.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/codegen/track_code.hpp"
#include "tracking/kinematic_constants.hpp"
#include "tracking/shared/dropped_reading.hpp"
#include "tracking/shared/push_leap.hpp"
#include "tracking/shared/slip_times.hpp"
#include "tracking/shared/stated_start.hpp"

namespace sparsedyn {
namespace {

using tracking::Layout;
using tracking::Triad;
using Matrix3 = tracking::Matrix3;
using Vector3 = tracking::Vector3;

const char* const kTrackUsage =
    R"(/* Returns 0; 1 where the row cannot be used: the first has no reading of a joint, or time does not go on (`next` is `state`, after
   a break of more than a second that of a start at the last place);
   2 where no small correction fits the readings: the next row starts the estimate anew. x is then not written. A reading that is
   not finite, or none that a sensor has, is a gap. `next` goes to the next call as `state`; both may be one array. Zeros, or
   null, start at the origin, with tilt from the accelerometer. state.given 1: state.R, .d are the base's rotation and place at
   the start; state.moving 1: state.w, .v its velocity in its axes. */
)";

std::string numeral(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

/// One more than there are, so that none is empty.
template <class Number>
std::string table(const std::string& name, const std::vector<Number>& values, const char* type, const char* none) {
  std::string text = "static const " + std::string(type) + " @_" + name + "[] = {";
  for (const Number& x : values)
    if constexpr (std::is_same_v<Number, int>)
      text += std::to_string(x) + ", ";
    else
      text += numeral(x) + ", ";
  return text + none + "};\n";
}
std::string integers(const std::string& name, const std::vector<int>& values) { return table(name, values, "int", "0"); }
std::string numbers(const std::string& name, const std::vector<double>& values) { return table(name, values, "double", "0"); }
std::string constant(const std::string& name, const std::string& value) { return "#define @_" + name + " " + value + "\n"; }
std::string constant(const std::string& name, std::size_t value) { return constant(name, std::to_string(value)); }

std::vector<double> listed(const Matrix3& R) {
  std::vector<double> all;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) all.push_back(R(i, k));
  return all;
}
std::vector<double> listed(const Vector3& x) { return {x[0], x[1], x[2]}; }

std::string triad_tables(const std::string& name, const Triad& t) {
  std::vector<double> variance;
  for (int k = 0; k < 3; ++k) variance.push_back(t.sigma[k] * t.sigma[k]);
  return constant(name, std::to_string(t.first_input)) + constant(name + "_BIAS", std::to_string(t.bias)) +
         constant(name + "_SIGMA", numeral(t.offset.sigma)) + constant(name + "_WALK", numeral(t.offset.walk)) +
         numbers(name + "_R", listed(t.there() ? t.R : identity3<double>())) + numbers(name + "_VARIANCE", variance);
}

std::string joint_tables(const Layout& layout) {
  std::vector<int> position, moves, input, joint, velocity;
  std::vector<double> sigma;
  for (std::size_t j = 0; j < layout.joints.size(); ++j) {
    const tracking::TrackedJoint& x = layout.joints[j];
    position.push_back(x.positions.empty() ? -1 : x.positions.front().input);
    moves.push_back(!x.positions.empty() || !x.velocities.empty());
    for (const auto* sources : {&x.positions, &x.velocities})
      for (const auto& source : *sources) {
        input.push_back(source.input), joint.push_back(static_cast<int>(j)), sigma.push_back(source.sigma);
        velocity.push_back(sources == &x.velocities);
      }
  }
  return constant("JOINTS", layout.joints.size()) + constant("JOINT_READINGS", layout.joint_readings()) +
         integers("POSITION_INPUT", position) + integers("JOINT_MOVES", moves) + integers("READING_INPUT", input) +
         integers("READING_JOINT", joint) + integers("READING_VELOCITY", velocity) + numbers("READING_SIGMA", sigma);
}

std::string contact_tables(const Layout& layout, bool slip) {
  std::vector<int> flag, is_force, first;
  std::vector<double> above, below, walk, slips;
  for (const tracking::TrackedContact& c : layout.contacts) {
    flag.push_back(c.flag), is_force.push_back(c.settings->is_force), first.push_back(c.first_point);
    above.push_back(c.settings->above), below.push_back(c.settings->below);
    walk.push_back(c.settings->walk), slips.push_back(c.settings->slip);
  }
  first.push_back(static_cast<int>(layout.points.size()));
  return constant("CONTACTS", layout.contacts.size()) + constant("POINTS", layout.points.size()) +
         constant("SLIPS", slip ? "1" : "0") + integers("FLAG", flag) + integers("IS_FORCE", is_force) +
         integers("CONTACT_POINT", first) + numbers("ABOVE", above) + numbers("BELOW", below) + numbers("WALK", walk) +
         numbers("SLIP", slips);
}

/// Points that roll, counted; -1: those that do not.
std::string rolling_tables(const Layout& layout) {
  std::vector<int> rolls;
  std::vector<double> radius;
  int count = 0;
  for (const tracking::ContactPoint& p : layout.points) {
    rolls.push_back(p.rolls() ? count++ : -1);
    radius.push_back(p.radius);
  }
  const std::string text = constant("ROLLING", static_cast<std::size_t>(count));
  return count == 0 ? text
                    : text + integers("ROLLS", rolls) + numbers("RADIUS", radius) + numbers("UP", listed(layout.vertical));
}

std::string group_tables(const Layout& layout) {
  std::vector<int> start{0}, points, joint_start{0}, joints;
  std::size_t largest = 1, white = 0;
  for (const tracking::PointGroup& group : layout.groups) {
    points.insert(points.end(), group.points.begin(), group.points.end());
    for (int v : group.joints)
      for (std::size_t j = 0; j < layout.joints.size(); ++j)
        if (layout.joints[j].v == v) joints.push_back(static_cast<int>(j));
    start.push_back(static_cast<int>(points.size())), joint_start.push_back(static_cast<int>(joints.size()));
    largest = std::max(largest, group.points.size());
    white += 3 * group.points.size() * (3 * group.points.size() + 1) / 2;
  }
  return constant("GROUPS", layout.groups.size()) + constant("LARGEST_GROUP", largest) + constant("WHITE", white) +
         integers("GROUP_START", start) + integers("GROUP_POINT", points) + integers("GROUP_JOINT_START", joint_start) +
         integers("GROUP_JOINT", joints);
}

std::string start_tables(const Layout& layout) {
  std::vector<double> place(3, 0.0), turn(3, -1.0), speed(3, -1.0);
  tracking::take_stated_start(layout.system->sensors().start, place.data(), turn.data(), speed.data());
  const auto& prior = layout.system->sensors().prior;
  const double still = tracking::first_acceleration, offset = layout.accelerometer.offset.sigma,
               noise = layout.accelerometer.sigma[0];
  return numbers("START_PLACE", place) + numbers("START_TURN", turn) + numbers("START_SPEED", speed) +
         constant("START_PUSH", numeral(std::sqrt(offset * offset + noise * noise + still * still))) +
         constant("PRIOR", numeral(prior.count("ddq") ? prior.at("ddq") : tracking::joint_acceleration));
}

/// What the Tracker takes for granted, too.
std::string filter_constants() {
  const std::pair<const char*, double> all[] = {{"THETA", tracking::theta},
                                                {"THETA_INSIDE", tracking::theta_inside},
                                                {"RATE_INSIDE", tracking::rate_inside},
                                                {"SWING_WALK", tracking::swing_walk},
                                                {"PLACE_INSIDE", tracking::place_inside},
                                                {"FREE_TURN", tracking::free_turn},
                                                {"FREE_PUSH", tracking::free_push},
                                                {"RATE_CHANGE", tracking::rate_change},
                                                {"MOST_CHANGE", tracking::most_change},
                                                {"PUSH_CHANGE", tracking::push_change},
                                                {"MOST_TURN", tracking::most_turn},
                                                {"MOST_PUSH", tracking::most_push},
                                                {"MOST_POSITION", tracking::most_position},
                                                {"SPIKE", tracking::spike},
                                                {"LONGEST_SPIKE", tracking::longest_spike},
                                                {"NO_ZERO", tracking::no_zero},
                                                {"FIRST_DOUBT", tracking::first_doubt},
                                                {"LONGEST_SLIP", tracking::longest_slip},
                                                {"LONGEST_STEP", tracking::longest_step},
                                                {"FIRST_OF_JOINT", tracking::first_of_joint},
                                                {"FIRST_TILT", tracking::first_tilt},
                                                {"FIRST_TILT_GIVEN", tracking::first_tilt_given},
                                                {"FIRST_SPEED", tracking::first_speed},
                                                {"FIRST_SPEED_GIVEN", tracking::first_speed_given},
                                                {"AGAIN_PLACE", tracking::again_place},
                                                {"AGAIN_TURN", tracking::again_turn},
                                                {"AGAIN_SPEED", tracking::again_speed}};
  std::string text;
  for (const auto& [name, value] : all) text += constant(name, numeral(value));
  return text;
}

std::string tables(const Layout& layout, bool slip) {
  const Pose<double> frame = layout.model.links[static_cast<std::size_t>(layout.link)].pose * layout.frame;
  const Pose<double> base = inverse(frame);  // the root link in the tracked frame
  return constant("ERRORS", static_cast<std::size_t>(layout.size)) + constant("INPUTS", layout.inputs.size()) +
         constant("FIRST_POINT", std::to_string(layout.points.empty() ? layout.size : layout.points.front().error)) +
         numbers("GRAVITY", listed(layout.model.gravity)) + numbers("BASE_R", listed(base.R)) +
         numbers("BASE_D", listed(base.d)) + triad_tables("GYRO", layout.gyroscope) +
         triad_tables("ACC", layout.accelerometer) + joint_tables(layout) + contact_tables(layout, slip) +
         rolling_tables(layout) + group_tables(layout) + start_tables(layout) + filter_constants();
}

/// Names of what goes from step to step, in the order of the text's enumeration.
std::vector<std::string> state_names(const Layout& layout, const std::string& port) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) { names.push_back(port + "." + name); };
  const auto several = [&](const std::string& name, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) add(name + "." + std::to_string(k));
  };
  for (const char* name : {"started", "again", "given", "moving"}) add(name);
  several("R", 9), several("d", 3), several("w", 3), several("v", 3);
  several("tracked.R", 9), several("tracked.p", 3), several("tracked.v", 3);
  several("gyroscope_offset", 3), several("accelerometer_offset", 3);
  several("foothold", 3 * layout.points.size()), several("rate", 3);
  for (const char* name : {"rate_variance", "interval", "nis"}) add(name);
  several("stands", layout.contacts.size()), several("force_on", layout.contacts.size());
  several("missed", layout.contacts.size()), add("all_missed"), several("doubt", 2 * layout.joint_readings());
  several("dropped", 6), several("leap", 5);
  several("joint", 5 * layout.joints.size());
  several("link", 9 * tracking::count_rolling(layout.points));
  several("covariance", static_cast<std::size_t>(layout.size) * static_cast<std::size_t>(layout.size));
  return names;
}

/// The function's vectors, without what it does.
Program track_ports(const Layout& layout, const std::vector<std::string>& columns) {
  Recorder recorder;
  std::vector<std::string> readings;
  for (const tracking::TrackInput& input : layout.inputs) readings.push_back(input.columns.front());
  recorder.input("state", state_names(layout, "state"));
  recorder.input("y", readings);
  recorder.input("dt", {"dt"});
  const auto add = [&](const std::string& port, const std::vector<std::string>& names) {
    recorder.output(port, names, std::vector<Expr>(names.size(), Expr(0.0)));
  };
  add("next", state_names(layout, "next")), add("x", columns);
  return recorder.unfactored();
}

void refuse_what_is_left_out(const Layout& layout) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("generated steps know no " + what); };
  if (!layout.floating) refuse("fixed base");
  if (layout.model.links[static_cast<std::size_t>(layout.link)].body != 0) refuse("IMU on a link that joints move");
  if (!layout.poses.empty()) refuse("link_pose");
  for (const tracking::TrackedContact& c : layout.contacts)
    if (c.delay > 0) refuse("\"delay\" of a contact (" + c.name + ")");
}

std::vector<std::string> all_columns(const std::shared_ptr<const System>& system, const Layout& layout) {
  TrackerOptions wanted;
  wanted.rows = TrackRows::kinematic;
  wanted.outputs = {"q", "dq"};
  if (layout.gyroscope.bias >= 0 || layout.accelerometer.bias >= 0) wanted.outputs.push_back("bias");
  if (!layout.points.empty()) wanted.outputs.push_back("foot");
  if (!layout.contacts.empty()) wanted.outputs.push_back("contact");
  wanted.outputs.push_back("nis");
  return Tracker(system, wanted).columns();
}

}  // namespace

TrackCode track_step_code(const std::shared_ptr<const System>& system, const std::string& name,
                          const TrackCodeOptions& options) {
  const Layout layout(system);
  refuse_what_is_left_out(layout);
  const Program stage = feet_stage(layout), whole = track_ports(layout, all_columns(system, layout));
  TrackCode code;
  code.feet = stage.counts(), code.state = static_cast<int>(whole.inputs()[0].elements.size()), code.notes = layout.notes;
  EmitOptions emit;
  emit.description = options.description, emit.batch = emit.vectors = false, emit.manifest_lists = options.manifest_lists;
  std::string text = "/* " + comment(options.description) + " */\n#define @_KERNEL\n#include \"@.h\"\n";
  text += std::string(compiler_macros) + tables(layout, options.slip) + quaternion_text + track_algebra_text() +
          track_rolling_text() + track_filter_text() + stage_function(stage, "feet", options.largest_part) + track_feet_text() +
          track_start_text() + track_function_text() + emit_casadi_interface(whole, false);
  code.files.source = named(text, name);
  code.files.header = emit_header(name, usage_comment(whole, name, "double") + kTrackUsage, emit);
  code.files.manifest = emit_manifest(whole, name, code.feet, nullptr, emit);
  return code;
}

}  // namespace sparsedyn
