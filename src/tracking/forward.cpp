#include "tracking/forward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/kinematic_constants.hpp"
#include "tracking/shared/stated_start.hpp"

namespace sparsedyn::tracking {
namespace {

const double nothing = std::numeric_limits<double>::quiet_NaN();

double prior_of(const Layout& layout) {
  const auto& prior = layout.system->sensors().prior;
  const auto found = prior.find("ddq");
  return found == prior.end() ? joint_acceleration : found->second;
}

}  // namespace

void RateFilter::take(const Vector3& mean, double r, double dt) noexcept {
  const double q = rate_change * dt * rate_change * dt;
  const double s = variance + theta * theta * q + r, along = variance + theta * q, k = along / s;
  for (int i = 0; i < 3; ++i) rate[i] += k * (mean[i] - rate[i]);
  // s⁺ = s + q − along²/s, as a sum: what the two parts ω and its change keep of each other's
  variance = (variance * q * (1 - theta) * (1 - theta) + (variance + q) * r) / s;
}

RateFilter::Leap RateFilter::leap(const Vector3& mean, double r, double dt) const noexcept {
  const double q = theta * rate_change * dt, s = variance + q * q + r;
  const Vector3 change = mean - rate;
  const double square = dot(change, change);
  return {std::max(0.0, std::sqrt(square) - most_change * std::sqrt(s)), square / s};
}

void RateFilter::pass(double dt) noexcept { variance += rate_change * dt * rate_change * dt; }

Sample::Sample(const Layout& layout) : base(layout), joints(layout.joints.size()), stands(layout.contacts.size(), 1.0) {}

Forward::Forward(const Layout& layout, bool slip)
    : layout_(layout),
      slip_(slip),
      acceleration_sigma_(prior_of(layout)),
      base_(layout),
      points_(layout),
      start_knot_(layout),
      joints_(layout.joints.size()),
      doubts_(layout.joint_readings()),
      passed_over_(layout.joints.size(), 0),
      slip_times_(layout.contacts.size()),
      q_(static_cast<std::size_t>(layout.model.nq), 0.0),
      encoder_read_(static_cast<std::size_t>(layout.model.nv), 0),
      stands_(layout.contacts.size(), 1.0),
      before_(layout.contacts.size(), 1.0),
      force_on_(layout.contacts.size(), 0),
      counts_(layout.points.size(), 0),
      loose_(layout.points.size(), 0.0),
      links_(layout.points.size(), identity3<double>()),
      turned_(links_),
      noise_{place_inside * place_inside, 0, 0, std::vector<double>(layout.points.size(), 0.0)} {
  neutral(layout.model, q_.data());
}

void Forward::start(const StartState& state) noexcept {
  start_ = state;
  started_ = again_ = false;
  shares_.clear();
  interval_.forget();
  std::fill(force_on_.begin(), force_on_.end(), 0);
}

void Forward::take_state(const Forward& other) noexcept {
  base_.take_state(other.base_);
  std::copy(other.joints_.begin(), other.joints_.end(), joints_.begin());
  std::copy(other.stands_.begin(), other.stands_.end(), stands_.begin());
  std::copy(other.before_.begin(), other.before_.end(), before_.begin());
  std::copy(other.force_on_.begin(), other.force_on_.end(), force_on_.begin());
  std::copy(other.doubts_.begin(), other.doubts_.end(), doubts_.begin());
  std::copy(other.links_.begin(), other.links_.end(), links_.begin());
  slip_times_.take(other.slip_times_);
  turn_dropped_ = other.turn_dropped_, push_dropped_ = other.push_dropped_, push_leap_ = other.push_leap_;
  rate_ = other.rate_, start_ = other.start_, last_base_ = other.last_base_;
  started_ = other.started_, again_ = other.again_;
  interval_ = other.interval_, nis_ = other.nis_, elapsed_ = other.elapsed_;
  shares_.take(other.shares_);
}

bool Forward::read_triad(const Triad& triad, const double* y, double most, Vector3& reading) const noexcept {
  if (!triad.there()) return false;
  for (int k = 0; k < 3; ++k) {
    reading[k] = y[triad.first_input + k];
    if (!(std::abs(reading[k]) <= most)) return false;
  }
  return true;
}

void Forward::read_encoders(const double* y) noexcept {
  for (std::size_t j = 0; j < layout_.joints.size(); ++j) {
    const TrackedJoint& joint = layout_.joints[j];
    const double reading = joint.positions.empty() ? nothing : y[joint.positions.front().input];
    const bool read = std::abs(reading) <= most_position && !passed_over_[j];
    encoder_read_[static_cast<std::size_t>(joint.v)] = read;
    q_[static_cast<std::size_t>(joint.q)] = read ? reading : joints_[j].q;
  }
}

void Forward::read_flags(const double* y) noexcept {
  for (std::size_t c = 0; c < layout_.contacts.size(); ++c) {
    before_[c] = stands_[c];
    read_flag(layout_.contacts[c], y[layout_.contacts[c].flag], force_on_[c], stands_[c]);
  }
}

/// Each reading is judged beside the state before this row's. A floating robot's that is far off is passed over, which `nis`
/// tells: the feet behind it would throw the base.
void Forward::move_joints(const double* y, double dt, Innovations& sum) noexcept {
  std::size_t sensor = 0;
  const auto passes = [&](double innovation, double variance, double sigma) {
    const bool over = layout_.floating && doubts_[sensor].passes_over(is_spike(innovation, variance + sigma * sigma), dt);
    if (over) sum.sum += spike, ++sum.rows;
    return over;
  };
  for (std::size_t j = 0; j < layout_.joints.size(); ++j) {
    const TrackedJoint& joint = layout_.joints[j];
    if (dt > 0) joints_[j] = predicted(joints_[j], dt, acceleration_sigma_);
    const JointState before = joints_[j];
    passed_over_[j] = 0;
    for (const auto& source : joint.positions) {
      const double reading = y[source.input];
      if (std::abs(reading) <= most_position) {
        if (!passes(reading - before.q, before.qq, source.sigma))
          take_position(joints_[j], reading, source.sigma);
        else if (&source == &joint.positions.front())
          passed_over_[j] = 1;
      }
      ++sensor;
    }
    for (const auto& source : joint.velocities) {
      const double reading = y[source.input];
      if (std::abs(reading) <= most_position && !passes(reading - before.dq, before.vv, source.sigma))
        take_velocity(joints_[j], reading, source.sigma);
      ++sensor;
    }
  }
}

StartDeviations Forward::start_deviations(bool given) const noexcept {
  const double g = std::sqrt(dot(layout_.model.gravity, layout_.model.gravity));
  const Triad& push = layout_.accelerometer;
  const double read = std::sqrt(push.offset.sigma * push.offset.sigma + push.sigma[0] * push.sigma[0] +
                                first_acceleration * first_acceleration);
  const double tilt = given ? first_tilt_given : push.there() && g > 0 ? read / g : first_tilt;
  const double speed = start_.moving ? first_speed_given : first_speed;
  StartDeviations sd{{{0, 0, 0}}, {{tilt, tilt, 0}}, {{speed, speed, speed}}};
  if (again_)
    return {{{again_place, again_place, again_place}},
            {{again_turn, again_turn, again_turn}},
            {{again_speed, again_speed, again_speed}}};
  take_stated_start(layout_.system->sensors().start, &sd.place[0], &sd.turn[0], &sd.velocity[0]);
  return sd;
}

/// Where nothing is given: the accelerometer's reading points upwards.
StartState Forward::start_state(const double* y) const noexcept {
  StartState from = start_;
  Vector3 push;
  const Vector3 down = layout_.model.gravity;
  const double g = std::sqrt(dot(down, down));
  if (from.given || !read_triad(layout_.accelerometer, y, most_push, push) || !(g > 0)) return from;
  const Vector3 in_base = transposed_times(points_.base_in_tracked().R, layout_.accelerometer.R * push);
  const double size = std::sqrt(dot(in_base, in_base));
  if (size > 0) from.base.R = shortest_rotation((-1 / g) * down) * transpose(shortest_rotation((1 / size) * in_base));
  return from;
}

void Forward::begin_base(const StartState& from, const StartDeviations& sd) noexcept {
  const Pose<double> base_in_tracked = points_.base_in_tracked();
  Knot& x = start_knot_;
  x.R = from.base.R * transpose(base_in_tracked.R);
  x.p = from.base.d - x.R * base_in_tracked.d;
  const Vector3 arm = inverse(base_in_tracked).d;
  x.v = from.base.R * (from.velocity.v + cross(from.velocity.w, arm));
  x.gyroscope_bias = x.accelerometer_bias = zero3<double>();
  place_points(x.R);
  base_.start(x, from.base.d, sd, points_);
  rate_ = RateFilter{};
  rate_.rate = base_in_tracked.R * from.velocity.w;
}

TrackerStep Forward::begin(const double* y, const Knot* about, Sample* record) noexcept {
  TrackerStep result;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    joints_[j] = JointState{0, 0, first_of_joint * first_of_joint, 0, first_of_joint * first_of_joint};
    const TrackedJoint& joint = layout_.joints[j];
    if (joint.positions.empty() || std::abs(y[joint.positions.front().input]) <= most_position) continue;
    result.why = "the first sample has no reading of a joint's position";
    return result;
  }
  std::fill(doubts_.begin(), doubts_.end(), ReadingDoubt{});
  std::fill(passed_over_.begin(), passed_over_.end(), 0);
  slip_times_.clear();
  turn_dropped_ = push_dropped_ = DroppedReading{};
  push_leap_ = PushLeap{};
  read_encoders(y);
  read_flags(y);
  before_ = stands_;
  Innovations sum;
  move_joints(y, 0, sum);
  if (layout_.floating) {
    points_.at(q_.data());
    begin_base(start_state(y), start_deviations(start_.given));
    if (about) base_.start_about(*about);
    if (record) record->base.taken = 0;
    take_poses(y, sum, record ? &record->base : nullptr);
    if (!about) base_.settle();
  }
  if (layout_.floating) last_base_ = Pose<double>{base_.knot().R, base_.knot().p} * points_.base_in_tracked();
  started_ = result.ok = true;
  nis_ = nothing, elapsed_ = 0;
  keep({}, record);
  return result;
}

/// Of zeros that are no reading, which `nis` tells.
bool Forward::is_dropped(const Triad& triad, DroppedReading& judge, const double* y, double dt, Innovations& sum) noexcept {
  if (!triad.there()) return false;
  judge.begin_row();
  for (int k = 0; k < 3; ++k) judge.see(y[triad.first_input + k], triad.sigma[k] * triad.sigma[k]);
  if (!judge.end_row(dt)) return false;
  sum.sum += spike, ++sum.rows;
  return true;
}

/// After points_.at(): how surely feet are where encoders say, of a tracked frame at R; and how the links of those that roll
/// have turned in that frame since the sample before, also where a reading was predicted: the turns add up.
void Forward::place_points(const Matrix3& R) noexcept {
  points_.find_deviations(transposed_times(R, layout_.vertical));
  for (std::size_t k = 0; k < links_.size(); ++k) {
    if (!layout_.points[k].rolls()) continue;
    const Matrix3 now = points_.turned(static_cast<int>(k));
    turned_[k] = now * transpose(links_[k]), links_[k] = now;
  }
}

InertialReading Forward::inertial(const double* y, double dt, bool gap, Innovations& sum) noexcept {
  InertialReading reading;
  reading.dt = dt;
  reading.turn_read = !gap && !is_dropped(layout_.gyroscope, turn_dropped_, y, dt, sum) &&
                      read_triad(layout_.gyroscope, y, most_turn, reading.turn);
  reading.push_read = !gap && !is_dropped(layout_.accelerometer, push_dropped_, y, dt, sum) &&
                      read_triad(layout_.accelerometer, y, most_push, reading.push);
  const auto squares = [](const Vector3& s) { return Vector3{{s[0] * s[0], s[1] * s[1], s[2] * s[2]}}; };
  reading.turn_variance = squares(layout_.gyroscope.sigma), reading.push_variance = squares(layout_.accelerometer.sigma);
  if (reading.turn_read) {  // what leaps counts less by as much as it does: a spike would turn the base, for certain
    const Vector3& r = reading.turn_variance;
    const RateFilter::Leap leap = rate_.leap(turn_rate(layout_, base_.knot(), reading), std::max({r[0], r[1], r[2]}), dt);
    for (int k = 0; k < 3; ++k) reading.turn_variance[k] += leap.by * leap.by;
    reading.leap = leap.by > 0 ? leap.square : 0;
  } else {
    reading.turn = gap ? zero3<double>() : rate_.rate;
    reading.turn_variance = {{free_turn * free_turn, free_turn * free_turn, free_turn * free_turn}};
  }
  if (reading.push_read) {  // likewise; an impact may leap, too
    const Vector3& r = reading.push_variance;
    const PushLeap::Found leap = push_leap_.find(reading.push, std::max({r[0], r[1], r[2]}), dt);
    for (int k = 0; k < 3; ++k) reading.push_variance[k] += leap.square;
    if (leap.square > 0) sum.sum += leap.square / leap.variance, sum.rows += 3;  // `nis` tells
  } else {
    reading.push = -1.0 * transposed_times(base_.knot().R, layout_.model.gravity);
    reading.push_variance = {{free_push * free_push, free_push * free_push, free_push * free_push}};
  }
  return reading;
}

/// By how much a standing point's predicted place misses beyond what it may and what twice the encoders' deviation explains.
double Forward::loose_by(const Knot& predicted, double may, int point) const noexcept {
  const Vector3 miss =
      transposed_times(predicted.R, predicted.footholds[static_cast<std::size_t>(point)] - predicted.p) - points_.point(point);
  return std::max(0.0, std::sqrt(dot(miss, miss)) - may - 2 * std::sqrt(points_.variance(point)));
}

/// loose_, by point, and how long each contact has missed. A gap says nothing.
void Forward::judge_slips(const Knot& predicted, double dt) noexcept {
  slip_times_.begin_row();
  for (std::size_t c = 0; c < layout_.contacts.size(); ++c) {
    const TrackedContact& contact = layout_.contacts[c];
    const bool stands = before_[c] * stands_[c] > 0.5;
    bool misses = false;
    for (int k = contact.first_point; k < contact.first_point + contact.points; ++k) {
      double& loose = loose_[static_cast<std::size_t>(k)];
      loose = slip_ && stands && contact.settings->slip > 0 ? loose_by(predicted, contact.settings->slip, k) : 0;
      misses = misses || loose > 0;
    }
    slip_times_.judge(c, stands, misses, dt);
  }
  slip_times_.end_row(dt);
}

/// Variances of the footholds over the interval: stance or swing by the product of the flags at both ends; and by how much a
/// foot that stands misses its predicted place, where that may be a slip. Returns how many points were let go.
int Forward::judge_feet(const Knot& predicted, double dt, bool gap) noexcept {
  int slips = 0;
  if (!gap) judge_slips(predicted, dt);
  for (std::size_t c = 0; c < layout_.contacts.size(); ++c) {
    const TrackedContact& contact = layout_.contacts[c];
    const double g = gap ? 0 : before_[c] * stands_[c];
    const double walk = g * contact.settings->walk + (1 - g) * swing_walk;
    for (int k = contact.first_point; k < contact.first_point + contact.points; ++k) {
      const double loose = !gap && slip_times_.may_slip(c) ? loose_[static_cast<std::size_t>(k)] : 0;
      counts_[static_cast<std::size_t>(k)] = g > 0.5;
      slips += loose > 0;
      noise_.foothold[static_cast<std::size_t>(k)] = walk * walk * dt + loose * loose;
    }
  }
  return slips;
}

void Forward::take_poses(const double* y, Innovations& sum, BaseRecord* record) noexcept {
  for (const TrackedPose& pose : layout_.poses) {
    double reading[7];
    for (int k = 0; k < 7; ++k) reading[k] = pose.inputs[k] < 0 ? nothing : y[pose.inputs[k]];
    base_.take_pose(pose, points_, reading, sum, record);
  }
}

void Forward::take_rows(const double* y, Innovations& sum, BaseRecord* record) noexcept {
  for (std::size_t g = 0; g < layout_.groups.size(); ++g) {
    const PointGroup& group = layout_.groups[g];
    const bool all = std::all_of(group.joints.begin(), group.joints.end(),
                                 [&](int v) { return encoder_read_[static_cast<std::size_t>(v)]; });
    if (all) base_.take_points(g, points_, counts_, sum, record);
  }
  take_poses(y, sum, record);
}

void Forward::move_rate(const InertialReading& reading) noexcept {
  if (!reading.turn_read) return rate_.pass(reading.dt);
  const Vector3& s = reading.turn_variance;
  const Vector3 mean = turn_rate(layout_, base_.knot(), reading), change = (1 / theta) * (mean - rate_.rate);
  const double inside = rate_inside * std::max({std::abs(change[0]), std::abs(change[1]), std::abs(change[2])});
  rate_.take(mean, std::max({s[0], s[1], s[2]}) + inside * inside, reading.dt);
}

void Forward::keep(const InertialReading& reading, Sample* record) const noexcept {
  if (!record) return;
  if (layout_.floating) base_.keep(record->base);
  std::copy(joints_.begin(), joints_.end(), record->joints.begin());
  std::copy(stands_.begin(), stands_.end(), record->stands.begin());
  record->rate = rate_, record->reading = reading.turn,
  record->read = reading.dt > 0 && reading.turn_read && !(reading.leap > 0);
  record->dt = reading.dt, record->nis = nis_;
}

/// What broke the estimate is left behind: it starts anew where it was last sound, with wide deviations.
void Forward::start_again() noexcept {
  start_ = {true, false, last_base_, {zero3<double>(), zero3<double>()}};
  started_ = false, again_ = true;
}

/// Walks widen a prior by walk² t.
void Forward::judge_offsets(double dt) noexcept {
  elapsed_ += dt;
  std::size_t next = 0;
  for (const Triad* t : {&layout_.gyroscope, &layout_.accelerometer})
    for (int k = 0; k < 3; ++k, ++next) {
      const double prior = prior_variance(t->offset.sigma, t->offset.walk, elapsed_);
      if (t->bias >= 0 && prior > 0) shares_.judge(next, base_.covariance().at(t->bias + k, t->bias + k), prior);
    }
}

std::vector<std::string> Forward::at_prior() const {
  std::vector<std::string> names;
  std::size_t next = 0;
  for (const Triad* t : {&layout_.gyroscope, &layout_.accelerometer})
    for (std::size_t k = 0; k < 3; ++k, ++next)
      if (shares_.kept(next)) names.push_back(t->bias_columns[k]);
  return names;
}

TrackerStep Forward::step(const double* y, double dt, const Knot* about, Sample* record) noexcept {
  if (!started_) return begin(y, about, record);
  TrackerStep result;
  if (!(dt > 0) || !std::isfinite(dt)) {
    result.why = "time does not go on";
    return result;
  }
  if (layout_.floating && interval_.is_break(dt)) {
    start_again();
    return begin(y, about, record);
  }
  const bool gap = interval_.take(dt);
  Innovations sum;
  move_joints(y, dt, sum);
  read_encoders(y);
  read_flags(y);
  InertialReading reading;
  reading.dt = dt;
  if (layout_.floating) {
    BaseRecord* kept = record ? &record->base : nullptr;
    reading = inertial(y, dt, gap, sum);
    if (reading.leap > 0) sum.sum += reading.leap, sum.rows += 3;  // `nis` tells
    points_.at(q_.data());
    place_points(base_.knot().R);
    result.slips = judge_feet(base_.predict(reading, turned_.data()), dt, gap);
    const double turn = layout_.gyroscope.offset.walk, push = layout_.accelerometer.offset.walk;
    noise_.gyroscope_walk = turn * turn * dt, noise_.accelerometer_walk = push * push * dt;
    base_.carry_on(reading, noise_, about, kept);
    take_rows(y, sum, kept);
    const Vector3 correction = part(base_.mean(), Layout::turn);
    const bool far = !(dot(correction, correction) <= longest_step * longest_step);
    if (!about) base_.settle();
    if (far || !base_.sound()) {
      start_again();
      result.why = "no small correction fits the readings; the estimate starts anew with the next sample";
      return result;
    }
    move_rate(reading);
    judge_offsets(dt);
    last_base_ = Pose<double>{base_.knot().R, base_.knot().p} * points_.base_in_tracked();
  }
  result.ok = true, result.innovation = sum.sum, result.rows = sum.rows;
  nis_ = sum.rows > 0 ? sum.sum / sum.rows : nothing;
  keep(reading, record);
  return result;
}

}  // namespace sparsedyn::tracking
