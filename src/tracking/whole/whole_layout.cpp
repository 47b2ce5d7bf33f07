#include "tracking/whole/whole_layout.hpp"

#include <algorithm>
#include <cmath>

#include "io/suggestions.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "tracking/shared/imu_limits.hpp"
#include "tracking/shared/refuse.hpp"
#include "tracking/shared/rolling.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double read_wrench_sigma = 1e4;  // N, N·m, of a component that a sensor reads: its reading counts alone
constexpr double offset_over_noise = 10;   // sigma of an offset of which a set says no more than that it is there
constexpr double base_wrench_sigma = 40, base_wrench_walk = 4;  // N, N·m; and per √s
constexpr double turn_offset = 0.02, push_offset = 0.3;         // rad/s, m/s²: of IMUs, as in the kinematic rows

bool reads_dynamics(const Measurement& m, bool floating) {
  switch (m.kind) {
    case SensorKind::joint_torque:
    case SensorKind::torque_combination:
    case SensorKind::force_torque: break;
    case SensorKind::joint_position:
    case SensorKind::joint_velocity:
    case SensorKind::link_pose:
    case SensorKind::gyroscope:
    case SensorKind::contact: return false;
    default:
      if (floating) return false;
  }
  return std::any_of(m.inputs.begin(), m.inputs.end(), [](int input) { return input >= 0; });
}

/// Builds a WholeLayout sensor by sensor.
class WholeBuilder {
 public:
  WholeBuilder(WholeLayout& layout, const IntervalRows& rows) : out_(layout), rows_(rows), system_(*layout.system) {}

  void build() {
    for (const Measurement& m : system_.measurements()) add_knot_readings(m);
    require_positions();
    add_poses();
    add_contacts();
    add_equations();
    for (const int v : rows_.free_torques()) {
      IntervalReading nothing{-1, 0};
      nothing.base = v;
      out_.intervals.push_back(nothing);
    }
    add_turns();
    for (int i = 0; i < rows_.rows(); ++i) out_.row_order.push_back(i);
    out_.first_system_input = static_cast<int>(out_.inputs.size());
    for (const Input& input : system_.inputs()) out_.inputs.push_back({input.columns, input.required, input.fallback});
    for (IntervalReading& reading : out_.intervals)
      if (reading.input >= 0 && !is_turn(reading)) reading.input += out_.first_system_input;
    int next = out_.first_offset + static_cast<int>(out_.offsets.size());
    for (ContactPoint& point : out_.points) point.error = next, next += 3;
    out_.first_unknown = next;
    add_unknowns();
    out_.size = out_.first_unknown + static_cast<int>(out_.unknowns.size());
    note_unused();
  }

 private:
  void note(const std::string& text) { out_.notes.push_back(text); }
  const Sensor& sensor_of(const Measurement& m) const { return system_.sensors().sensors[static_cast<std::size_t>(m.sensor)]; }
  bool is_turn(const IntervalReading& reading) const { return &reading - out_.intervals.data() >= rows_.first_turn(); }

  int offset_of(const Measurement& m, std::size_t k, double type_sigma) {
    const WalkingOffset& offset = sensor_of(m).over_time.offset;
    if (!offset.there) return -1;
    const double own = std::max(m.sigma[k], least_reading_sigma);
    const double sigma = offset.sigma > 0 ? offset.sigma : type_sigma > 0 ? type_sigma : offset_over_noise * own;
    out_.offsets.push_back({"bias" + m.columns[k].substr(1), sigma, offset.walk});
    return out_.first_offset + static_cast<int>(out_.offsets.size()) - 1;
  }

  void add_knot_readings(const Measurement& m) {
    const bool position = m.kind == SensorKind::joint_position;
    if (!position && m.kind != SensorKind::joint_velocity) return;
    const Joint& joint = out_.model.joints[static_cast<std::size_t>(m.joint)];
    if (joint.follows() || (out_.floating && joint.v == 0)) return;
    for (std::size_t k = 0; k < m.components.size(); ++k) {
      const int at = (position ? joint.q : joint.v) + m.components[k];
      if (!position)
        add_knot_reading(m, k, at, false);
      else if (const auto v = std::find(out_.coordinates.begin(), out_.coordinates.end(), at); v != out_.coordinates.end())
        add_knot_reading(m, k, static_cast<int>(v - out_.coordinates.begin()), true);
    }
    if (position) add_group_readings(m, joint);
  }

  int add_input_of(const Measurement& m, std::size_t k, const std::string& state) {
    out_.inputs.push_back({{m.columns[k], state}, true});
    return static_cast<int>(out_.inputs.size()) - 1;
  }

  void add_knot_reading(const Measurement& m, std::size_t k, int v, bool position) {
    const auto at = static_cast<std::size_t>(position ? out_.coordinate(v) : v);
    const int input = add_input_of(m, k, (position ? out_.position_names : out_.velocity_names)[at]);
    KnotReading reading{input, v, position, std::max(m.sigma[k], least_reading_sigma)};
    reading.offset = offset_of(m, k, 0);
    out_.knots.push_back(reading);
  }

  /// All coordinates of a body on a joint of several freedoms at once: the parts of a quaternion say nothing alone.
  void add_group_readings(const Measurement& m, const Joint& joint) {
    for (std::size_t g = 0; g < out_.groups.size(); ++g) {
      const GroupJoint& group = out_.groups[g];
      if (group.q < joint.q || group.q >= joint.q + joint.nq) continue;
      GroupReading reading{static_cast<int>(g), {}, {}};
      const auto place = [&](int c) {
        return std::find(m.components.begin(), m.components.end(), group.q - joint.q + c) - m.components.begin();
      };
      const auto there = static_cast<std::ptrdiff_t>(m.components.size());
      bool all = true;
      for (int c = 0; c < group.coordinates; ++c) all = all && place(c) < there;
      if (!all) {
        note("sensor " + sensor_of(m).name + ": joint " + joint.name +
             " has several freedoms: its coordinates are read all, or not at all");
        continue;
      }
      if (sensor_of(m).over_time.offset.there)
        note("sensor " + sensor_of(m).name + ": \"bias\" is not used for joint " + joint.name + ", which has several freedoms");
      for (int c = 0; c < group.coordinates; ++c)
        reading.inputs[static_cast<std::size_t>(c)] =
            add_input_of(m, static_cast<std::size_t>(place(c)), out_.position_names[static_cast<std::size_t>(group.q + c)]);
      for (int row = 0; row < group.freedoms; ++row)
        reading.sigma[static_cast<std::size_t>(row)] =
            std::max(m.sigma[static_cast<std::size_t>(place(group.coordinate_beside(row)))], least_reading_sigma);
      out_.group_readings.push_back(reading);
    }
  }

  void require_positions() const {
    std::vector<std::string> open;
    for (int v = out_.base_freedoms; v < out_.nv; ++v)
      if (out_.coordinate(v) >= 0 &&
          std::none_of(out_.knots.begin(), out_.knots.end(), [&](const KnotReading& r) { return r.position && r.v == v; }))
        open.push_back(out_.position_names[static_cast<std::size_t>(out_.coordinate(v))]);
    for (std::size_t g = 0; g < out_.groups.size(); ++g)
      if (std::none_of(out_.group_readings.begin(), out_.group_readings.end(),
                       [&](const GroupReading& r) { return r.group == static_cast<int>(g); }))
        for (int c = 0; c < out_.groups[g].coordinates; ++c)
          open.push_back(out_.position_names[static_cast<std::size_t>(out_.groups[g].q + c)]);
    if (!open.empty())
      refuse_set(system_, "no joint_position reads " + comma_list(open),
                 "one of each joint for rows of the whole body (kinematic rows leave joints out)");
  }

  void add_poses() {
    const auto add_input = [this](const std::string& column) {
      out_.inputs.push_back({{column}, true});
      return static_cast<int>(out_.inputs.size()) - 1;
    };
    for (const Measurement& m : system_.measurements())
      if (m.kind == SensorKind::link_pose && out_.floating)
        out_.poses.push_back(tracked_pose(sensor_of(m).name, m, add_input, [this](const std::string& text) { note(text); }));
  }

  void add_contacts() {
    if (!out_.floating) return;
    const auto add_flag = [this](const std::string& column, bool required) {
      out_.inputs.push_back({{column}, required, 0, !required});
      return static_cast<int>(out_.inputs.size()) - 1;
    };
    for (const Sensor& s : system_.sensors().sensors) {
      if (s.type != "contact") continue;
      if (const std::string text = note_on_radius(s); !text.empty()) note(text);
      add_contact(system_, s, add_flag, out_.contacts, out_.points);
    }
  }

  /// The first of them.
  int contact_on(int link) const {
    for (std::size_t c = 0; c < out_.contacts.size(); ++c)
      if (out_.contacts[c].link == link) return static_cast<int>(c);
    return -1;
  }

  /// Of the sensor on its link.
  int contact_of(const Measurement& m) const {
    for (std::size_t c = 0; c < out_.contacts.size(); ++c)
      if (out_.contacts[c].link == m.link && out_.contacts[c].settings == &sensor_of(m).over_time.contact)
        return static_cast<int>(c);
    return -1;
  }

  bool drives_base(const Measurement& m) const {
    return out_.floating && m.kind == SensorKind::joint_torque && out_.model.joints[static_cast<std::size_t>(m.joint)].v == 0;
  }

  void add_equations() {
    for (int r : rows_.equations()) {
      const Equation& equation = system_.equations()[static_cast<std::size_t>(r)];
      const double sigma = system_.sigma_of(r);
      IntervalReading reading{system_.input_of(r), sigma > 0 ? noise_variance(sigma) : 0, -1};
      if (equation.measurement >= 0) {
        const Measurement& m = system_.measurements()[static_cast<std::size_t>(equation.measurement)];
        if (m.kind == SensorKind::contact) reading.contact = contact_of(m);
        if (drives_base(m) && reading.input < 0) reading.base = m.components[static_cast<std::size_t>(equation.component)];
        reading.sensor = equation.measurement;
        if (m.kind == SensorKind::accelerometer && out_.floating) reading.most = most_push, reading.inertial = Inertial::push;
        if (m.kind == SensorKind::accelerometer && m.components.size() == 3 && out_.accelerometer < 0)
          out_.accelerometer = equation.measurement;
        if (reading.input >= 0) reading.share = sensor_of(m).over_time.share;
        if (reading.input >= 0)
          reading.offset =
              offset_of(m, static_cast<std::size_t>(equation.component), m.kind == SensorKind::accelerometer ? push_offset : 0);
      }
      out_.intervals.push_back(reading);
    }
  }

  /// Whether a link has the angular velocity of a floating base: a wheel may turn as fast as it will.
  bool turns_with_base(int link) const {
    const auto& links = out_.model.links;
    for (auto at = static_cast<std::size_t>(link); links[at].parent >= 0; at = static_cast<std::size_t>(links[at].parent))
      if (const int joint = links[at].moving_joint;
          joint >= 0 && out_.model.joints[static_cast<std::size_t>(joint)].kind != JointKind::prismatic)
        return false;
    return out_.floating;
  }

  void add_turns() {
    for (const IntervalRows::TurnRow& turn : rows_.turn_rows()) {
      const Measurement& m = system_.measurements()[static_cast<std::size_t>(turn.measurement)];
      const auto k = static_cast<std::size_t>(turn.component);
      const double sigma = std::max(m.sigma[k], least_reading_sigma);
      IntervalReading reading{static_cast<int>(out_.inputs.size()), sigma * sigma, -1};
      out_.inputs.push_back({{m.columns[k]}, true});
      reading.offset = offset_of(m, k, turn_offset), reading.sensor = turn.measurement;
      if (turns_with_base(m.link)) reading.most = most_turn, reading.inertial = Inertial::turn;
      out_.intervals.push_back(reading);
    }
  }

  /// Whether a row of its own reads the unknown.
  bool is_read(int unknown) const {
    const Pattern& pattern = system_.pattern();
    for (int r : rows_.equations())
      if (pattern.row_start[r + 1] == pattern.row_start[r] + 1 && pattern.column[pattern.row_start[r]] == unknown) return true;
    return false;
  }

  double stated_prior(const char* kind) const {
    const auto found = system_.sensors().prior.find(kind);
    return found == system_.sensors().prior.end() ? 0 : found->second;
  }

  void add_unknowns() {
    const WalkingWrench& wrench = system_.sensors().external_wrench;
    const double stated = stated_prior("fx");
    out_.contact_forces.assign(out_.contacts.size(), {});
    for (int u : rows_.free_unknowns()) {
      const Variable& variable = system_.unknowns()[static_cast<std::size_t>(u)];
      const int contact = variable.kind == VariableKind::fx ? contact_on(variable.owner) : -1;
      if (variable.kind == VariableKind::ddq)
        out_.unknowns.push_back({u, out_.acceleration_walk > 0, out_.acceleration_sigma, out_.acceleration_walk});
      else if (variable.kind != VariableKind::fx)
        out_.unknowns.push_back({u, false, loop_force_sigma, 0});
      else if (variable.owner == WholeLayout::freed_link(system_))
        add_model_wrench(u);
      else if (contact >= 0)
        add_contact_wrench(u, contact, variable.component);
      else if (stated > 0)
        out_.unknowns.push_back({u, false, stated, 0});
      else if (is_read(u))
        out_.unknowns.push_back({u, false, read_wrench_sigma, 0});
      else if (variable.component < 3)
        out_.unknowns.push_back({u, true, wrench.moment_sigma, wrench.moment_walk});
      else
        out_.unknowns.push_back({u, true, wrench.force_sigma, wrench.force_walk});
    }
  }

  void add_contact_wrench(int u, int contact, int component) {
    ContactForce& force = out_.contact_forces[static_cast<std::size_t>(contact)];
    if (component >= 3 && force.count++ == 0) force.first = out_.first_unknown + static_cast<int>(out_.unknowns.size());
    out_.unknowns.push_back({u, false, 0, 0, contact, component < 3});
  }

  void add_model_wrench(int u) {
    const WalkingOffset& stated = system_.sensors().model_wrench;
    if (out_.model_wrench < 0) out_.model_wrench = out_.first_unknown + static_cast<int>(out_.unknowns.size());
    out_.unknowns.push_back(
        {u, true, stated.there ? stated.sigma : base_wrench_sigma, stated.there ? stated.walk : base_wrench_walk});
  }

  void note_unused() {
    for (const Measurement& m : system_.measurements()) {
      const Sensor& s = sensor_of(m);
      if (m.kind == SensorKind::link_pose && !out_.floating)
        note("sensor " + s.name + ": link_pose is not used by rows of the whole body on a fixed base");
      if (m.kind == SensorKind::contact && !out_.floating)
        note("sensor " + s.name + ": a contact holds at all times on a robot with a fixed base, exactly");
      const bool flag = m.kind == SensorKind::contact && out_.floating;
      if (s.over_time.delay > 0 && !flag)
        note("sensor " + s.name + ": \"delay\" is not used: its readings count when they come");
      if (s.over_time.samples) note("sensor " + s.name + ": \"sampling\" is not used: its readings count as means");
    }
    std::sort(out_.notes.begin(), out_.notes.end());
    out_.notes.erase(std::unique(out_.notes.begin(), out_.notes.end()), out_.notes.end());
  }

  WholeLayout& out_;
  const IntervalRows& rows_;
  const System& system_;
};

std::vector<std::string> with_prefix(const char* prefix, std::vector<std::string> names) {
  for (std::string& name : names) name = prefix + name;
  return names;
}

/// By entry of v, see WholeLayout::coordinate().
std::vector<int> coordinates_of_freedoms(const Model& model) {
  std::vector<int> found(static_cast<std::size_t>(model.nv), -1);
  for (const Body& body : model.bodies)
    if (freedoms(body.joint) == 1) found[static_cast<std::size_t>(body.v)] = body.q;
  return found;
}

/// N, where it would weigh as on earth: without gravity, too, feet push as hard.
double weight_of(const Model& model) { return 9.81 * moving_mass(model); }

/// Ten deviations of χ² beyond its mean, of as many freedoms as the interval has rows beyond the unknowns that start it anew;
/// six (three of an accelerometer, three of a gyroscope) at least. Of HyQ, Solo12 and a quadruped that trot, 41 of six: in 9000
/// rows the median was 2, the largest 27.
double most_squares_of(const WholeLayout& layout) {
  const auto anew =
      std::count_if(layout.unknowns.begin(), layout.unknowns.end(), [](const IntervalUnknown& u) { return !u.walks; });
  const double beyond = std::max(6.0, static_cast<double>(layout.intervals.size()) - static_cast<double>(anew));
  return beyond + 10 * std::sqrt(2 * beyond);
}

/// Of gyration about the root link's origin, the mean of the three axes: of the root's body, or of the whole robot as it stands
/// at q = 0 where that is larger, since a root's body may have no mass, or all of it at that origin.
double radius_of(const Model& model) {
  const auto& root = model.bodies.front().inertia;
  const double own = root.m > 0 ? 2 * (root.moments.xx + root.moments.yy + root.moments.zz) / root.m : 0;  // second moments
  std::vector<double> q(static_cast<std::size_t>(model.nq)), M(static_cast<std::size_t>(model.nv * model.nv));
  neutral(model, q.data());
  Workspace<double> work(model);
  crba(model, work, q.data(), M.data());
  const double turning = M[0] + M[static_cast<std::size_t>(model.nv + 1)] + M[static_cast<std::size_t>(2 * model.nv + 2)];
  const double mass = moving_mass(model);
  return std::sqrt(std::max(own, mass > 0 ? turning / mass : 0) / 3);
}

}  // namespace

FootPriors::FootPriors(double weight)
    : stance_force(std::max(3000.0, 3.5 * weight)),
      air_force(std::max(1e-6, std::min(2.0, 0.01 * weight))),
      sole_moment(0.1 * stance_force),
      air_moment(0.05 * air_force) {}

bool has_interval_readings(const System& system) {
  const bool floating = system.model().floating();
  return std::any_of(system.measurements().begin(), system.measurements().end(),
                     [&](const Measurement& m) { return reads_dynamics(m, floating); });
}

void WholeLayout::let_accelerations_walk(double walk) {
  acceleration_walk = walk;
  for (IntervalUnknown& u : unknowns)
    if (system->unknowns()[static_cast<std::size_t>(u.unknown)].kind == VariableKind::ddq) u.walks = walk > 0, u.walk = walk;
}

WholeLayout::WholeLayout(std::shared_ptr<const System> shared, const IntervalRows& rows)
    : system(std::move(shared)),
      model(system->model()),
      floating(model.floating()),
      groups(group_joints(model)),
      coordinates(coordinates_of_freedoms(model)),
      foot_priors(weight_of(model)),
      nv(model.nv),
      base_freedoms(floating ? 6 : 0),
      joints(nv - base_freedoms),
      first_joint(floating ? 12 : 0),
      first_offset(first_joint + 2 * joints),
      first_unknown(first_offset),
      theta(floating ? 0.53 : 0.5),
      acceleration_sigma(300),
      acceleration_walk(system->sensors().acceleration_walk),
      position_names(with_prefix("q.", coordinate_names(model))),
      velocity_names(with_prefix("dq.", sparsedyn::velocity_names(model))) {
  const auto found = system->sensors().prior.find("ddq");
  if (found != system->sensors().prior.end()) acceleration_sigma = found->second;
  if (floating) mass = moving_mass(model), radius = radius_of(model), vertical = vertical_of(model);
  WholeBuilder(*this, rows).build();
  most_squares = most_squares_of(*this);
}

}  // namespace sparsedyn::tracking
