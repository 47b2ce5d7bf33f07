#include <algorithm>
#include <cmath>
#include <utility>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/visibility.hpp"
#include "tracking/visibility/exact_readings.hpp"
#include "tracking/visibility/standing_motion.hpp"
#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn {
namespace tracking {
namespace {

constexpr double doubt = 100;                            // deviations of the start over those that are stated
constexpr double calm = 0.05;                            // noise of readings and footholds over that which is stated
constexpr double start_pose = 1, start_speed = 10;       // m and rad, m/s
constexpr double unseen_share = 0.1;                     // of its deviation that is left of what nothing sees
constexpr double turn_offset = 0.02, push_offset = 0.3;  // rad/s, m/s² where a set says `true`
constexpr double offset_over_noise = 10;                 // of other readings
constexpr double base_wrench = 40;                       // N, N·m where a set says nothing
constexpr double step_seconds = 0.005;
constexpr int tried_steps = 200;
constexpr double least_share = 0.1, held_within = 1e-6;  // m

/// The deviation of an offset that a set states, or the type's own.
double offset_sigma(const Sensor& s) {
  if (s.over_time.offset.sigma > 0) return s.over_time.offset.sigma;
  if (s.type == "gyroscope" || s.type == "imu") return turn_offset;
  if (s.type == "accelerometer") return push_offset;
  return offset_over_noise * (s.sigma.empty() ? 1e-9 : *std::max_element(s.sigma.begin(), s.sigma.end()));
}

/// The set with wide deviations at the start, little noise, and offsets that do not walk. The base's wrench walks where the set
/// has any constraint, else it does not: beside a wrench that is known for certain, the moment that a loop's unseen force of
/// 1e5 N has about a gap of 1e-6 m would tell of that force.
SensorSet doubted(SensorSet set) {
  for (Sensor& s : set.sensors)
    if (s.over_time.offset.there) s.over_time.offset.sigma = doubt * offset_sigma(s), s.over_time.offset.walk = 0;
  for (Sensor& s : set.sensors) {
    for (double& sigma : s.sigma) sigma *= calm;
    s.over_time.share *= calm, s.over_time.contact.walk *= calm, s.over_time.contact.kinematics *= calm;
  }
  set.start["q.base"] = {start_pose}, set.start["dq"] = {start_speed};
  const double wrench = set.model_wrench.there ? set.model_wrench.sigma : base_wrench;
  set.model_wrench = {doubt * wrench, set.constraints.constraints.empty() ? 0.0 : wrench, true};
  return set;
}

/// A column of deviations, the name of what it is about, and the deviation at the start.
struct Candidate {
  std::string column, name;
  double sigma;
};

std::vector<Candidate> candidates_of(const SensorSet& set, const std::vector<std::string>& columns) {
  static const std::pair<const char*, const char*> base[] = {
      {"q.base.x", "base.x"},     {"q.base.y", "base.y"},      {"q.base.z", "base.z"},
      {"q.base.rx", "base.roll"}, {"q.base.ry", "base.pitch"}, {"q.base.rz", "base.yaw"},
      {"dq.base.vx", "base.vx"},  {"dq.base.vy", "base.vy"},   {"dq.base.vz", "base.vz"}};
  std::vector<Candidate> found;
  for (const auto& [column, name] : base) found.push_back({column, name, column[0] == 'q' ? start_pose : start_speed});
  for (const std::string& column : columns) {
    if (column.rfind("sd.model_wrench.", 0) == 0) found.push_back({column.substr(3), column.substr(3), set.model_wrench.sigma});
    if (column.rfind("sd.lambda.", 0) == 0) found.push_back({column.substr(3), column.substr(3), loop_force_sigma});
    if (column.rfind("sd.bias.", 0) != 0) continue;
    const Sensor* of = nullptr;  // the longest name that the column begins with
    for (const Sensor& s : set.sensors)
      if (s.over_time.offset.there && column.rfind("sd.bias." + s.name, 0) == 0 && (!of || s.name.size() > of->name.size()))
        of = &s;
    if (of) found.push_back({column.substr(3), column.substr(3), of->over_time.offset.sigma});
  }
  return found;
}

/// How much of the motion the joints can follow, so that the contacts stay in place: all, a half, …
double held_share(const System& system, const std::vector<ContactPoint>& points) {
  double share = 1;
  for (; share > least_share; share /= 2) {
    StandingMotion motion(system.model(), system.sensors().constraints, points, share);
    double worst = 0;
    for (int k = -1; k <= tried_steps; ++k) motion.at(k * step_seconds), worst = std::max(worst, motion.gap());
    if (worst < held_within) break;
  }
  return share;
}

/// One kind of motion: how much of it, and which contact stands alone (-1: all stand).
struct Situation {
  std::string name;
  double share;
  int alone;
};

class Rehearsal {
 public:
  Rehearsal(const std::shared_ptr<const System>& system, TrackRows rows)
      : set_(doubted(system->sensors())), system_(std::make_shared<const System>(system->model(), set_)), rows_(rows) {
    for (const Sensor& s : set_.sensors)
      if (s.type == "contact")
        add_contact(
            *system_, s, [this](const std::string& column, bool) { return flags_.push_back(column), 0; }, contacts_, points_);
  }

  std::vector<SituationOverTime> all() {
    std::vector<Situation> situations{{"in motion", held_share(*system_, points_), -1}, {"at rest", 0, -1}};
    for (std::size_t c = 0; c < contacts_.size() && contacts_.size() > 1; ++c)
      situations.push_back({"at rest on " + contacts_[c].name + " alone", 0, static_cast<int>(c)});
    std::vector<SituationOverTime> found;
    for (const Situation& s : situations) found.push_back({s.name, unseen_in(s)});
    add_unobservable(found);
    return found;
  }

 private:
  /// Coordinates of the base of which no reading tells by itself are unseen however the robot moves: where loops of wide
  /// forces hold a motion only roughly, a deviation that shrinks says nothing.
  void add_unobservable(std::vector<SituationOverTime>& situations) const {
    const Tracker tracked = tracker();
    for (const std::string& name : tracked.unobservable())
      for (SituationOverTime& s : situations)
        if (name.rfind("base.", 0) == 0 && std::find(s.unseen.begin(), s.unseen.end(), name) == s.unseen.end())
          s.unseen.push_back(name);
  }

  Tracker tracker() const {
    TrackerOptions options;
    options.rows = rows_, options.slip = false, options.deviations = true;
    options.outputs = {"q.base", "dq.base"};
    const Tracker plain(system_, options);
    if (!plain.biases().empty()) options.outputs.push_back("bias");
    if (plain.rows() == TrackRows::whole_body) {
      options.outputs.push_back("model_wrench");
      if (!system_->closures().empty()) options.outputs.push_back("lambda");
    }
    return Tracker(system_, options);
  }

  double flag(std::size_t contact, const Situation& s) const {
    const bool stands = s.alone < 0 || s.alone == static_cast<int>(contact);
    const ContactOverTime& settings = *contacts_[contact].settings;
    return settings.is_force ? (stands ? 2 * settings.above + 1 : 0) : stands;
  }

  std::vector<double> row_of(const Tracker& tracker, const std::map<std::string, double>& readings, const Situation& s) const {
    std::vector<double> y;
    for (const TrackerInput& input : tracker.inputs()) {
      y.push_back(input.fallback);
      for (const std::string& column : input.columns) {
        const auto found = readings.find(column);
        if (found == readings.end()) continue;
        y.back() = found->second;
        break;
      }
      const auto at = std::find(flags_.begin(), flags_.end(), input.columns.front());
      if (at != flags_.end()) y.back() = flag(static_cast<std::size_t>(at - flags_.begin()), s);
    }
    return y;
  }

  std::vector<int> pushing(const Situation& s) const {
    std::vector<int> links;
    for (std::size_t c = 0; c < contacts_.size(); ++c)
      if (s.alone < 0 || s.alone == static_cast<int>(c)) links.push_back(contacts_[c].link);
    return links;
  }

  std::vector<std::string> unseen_in(const Situation& s) const {
    const Model& model = system_->model();
    Tracker filter = tracker();
    StandingMotion motion(model, set_.constraints, points_, s.share);
    ExactReadings readings(*system_, pushing(s));
    std::vector<double> q[3], v[2], out(filter.columns().size());  // q: before, at and after a sample
    q[0] = motion.at(-step_seconds), q[1] = motion.at(0);
    v[0].resize(static_cast<std::size_t>(model.nv)), v[1] = v[0];
    for (int k = 0; k < tried_steps; ++k) {
      q[2] = motion.at((k + 1) * step_seconds);
      difference(model, q[0].data(), q[2].data(), v[1].data());
      for (double& x : v[1]) x /= 2 * step_seconds;
      if (k == 0) v[0] = v[1], filter.start(q[1].data(), v[1].data());
      const std::vector<double> y = row_of(filter, readings.of(q[0], v[0], q[1], v[1], step_seconds), s);
      if (const TrackerStep done = filter.step(y.data(), step_seconds, out.data()); !done.ok)
        throw Untrackable(s.name + ": " + done.why);
      q[0] = q[1], q[1] = q[2], v[0] = v[1];
    }
    std::vector<std::string> names;
    for (const Candidate& c : candidates_of(set_, filter.columns())) {
      const auto at = std::find(filter.columns().begin(), filter.columns().end(), "sd." + c.column);
      if (out[static_cast<std::size_t>(at - filter.columns().begin())] > unseen_share * c.sigma) names.push_back(c.name);
    }
    return names;
  }

  SensorSet set_;
  std::shared_ptr<const System> system_;
  TrackRows rows_;
  std::vector<std::string> flags_;
  std::vector<TrackedContact> contacts_;
  std::vector<ContactPoint> points_;
};

}  // namespace
}  // namespace tracking

std::vector<SituationOverTime> unseen_over_time(const std::shared_ptr<const System>& system, TrackRows rows) {
  TrackerOptions options;
  options.rows = rows;
  const Tracker tracker(system, options);
  if (!system->model().floating()) return {{"in motion", tracker.unobservable()}};
  return tracking::Rehearsal(system, rows).all();
}

}  // namespace sparsedyn
