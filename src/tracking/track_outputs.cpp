#include "tracking/track_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::tracking {
namespace {

const char* const axes[] = {"x", "y", "z"};

/// A row over the errors with few entries.
struct ShortRow {
  double entries[4];
  int index[4];
  int count;
};

/// Component c of e_x = δx + θ × x, a place x in the world whose δx begins at `first`.
ShortRow place_row(int first, const Vector3& x, int c) {
  const Matrix3 X = hat(x);
  return {{1, -X(c, 0), -X(c, 1), -X(c, 2)}, {first + c, Layout::turn, Layout::turn + 1, Layout::turn + 2}, 4};
}

ShortRow turn_row(int c) { return {{1}, {Layout::turn + c}, 1}; }

/// a P bᵀ.
double covariance_of(const Covariance& P, const ShortRow& a, const ShortRow& b) {
  double sum = 0;
  for (int i = 0; i < a.count; ++i)
    for (int k = 0; k < b.count; ++k) sum += a.entries[i] * b.entries[k] * P.at(a.index[i], b.index[k]);
  return sum;
}

Matrix3 block(const Covariance& P, int first, int second) {
  Matrix3 M;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) M(i, k) = P.at(first + i, second + k);
  return M;
}
Matrix3 block(const Covariance& P, int first) { return block(P, first, first); }

Vector3 column_of(const Matrix3& M, int c) { return {{M(0, c), M(1, c), M(2, c)}}; }

bool is_asked(const std::string& column, const std::string& asked) {
  return column == asked ||
         (column.size() > asked.size() && column.compare(0, asked.size(), asked) == 0 && column[asked.size()] == '.');
}

}  // namespace

TrackOutputs::TrackOutputs(const Layout& layout, const TrackerOptions& options)
    : layout_(layout), points_(layout), q_(static_cast<std::size_t>(layout.model.nq), 0.0) {
  neutral(layout.model, q_.data());
  catalogue();
  choose(options);
}

void TrackOutputs::catalogue() {
  const auto add = [&](const std::string& name, Kind kind, int index, int component) {
    all_.push_back({name, kind, index, component});
  };
  if (layout_.floating) {
    for (int k = 0; k < 3; ++k) add(std::string("q.base.") + axes[k], Kind::place, 0, k);
    const char* const parts[] = {"qx", "qy", "qz", "qw"};
    for (int k = 0; k < 4; ++k) add(std::string("q.base.") + parts[k], Kind::quaternion, 0, k);
  }
  const auto is_read = [&](int j) { return !layout_.joints[static_cast<std::size_t>(j)].positions.empty(); };
  const auto moves = [&](int j) { return is_read(j) || !layout_.joints[static_cast<std::size_t>(j)].velocities.empty(); };
  for (int j = 0; j < static_cast<int>(layout_.joints.size()); ++j)
    if (is_read(j)) add("q." + layout_.joints[static_cast<std::size_t>(j)].name, Kind::joint, j, 0);
  if (layout_.floating) {
    for (int k = 0; k < 3; ++k) add(std::string("dq.base.w") + axes[k], Kind::base_turn_rate, 0, k);
    for (int k = 0; k < 3; ++k) add(std::string("dq.base.v") + axes[k], Kind::base_velocity, 0, k);
  }
  for (int j = 0; j < static_cast<int>(layout_.joints.size()); ++j)
    if (moves(j)) add("dq." + layout_.joints[static_cast<std::size_t>(j)].name, Kind::joint_velocity, j, 0);
  for (const Triad* t : {&layout_.gyroscope, &layout_.accelerometer})
    for (int k = 0; k < 3 && t->bias >= 0; ++k)
      add(t->bias_columns[static_cast<std::size_t>(k)], Kind::bias, t == &layout_.accelerometer, k);
  for (int p = 0; p < static_cast<int>(layout_.points.size()); ++p)
    for (int k = 0; k < 3; ++k)
      add("foot." + layout_.points[static_cast<std::size_t>(p)].name + "." + axes[k], Kind::foothold, p, k);
  for (int c = 0; c < static_cast<int>(layout_.contacts.size()); ++c)
    add("contact." + layout_.contacts[static_cast<std::size_t>(c)].name, Kind::contact, c, 0);
  if (layout_.floating) add("nis", Kind::nis, 0, 0);
  if (all_.empty()) throw Untrackable("no joint_position and no joint_velocity: nothing is read that could be tracked");
}

std::vector<std::string> TrackOutputs::names() const {
  std::vector<std::string> found;
  for (const Output& output : all_) found.push_back(output.name);
  return found;
}

void TrackOutputs::choose(const TrackerOptions& options) {
  const std::vector<std::string> asked = options.outputs.empty() ? std::vector<std::string>{"q", "dq"} : options.outputs;
  for (const std::string& name : asked) {
    const std::size_t before = chosen_.size();
    bool known = false;
    for (const Output& output : all_) {
      if (!is_asked(output.name, name)) continue;
      known = true;
      const auto same = [&](const Output& o) { return o.name == output.name; };
      if (std::none_of(chosen_.begin(), chosen_.begin() + static_cast<std::ptrdiff_t>(before), same)) chosen_.push_back(output);
    }
    if (known) continue;
    throw UnknownTrackOutput(name, names());
  }
  for (const Output& output : chosen_) columns_.push_back(output.name);
  if (!options.deviations) return;
  bool turned = false;
  for (const Output& output : chosen_) {
    if (output.kind == Kind::contact || output.kind == Kind::nis) continue;
    if (output.kind != Kind::quaternion) {
      deviations_.push_back(output);
    } else if (!turned) {
      turned = true;
      for (int k = 0; k < 3; ++k) deviations_.push_back({std::string("q.base.r") + axes[k], Kind::turn, 0, k});
    }
  }
  for (const Output& output : deviations_) columns_.push_back("sd." + output.name);
  if (options.base_covariances) list_pairs();
}

void TrackOutputs::list_pairs() {
  for (std::size_t i = 0; i < deviations_.size(); ++i)
    for (std::size_t k = i + 1; k < deviations_.size(); ++k) {
      const Output &a = deviations_[i], &b = deviations_[k];
      if (!(is_of_pose(a) && is_of_pose(b)) && !(is_of_velocity(a) && is_of_velocity(b))) continue;
      pairs_.emplace_back(i, k);
      columns_.push_back("cov." + a.name + "|" + b.name);
    }
}

/// The root link from the tracked frame: pose T_b = T B, its velocity in its own axes Bᵀ(ω) + J dq, and likewise the linear
/// one.
void TrackOutputs::place_base(const Snapshot& sample) noexcept {
  for (std::size_t j = 0; j < layout_.joints.size(); ++j)
    q_[static_cast<std::size_t>(layout_.joints[j].q)] = sample.joints[j].q;
  points_.at(q_.data());
  base_in_tracked_ = points_.base_in_tracked();
  jacobian_ = points_.base_jacobian();
  const Pose<double>& B = base_in_tracked_;
  base_ = Pose<double>{sample.x.R, sample.x.p} * B;
  quaternion_ = quaternion_from_rotation(base_.R);
  Vector3 turn = transposed_times(B.R, sample.rate.rate);
  Vector3 shift = transposed_times(base_.R, sample.x.v) + transposed_times(B.R, cross(sample.rate.rate, B.d));
  const int nv = layout_.model.nv;
  for (std::size_t j = 0; j < layout_.joints.size(); ++j)
    for (int k = 0; k < 3; ++k) {
      turn[k] += jacobian_[k * nv + layout_.joints[j].v] * sample.joints[j].dq;
      shift[k] += jacobian_[(3 + k) * nv + layout_.joints[j].v] * sample.joints[j].dq;
    }
  base_velocity_ = {turn, shift};
}

double TrackOutputs::value(const Output& output, const Snapshot& sample) const noexcept {
  const std::size_t i = static_cast<std::size_t>(output.index);
  const int c = output.component;
  switch (output.kind) {
    case Kind::place: return base_.d[c];
    case Kind::quaternion: return quaternion_[static_cast<std::size_t>(c)];
    case Kind::joint: return sample.joints[i].q;
    case Kind::base_turn_rate: return base_velocity_.w[c];
    case Kind::base_velocity: return base_velocity_.v[c];
    case Kind::joint_velocity: return sample.joints[i].dq;
    case Kind::bias: return i ? sample.x.accelerometer_bias[c] : sample.x.gyroscope_bias[c];
    case Kind::foothold: return sample.x.footholds[i][c];
    case Kind::contact: return sample.stands[i];
    case Kind::nis: return sample.nis;
    case Kind::turn: break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// What joint j between the root link and the tracked frame adds to the base's velocity: its turn (first 0) or shift (3).
Vector3 TrackOutputs::joint_part(int first, std::size_t j) const noexcept {
  const int nv = layout_.model.nv, v = layout_.joints[j].v;
  return {{jacobian_[first * nv + v], jacobian_[(first + 1) * nv + v], jacobian_[(first + 2) * nv + v]}};
}

/// Of the angular velocity in the tracked frame: the filter's and the offset's.
Matrix3 TrackOutputs::rate_covariance(const Snapshot& sample) const noexcept {
  Matrix3 M{{{sample.rate.variance, 0, 0}, {0, sample.rate.variance, 0}, {0, 0, sample.rate.variance}}};
  const Triad& t = layout_.gyroscope;
  return t.bias < 0 ? M : M + t.R * block(sample.P, t.bias) * transpose(t.R);
}

/// Of two parts of the base's pose, in the world's axes: the filter's errors, and R J δq of the joints.
double TrackOutputs::pose_covariance(const Output& a, const Output& b, const Snapshot& sample) const noexcept {
  const auto row = [&](const Output& of) {
    return of.kind == Kind::place ? place_row(Layout::place, base_.d, of.component) : turn_row(of.component);
  };
  const auto by_joint = [&](const Output& of, std::size_t j) {
    return (base_.R * joint_part(of.kind == Kind::place ? 3 : 0, j))[of.component];
  };
  double sum = covariance_of(sample.P, row(a), row(b));
  for (std::size_t j = 0; j < layout_.joints.size(); ++j) sum += by_joint(a, j) * by_joint(b, j) * sample.joints[j].qq;
  return sum;
}

/// Of two parts of the base's velocity, in its axes: Bᵀ ω + J dq, and Rᵀ v + Bᵀ (ω × d) + J dq.
double TrackOutputs::velocity_covariance(const Output& a, const Output& b, const Snapshot& sample) const noexcept {
  const auto is_shift = [](const Output& of) { return of.kind == Kind::base_velocity; };
  const auto by_rate = [&](const Output& of) {
    const Vector3 axis = column_of(base_in_tracked_.R, of.component);
    return is_shift(of) ? cross(base_in_tracked_.d, axis) : axis;
  };
  const auto by_joint = [&](const Output& of, std::size_t j) { return joint_part(is_shift(of) ? 3 : 0, j)[of.component]; };
  double sum = dot(by_rate(a), rate_covariance(sample) * by_rate(b));
  if (const Triad& t = layout_.gyroscope; t.bias >= 0) {  // δω = −R_g δb, and δb has its part in δv
    const auto along = [&](const Output& of) { return is_shift(of) ? column_of(base_.R, of.component) : zero3<double>(); };
    const Matrix3 both = block(sample.P, Layout::velocity, t.bias) * transpose(t.R);
    sum -= dot(along(a), both * by_rate(b)) + dot(along(b), both * by_rate(a));
  }
  if (is_shift(a) && is_shift(b))
    sum += dot(column_of(base_.R, a.component), block(sample.P, Layout::velocity) * column_of(base_.R, b.component));
  for (std::size_t j = 0; j < layout_.joints.size(); ++j) sum += by_joint(a, j) * by_joint(b, j) * sample.joints[j].vv;
  return sum;
}

double TrackOutputs::variance(const Output& output, const Snapshot& sample) const noexcept {
  const std::size_t i = static_cast<std::size_t>(output.index);
  const int c = output.component;
  const Covariance& P = sample.P;
  switch (output.kind) {
    case Kind::place:
    case Kind::turn: return pose_covariance(output, output, sample);
    case Kind::joint: return sample.joints[i].qq;
    case Kind::joint_velocity: return sample.joints[i].vv;
    case Kind::base_turn_rate:
    case Kind::base_velocity: return velocity_covariance(output, output, sample);
    case Kind::bias: {
      const int at = (i ? layout_.accelerometer : layout_.gyroscope).bias + c;
      return P.at(at, at);
    }
    case Kind::foothold: {
      const ShortRow row = place_row(layout_.points[i].error, sample.x.footholds[i], c);
      return covariance_of(P, row, row);
    }
    default: return 0;
  }
}

void TrackOutputs::write(const Snapshot& sample, double* out) noexcept {
  if (layout_.floating) place_base(sample);
  for (const Output& output : chosen_) *out++ = value(output, sample);
  for (const Output& output : deviations_) *out++ = std::sqrt(std::max(variance(output, sample), 0.0));
  for (const auto& [i, k] : pairs_)
    *out++ = is_of_pose(deviations_[i]) ? pose_covariance(deviations_[i], deviations_[k], sample)
                                        : velocity_covariance(deviations_[i], deviations_[k], sample);
}

}  // namespace sparsedyn::tracking
