#include "tracking/layout.hpp"

#include <algorithm>
#include <numeric>

#include "io/suggestions.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "tracking/covariance.hpp"
#include "tracking/shared/refuse.hpp"
#include "tracking/shared/rolling.hpp"

namespace sparsedyn::tracking {
namespace {

/// The bodies that a link moves with are joined by these entries of v, from the link to the root; the base's are left out.
std::vector<int> freedoms_above(const Model& model, int link) {
  const Model& tree = model.tree();
  std::vector<int> found;
  for (int b = tree.links[static_cast<std::size_t>(link)].body; b >= 0; b = tree.bodies[static_cast<std::size_t>(b)].parent) {
    const Body& body = tree.bodies[static_cast<std::size_t>(b)];
    if (body.joint == BodyJoint::floating) continue;
    for (int k = body.v; k < body.v + freedoms(body.joint); ++k) found.push_back(entry_of(model, k).index);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// Builds a Layout sensor by sensor.
class Builder {
 public:
  explicit Builder(Layout& layout) : out_(layout), model_(layout.model) {}

  void build() {
    add_joints();
    for (const Measurement& m : out_.system->measurements()) add(m);
    note_unread_joints();
    note_unused_keys();
    if (!out_.floating) return;
    out_.vertical = vertical_of(model_);
    choose_frame();
    for (const Sensor& s : out_.system->sensors().sensors)
      if (s.type == "contact") add_contact(s);
    if (!out_.gyroscope.there() && !out_.accelerometer.there() && out_.contacts.empty() && out_.poses.empty())
      refuse_set(*out_.system, "no gyroscope, accelerometer, contact or link_pose", "a sensor of the base's motion");
    require_encoders();
    number_errors();
    group_points();
  }

 private:
  /// Names the sensor's place in the set's file, as other faults of a set do.
  [[noreturn]] void refuse(const Sensor& s, const std::string& found, const std::string& expected) const {
    refuse_at(out_.system->sensors().file_of(s), s.line, "sensor " + s.name, found, expected);
  }
  void note(const std::string& text) { out_.notes.push_back(text); }

  int add_input(std::vector<std::string> columns, bool required) {
    out_.inputs.push_back({std::move(columns), required});
    return static_cast<int>(out_.inputs.size()) - 1;
  }

  void add_joints() {
    for (const Joint& joint : model_.joints) {
      if (joint.nv != 1 || joint.nq != 1) {
        const bool base = out_.floating && &joint == &model_.joints.front();
        if (!base && !joint.follows()) left_out_.push_back(&joint);
        continue;
      }
      out_.joints.push_back({joint.name, joint.q, joint.v, {}, {}});
    }
  }

  void note_unread_joints() {
    for (const Joint* joint : left_out_)
      note("joint " + joint->name + " has several freedoms: left out, kinematic rows track joints of one freedom");
    std::vector<std::string> unread;
    for (const TrackedJoint& joint : out_.joints)
      if (joint.positions.empty()) unread.push_back("q." + joint.name);
    if (!unread.empty()) note("no joint_position reads " + comma_list(unread) + ": left out");
  }

  void note_unused_keys() {
    for (const Sensor& s : out_.system->sensors().sensors) {
      if (s.over_time.delay > 0 && s.type != "contact")
        note("sensor " + s.name + ": \"delay\" is not used: its readings count when they come");
      if (s.over_time.samples) note("sensor " + s.name + ": \"sampling\" is not used: its readings count as means");
    }
  }

  TrackedJoint* joint_of(const Measurement& m) {
    const Joint& joint = model_.joints[static_cast<std::size_t>(m.joint)];
    for (TrackedJoint& tracked : out_.joints)
      if (tracked.v == joint.v && tracked.name == joint.name) return &tracked;
    return nullptr;
  }

  void add(const Measurement& m) {
    switch (m.kind) {
      case SensorKind::joint_position:
      case SensorKind::joint_velocity: return add_joint_sensor(m);
      case SensorKind::gyroscope: return gyroscopes_.push_back(&m);
      case SensorKind::accelerometer: return accelerometers_.push_back(&m);
      case SensorKind::link_pose: return add_pose(m);
      case SensorKind::link_velocity: return note("sensor " + name_of(m) + ": link_velocity is not used by kinematic rows");
      default: return;
    }
  }

  void add_joint_sensor(const Measurement& m) {
    TrackedJoint* joint = joint_of(m);
    if (!joint) return;  // the base, or a joint that follows another
    const bool position = m.kind == SensorKind::joint_position;
    const int input = add_input({m.columns[0], (position ? "q." : "dq.") + joint->name}, true);
    (position ? joint->positions : joint->velocities).push_back({input, m.sigma[0]});
  }

  void add_pose(const Measurement& m) {
    if (!out_.floating) return note("sensor " + name_of(m) + ": link_pose is not used by kinematic rows on a fixed base");
    out_.poses.push_back(tracked_pose(
        name_of(m), m, [this](const std::string& column) { return add_input({column}, true); },
        [this](const std::string& text) { note(text); }));
  }

  Pose<double> in_body(const Measurement& m) const { return model_.links[static_cast<std::size_t>(m.link)].pose * m.frame; }

  std::string name_of(const Measurement& m) const {
    const Sensor& s = out_.system->sensors().sensors[static_cast<std::size_t>(m.sensor)];
    return s.in_list() ? s.name + "." + model_.links[static_cast<std::size_t>(m.link)].name : s.name;
  }

  /// The first of all three components on that body (-1: any); the others are named.
  const Measurement* first_of(const std::vector<const Measurement*>& all, int body, const char* what) {
    const Measurement* chosen = nullptr;
    for (const Measurement* m : all) {
      if (!chosen && m->components.size() == 3 && (body < 0 || m->body == body))
        chosen = m;
      else
        note(std::string(what) + " " + name_of(*m) + " is not used: kinematic rows take one " + what +
             " of three components, on one body");
    }
    return chosen;
  }

  Triad triad(const Measurement* m, const char* kind) {
    Triad t;
    t.R = identity3<double>();
    if (!m) return t;
    t.R = transpose(out_pose_.R) * in_body(*m).R;
    t.name = name_of(*m);
    for (const std::string& column : m->columns) t.bias_columns.push_back("bias" + column.substr(1));  // of y.SENSOR.C
    for (int k = 0; k < 3; ++k) {
      const int input = add_input({m->columns[static_cast<std::size_t>(k)]}, true);
      if (k == 0) t.first_input = input;
      t.sigma[k] = m->sigma[static_cast<std::size_t>(k)];
      if (!(t.sigma[k] > 0))
        refuse(out_.system->sensors().sensors[static_cast<std::size_t>(m->sensor)], std::string(kind) + " without sigma",
               "its noise");
    }
    const Sensor& s = out_.system->sensors().sensors[static_cast<std::size_t>(m->sensor)];
    t.offset = s.over_time.offset;
    t.bias = t.offset.there ? 0 : -1;
    return t;
  }

  void choose_frame() {
    const Measurement* turn = first_of(gyroscopes_, -1, "gyroscope");
    const Measurement* push = first_of(accelerometers_, turn ? turn->body : -1, "accelerometer");
    const Measurement* leads = push ? push : turn;
    out_.link = leads ? leads->link : 0;
    out_.frame = leads ? leads->frame : identity_pose<double>();
    out_pose_ = model_.links[static_cast<std::size_t>(out_.link)].pose * out_.frame;
    out_.gyroscope = triad(turn, "gyroscope");
    out_.accelerometer = triad(push, "accelerometer");
    constexpr double gyroscope_offset = 0.02, accelerometer_offset = 0.3;  // rad/s, m/s² where a set says `true`
    if (out_.gyroscope.bias == 0 && out_.gyroscope.offset.sigma == 0) out_.gyroscope.offset.sigma = gyroscope_offset;
    if (out_.accelerometer.bias == 0 && out_.accelerometer.offset.sigma == 0)
      out_.accelerometer.offset.sigma = accelerometer_offset;
  }

  void add_contact(const Sensor& s) {
    if (const std::string text = note_on_radius(s); !text.empty()) note(text);
    tracking::add_contact(
        *out_.system, s, [this](const std::string& column, bool required) { return add_input({column}, required); },
        out_.contacts, out_.points);
  }

  /// The joints between the tracked frame and a point: those above one of the two but not above both.
  std::vector<int> joints_between(int link) const {
    const std::vector<int> a = freedoms_above(model_, out_.link), b = freedoms_above(model_, link);
    std::vector<int> found;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(found));
    return found;
  }

  void require_encoders() const {
    std::vector<int> needed = freedoms_above(model_, out_.link);
    for (const ContactPoint& point : out_.points)
      for (int v : joints_between(point.link)) needed.push_back(v);
    for (const TrackedPose& pose : out_.poses)
      for (int v : joints_between(pose.link)) needed.push_back(v);
    for (const Joint* joint : left_out_)
      if (std::any_of(needed.begin(), needed.end(), [&](int v) { return v >= joint->v && v < joint->v + joint->nv; }))
        throw Untrackable("joint " + joint->name +
                          " between the IMU and what touches has several freedoms; kinematic rows track joints of one freedom, "
                          "rows of the whole body (--rows whole-body) all");
    std::vector<std::string> open;
    for (const TrackedJoint& joint : out_.joints)
      if (joint.positions.empty() && std::count(needed.begin(), needed.end(), joint.v)) open.push_back("q." + joint.name);
    if (!open.empty())
      refuse_set(*out_.system, "undetermined: " + comma_list(open),
                 "a joint_position of each joint between the IMU and what touches");
  }

  void number_errors() {
    int next = Layout::first_bias;
    for (Triad* t : {&out_.gyroscope, &out_.accelerometer})
      if (t->bias == 0) t->bias = next, next += 3;
    for (ContactPoint& point : out_.points) point.error = next, next += 3;
    out_.size = next;
  }

  /// Points that share an encoder form one group.
  void group_points() {
    std::vector<std::vector<int>> joints;
    for (const ContactPoint& point : out_.points) {
      joints.push_back(joints_between(point.link));
    }
    std::vector<int> leader(joints.size());
    std::iota(leader.begin(), leader.end(), 0);
    for (std::size_t i = 0; i < joints.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        std::vector<int> common;
        std::set_intersection(joints[i].begin(), joints[i].end(), joints[k].begin(), joints[k].end(),
                              std::back_inserter(common));
        if (common.empty() || leader[i] == leader[k]) continue;
        const int from = leader[i], to = leader[k];
        std::replace(leader.begin(), leader.end(), from, to);
      }
    for (int lead = 0; lead < static_cast<int>(leader.size()); ++lead) {
      PointGroup group;
      for (std::size_t i = 0; i < leader.size(); ++i) {
        if (leader[i] != lead) continue;
        group.points.push_back(static_cast<int>(i));
        group.joints.insert(group.joints.end(), joints[i].begin(), joints[i].end());
      }
      if (group.points.empty()) continue;
      std::sort(group.joints.begin(), group.joints.end());
      group.joints.erase(std::unique(group.joints.begin(), group.joints.end()), group.joints.end());
      constexpr std::size_t most = (SparseRow::most - 3) / 3;
      if (group.points.size() > most)
        refuse_set(*out_.system, std::to_string(group.points.size()) + " contact points that share joints",
                   "at most " + std::to_string(most));
      out_.groups.push_back(std::move(group));
    }
  }

  Layout& out_;
  const Model& model_;
  Pose<double> out_pose_ = identity_pose<double>();  // of the tracked frame in its body
  std::vector<const Measurement*> gyroscopes_, accelerometers_;
  std::vector<const Joint*> left_out_;
};

}  // namespace

Layout::Layout(std::shared_ptr<const System> of)
    : system(std::move(of)), model(system->model()), floating(model.floating()), frame(identity_pose<double>()) {
  Builder(*this).build();
}

}  // namespace sparsedyn::tracking
