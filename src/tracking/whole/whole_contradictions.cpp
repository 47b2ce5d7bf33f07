// Which readings of an interval WholeForward does not believe: gyroscopes that leap, and readings that all others contradict.
// And what it makes of a push on the base, which no sensor of forces shows.
#include <algorithm>
#include <cmath>

#include "tracking/shared/imu_limits.hpp"
#include "tracking/shared/rate_inside.hpp"
#include "tracking/whole/whole_forward.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double contradiction = 100;   // square, in deviations, of a reading that all others contradict
constexpr double strange_turn = 25;     // likewise, of a gyroscope's reading, which may be a spike or a kick
constexpr double least_told = 1e-4;     // of a reading's variance: less is told by no other
constexpr double widest_push = 1000;    // m/s², deviation of what a push does to the robot, or a spike to an accelerometer
constexpr double widest_leap = 0.1;     // rad, by which a kick may turn the base within an interval
constexpr double longest_push = 0.25;   // s: what goes on for longer is no push, and all readings count
constexpr double ordinary_squares = 2;  // of an interval's innovations, in deviations: the median (whole_layout.cpp)
constexpr double half_way = 0.7;        // √½: of two answers as likely as each other, half their distance is the deviation

}  // namespace

/// What is left of row i at the estimate; h_ is the row.
double WholeForward::left_of(int i, const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept {
  double left = interval_rest(i, y, dt, R, middle);
  for (int k = 0; k < e_.n; ++k) left -= h_[static_cast<std::size_t>(k)] * e_.mean[static_cast<std::size_t>(k)];
  return left;
}

/// rad/s by which a push may change the angular velocity within an interval; beyond that a gyroscope's leap is a spike.
double WholeForward::widest_turn(double dt) const noexcept {
  return std::min(layout_.radius > 0 ? widest_push / layout_.radius * dt : most_turn, widest_leap / dt);
}

/// Gyroscopes and accelerometers that read zeros where a packet was dropped; `nis` tells.
void WholeForward::pass_over_dropped(const double* y, double dt) noexcept {
  const auto judge_of = [&](std::size_t i) {
    const IntervalReading& reading = layout_.intervals[i];
    return reading.inertial != Inertial::none && reading.input >= 0 ? &dropped_[static_cast<std::size_t>(reading.sensor)]
                                                                    : nullptr;
  };
  for (DroppedReading& judge : dropped_) judge.begin_row();
  for (std::size_t i = 0; i < passed_.size(); ++i)
    if (DroppedReading* const judge = judge_of(i)) judge->see(y[layout_.intervals[i].input], layout_.intervals[i].variance);
  for (DroppedReading& judge : dropped_)
    if (judge.end_row(dt)) sum_ += spike, ++counted_;
  for (std::size_t i = 0; i < passed_.size(); ++i)
    if (const DroppedReading* const judge = judge_of(i)) passed_[i] = judge->dropped();
}

/// Of a floating robot's gyroscopes, before any row of the interval: a reading that leaps from the angular velocity at the
/// interval's start counts less by as much as it does, or a spike would turn the base, for certain. `nis` tells. Where it goes
/// on leaping, the estimate may be what is wrong, and it counts.
void WholeForward::judge_turns(const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept {
  for (int i = rows_.first_turn(); i < static_cast<int>(doubtful_.size()) && layout_.floating; ++i) {
    const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(i)];
    double& doubtful = doubtful_[static_cast<std::size_t>(i)];
    doubtful = 0;
    if (passed_[static_cast<std::size_t>(i)] || !(std::abs(y[reading.input]) <= reading.most)) continue;
    const double innovation = left_of(i, y, dt, R, middle);
    put_part(h_.data(), layout_.first_unknown, zero3<double>());  // of the base: rate_change stands for it
    const double changes = layout_.theta * rate_change * dt,
                 s = e_.variance_of(h_.data()) + changes * changes + reading.variance;
    const double by = std::abs(innovation) - most_change * std::sqrt(s);
    const bool far = by > 0 && std::abs(innovation) > widest_turn(dt);  // else it may be a kick
    if (!leap_doubts_[static_cast<std::size_t>(i - rows_.first_turn())].passes_over(far, dt)) continue;
    doubtful = by * by;
    sum_ += innovation * innovation / s, ++counted_;
  }
}

/// Of a sensor that is off: whether it is passed over. It is judged once in an interval, whatever its readings. Where intervals
/// are strange for longer than any push lasts, one that was off within a tenth of a second is believed: it comes and goes.
bool WholeForward::passes_over_sensor(std::size_t sensor, double dt) noexcept {
  Verdict& verdict = judged_[sensor];
  if (verdict == Verdict::none) {
    const bool comes_and_goes = strange_for_ > longest_push && interval_doubts_[sensor].agreed < first_doubt;
    verdict = interval_doubts_[sensor].passes_over(true, dt, 0) && !comes_and_goes ? Verdict::passed : Verdict::believed;
  }
  return verdict == Verdict::passed;
}

/// Of the readings of the interval that count, the one that all others contradict most, in deviations: r² beside R − h P h,
/// where r is what is left of it and R − h P h the variance of that. Reading −1: none is far off. Readings that nothing else
/// tells, whose R − h P h is none, contradict nobody.
WholeForward::Contradicted WholeForward::most_contradicted(const double* y, double dt, const Matrix3& R,
                                                           const Matrix3& middle) noexcept {
  Contradicted worst;
  double most = contradiction;
  for (int i = 0; i < static_cast<int>(taken_.size()); ++i) {
    const double variance = taken_[static_cast<std::size_t>(i)];
    if (!(variance > 0)) continue;
    const double left = left_of(i, y, dt, R, middle);
    const double open = variance - e_.variance_of(h_.data());
    if (!(open > least_told * variance && left * left > most * open)) continue;
    most = left * left / open, worst = {i, most};
  }
  return worst;
}

/// The row of reading i, as if it had never been. After settle(). Returns the square of the reading's innovation r beside all
/// others, in deviations, and its variance S: of s = h P h − R, −r'²/s and −R²/s. S = 0: others do not tell what the row does,
/// and it stays.
Gaussian::Found WholeForward::take_back(int i, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                                        WholeSample* record) noexcept {
  const double rest = interval_rest(i, y, dt, R, middle), variance = taken_[static_cast<std::size_t>(i)];
  if (!(variance - e_.variance_of(h_.data()) > least_told * variance)) return {0, 0, 0};
  DenseRowRecord* kept = record ? &record->rows[static_cast<std::size_t>(record->taken++)] : nullptr;
  Gaussian::Found found = e_.take_back(h_.data(), rest, variance, kept);
  if (!(found.variance < 0)) return {0, 0, 0};
  e_.settle();
  found.square = -found.square, found.variance = -variance * variance / found.variance;
  surprise_ -= found.square + std::log(found.variance), squares_ -= found.square;
  return found;
}

/// Takes back a reading that all others contradict; to `surprise` it is just so strange that it is taken back. Returns the
/// square of its innovation; 0: it stays.
double WholeForward::pass_over(int i, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                               WholeSample* record) noexcept {
  const Gaussian::Found found = take_back(i, y, dt, R, middle, record);
  if (!(found.variance > 0)) return 0;
  taken_[static_cast<std::size_t>(i)] = 0, passed_[static_cast<std::size_t>(i)] = 1;
  const double told = contradiction + std::log(found.variance);
  surprise_ += told, surprise_before_ += told;
  return found.square;
}

/// Gyroscopes are weighed by the interval's accelerations: by those that are estimated, or, where a spike may have spoilt
/// these, by what a base's usually are.
void WholeForward::weigh_turns_again(bool as_estimated, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                                     WholeSample* record) noexcept {
  for (int i = rows_.first_turn(); i < static_cast<int>(taken_.size()); ++i)
    weighed_[static_cast<std::size_t>(i)] =
        taken_[static_cast<std::size_t>(i)] > 0 && take_back(i, y, dt, R, middle, record).variance > 0;
  for (int i = rows_.first_turn(); i < static_cast<int>(taken_.size()); ++i) {
    double& variance = taken_[static_cast<std::size_t>(i)];
    if (!weighed_[static_cast<std::size_t>(i)]) continue;
    const double rest = interval_rest(i, y, dt, R, middle), usual = rate_inside * rate_change * dt;
    variance = as_estimated ? reading_variance(i, y, dt)
                            : layout_.intervals[static_cast<std::size_t>(i)].variance + usual * usual +
                                  doubtful_[static_cast<std::size_t>(i)];
    take(rest, variance, 0, record);
    e_.settle();
  }
}

/// Norms of what is left of the base's rows, the force and moment of a push, and of the IMU's readings, what they are off; and
/// the largest acceleration of a joint.
WholeForward::Push WholeForward::left_of_push(const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept {
  Push squares;
  for (int i = 0; i < static_cast<int>(taken_.size()); ++i) {
    const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(i)];
    const bool counts = taken_[static_cast<std::size_t>(i)] > 0 && reading.inertial != Inertial::none;
    if (reading.base < 0 && !counts) continue;
    const double left = left_of(i, y, dt, R, middle);
    double& to = reading.base >= 3                    ? squares.force
                 : reading.base >= 0                  ? squares.moment
                 : reading.inertial == Inertial::push ? squares.off
                                                      : squares.turned;
    to += left * left;
  }
  double joints = 0;
  for (int v = layout_.base_freedoms; v < layout_.nv; ++v)
    joints = std::max(
        joints, std::abs(x_.z[static_cast<std::size_t>(v)] + e_.mean[static_cast<std::size_t>(layout_.first_unknown + v)]));
  return {std::sqrt(squares.force), std::sqrt(squares.moment), std::sqrt(squares.off), std::sqrt(squares.turned), joints};
}

/// The interval's rows as if none had been taken, but for readings that are passed over. `nis` stays what it is.
void WholeForward::take_interval_again(const Push& push, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                                       WholeSample* record) noexcept {
  e_.become(before_);
  for (int v = layout_.base_freedoms; v < layout_.nv && push.joints > 0; ++v)
    e_.row(layout_.first_unknown + v)[layout_.first_unknown + v] += push.joints * push.joints;
  surprise_ = surprise_before_;
  if (record) record->taken = 0;
  const double sum = sum_;
  const int counted = counted_;
  take_interval_rows(push, y, dt, R, middle, record);
  sum_ = sum, counted_ = counted;
}

/// Takes the interval again; whether nothing about it is strange then.
bool WholeForward::is_explained_by(const Push& push, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                                   WholeSample* record) noexcept {
  take_interval_again(push, y, dt, R, middle, record);
  return squares_ < layout_.most_squares;
}

/// Passes over one more reading, of a torque, where that leaves as little as the median of clean rows; whether it does. Where
/// it leaves more it may be the push that the torque does not show, as it is of gyroscopes.
bool WholeForward::is_explained_without_torque(const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                                               WholeSample* record) noexcept {
  const Contradicted worst = most_contradicted(y, dt, R, middle);
  if (worst.reading < 0 || squares_ - worst.square > ordinary_squares) return false;
  const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(worst.reading)];
  if (worst.reading >= rows_.first_turn() || reading.inertial != Inertial::none ||
      !passes_over_sensor(static_cast<std::size_t>(reading.sensor), dt))
    return false;
  return pass_over(worst.reading, y, dt, R, middle, record) > 0;
}

/// The base may have been pushed in the interval: the sum of its forces is left open, as wide as any push. Where an IMU that is
/// off explains all as well, a spike may have been read: in its first row the answer lies half way, with a deviation of
/// half the distance, and later encoders and feet decide; where neither does, both are open. In the rows after that, through
/// which a spike does not last, it is a push (ReadingDoubt). What comes again and again is neither. `nis` tells all of them.
void WholeForward::take_with_push(const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                                  WholeSample* record) noexcept {
  sum_ += squares_, ++counted_;
  bool doubtful = false;
  for (const IntervalReading& reading : layout_.intervals)
    if (reading.inertial != Inertial::none)
      doubtful = passes_over_sensor(static_cast<std::size_t>(reading.sensor), dt) || doubtful;
  if (strange_for_ > longest_push) return weigh_turns_again(true, y, dt, R, middle, record);
  const Push spiked{0, 0, widest_push, widest_turn(dt), 0};
  Push pushed{widest_push * layout_.mass, widest_push * layout_.mass * layout_.radius, 0, 0, 0}, off;
  const bool by_imu = doubtful && is_explained_by(spiked, y, dt, R, middle, record);
  const bool by_spike = by_imu || (doubtful && is_explained_without_torque(y, dt, R, middle, record));
  if (by_spike) off = left_of_push(y, dt, R, middle);
  bool by_push = is_explained_by(pushed, y, dt, R, middle, record);
  if (by_imu && !by_push && layout_.radius > 0) {
    pushed.joints = widest_push / layout_.radius;
    by_push = is_explained_by(pushed, y, dt, R, middle, record);
  }
  if (by_spike && !by_push) return take_interval_again(spiked, y, dt, R, middle, record);
  if (doubtful && !by_push)
    take_interval_again(Push{pushed.force, pushed.moment, spiked.off, spiked.turned, 0}, y, dt, R, middle, record);
  const Push by = left_of_push(y, dt, R, middle);
  if (pushed.joints > 0) moved_by_ = Push{by.force, by.moment, 0, 0, by.joints};
  if (!by_spike) return;
  const bool turned = off.turned > rate_inside * rate_change * dt;  // else gyroscopes tell the moment
  take_interval_again(Push{half_way * by.force, turned ? half_way * by.moment : pushed.moment, half_way * off.off,
                           turned ? half_way * off.turned : 0, half_way * moved_by_.joints},
                      y, dt, R, middle, record);
}

/// A reading that all others contradict beyond doubt, together with what was known before, is taken back: a spike of one torque
/// would throw the whole robot. Only one row of a sensor: where it is contradicted in the next one too, the estimate may be
/// what is wrong, and it counts (ReadingDoubt). Returns whether the base may have been pushed: an accelerometer or a gyroscope
/// is contradicted, or no single reading explains what is strange.
bool WholeForward::pass_over_spikes(const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                                    WholeSample* record) noexcept {
  for (int tries = 0; tries < most_passed_over; ++tries) {
    const Contradicted worst = most_contradicted(y, dt, R, middle);
    if (worst.reading < 0) break;
    const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(worst.reading)];
    if (reading.inertial != Inertial::none || squares_ - worst.square > layout_.most_squares) return true;
    if (!passes_over_sensor(static_cast<std::size_t>(reading.sensor), dt)) return true;
    const double square = pass_over(worst.reading, y, dt, R, middle, record);
    if (!(square > 0)) return false;
    sum_ += square, ++counted_;
  }
  return squares_ > layout_.most_squares;
}

/// Whether a gyroscope's reading is five deviations from what all others say, of which fewer than ten are no contradiction.
bool WholeForward::is_turn_strange(const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept {
  for (int i = rows_.first_turn(); i < static_cast<int>(taken_.size()); ++i) {
    const double variance = taken_[static_cast<std::size_t>(i)];
    if (!(variance > 0) || layout_.intervals[static_cast<std::size_t>(i)].inertial != Inertial::turn) continue;
    const double left = left_of(i, y, dt, R, middle), open = variance - e_.variance_of(h_.data());
    if (open > least_told * variance && left * left > strange_turn * open) return true;
  }
  return false;
}

/// Only where an innovation of the interval is strange, or all of them together are.
void WholeForward::pass_over_contradicted(const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                                          WholeSample* record) noexcept {
  std::fill(judged_.begin(), judged_.end(), Verdict::none);
  calm_for_ += dt;
  const bool turned = strangest_ > strange_turn && is_turn_strange(y, dt, R, middle);
  if (turned || strangest_ > contradiction || squares_ > layout_.most_squares) {
    strange_for_ = calm_for_ > first_doubt ? dt : strange_for_ + calm_for_, calm_for_ = 0;
    weigh_turns_again(false, y, dt, R, middle, record);
    bool pushed = pass_over_spikes(y, dt, R, middle, record);
    if (!pushed) {
      weigh_turns_again(true, y, dt, R, middle, record);
      pushed = turned && is_turn_strange(y, dt, R, middle);
    }
    if (pushed) take_with_push(y, dt, R, middle, record);
  }
  for (std::size_t i = 0; i < judged_.size(); ++i)
    if (judged_[i] == Verdict::none) interval_doubts_[i].passes_over(false, dt, 0);
}

}  // namespace sparsedyn::tracking
