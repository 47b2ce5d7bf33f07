#include "tracking/track_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::tracking {
namespace {

const char* const axes[] = {"x", "y", "z"};

/// Variance of Σ_b M_b e_b, component by component: of the part at `first`, and of another by a matrix.
double quadratic(const Covariance& P, const double* row, const int* index, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < count; ++k) sum += row[i] * row[k] * P.at(index[i], index[k]);
  return sum;
}

/// Of component c of e_x = δx + θ × x, a place x in the world whose δx begins at `first`.
double place_variance(const Covariance& P, int first, const Vector3& x, int c) {
  const Matrix3 X = hat(x);
  const double row[4] = {1, -X(c, 0), -X(c, 1), -X(c, 2)};
  const int index[4] = {first + c, Layout::turn, Layout::turn + 1, Layout::turn + 2};
  return quadratic(P, row, index, 4);
}

Matrix3 block(const Covariance& P, int first) {
  Matrix3 M;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) M(i, k) = P.at(first + i, first + k);
  return M;
}

/// Component c of the diagonal of Rᵀ M R.
double turned_diagonal(const Matrix3& M, const Matrix3& R, int c) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) sum += R(i, c) * M(i, k) * R(k, c);
  return sum;
}

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

/// Σ_j J_j² σ_j² of a row of the base's Jacobian: what the joints between the root link and the tracked frame add.
double TrackOutputs::joint_variance(int row, bool velocities, const Snapshot& sample) const noexcept {
  double sum = 0;
  for (std::size_t j = 0; j < layout_.joints.size(); ++j) {
    const double entry = jacobian_[row * layout_.model.nv + layout_.joints[j].v];
    sum += entry * entry * (velocities ? sample.joints[j].vv : sample.joints[j].qq);
  }
  return sum;
}

/// Of the angular velocity in the tracked frame: the filter's and the offset's.
Matrix3 TrackOutputs::rate_covariance(const Snapshot& sample) const noexcept {
  Matrix3 M{{{sample.rate.variance, 0, 0}, {0, sample.rate.variance, 0}, {0, 0, sample.rate.variance}}};
  const Triad& t = layout_.gyroscope;
  return t.bias < 0 ? M : M + t.R * block(sample.P, t.bias) * transpose(t.R);
}

double TrackOutputs::variance(const Output& output, const Snapshot& sample) const noexcept {
  const std::size_t i = static_cast<std::size_t>(output.index);
  const int c = output.component;
  const Covariance& P = sample.P;
  const auto from_joints = [&](int first) {  // in the world's axes
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += base_.R(c, k) * base_.R(c, k) * joint_variance(first + k, false, sample);
    return sum;
  };
  switch (output.kind) {
    case Kind::place: return place_variance(P, Layout::place, base_.d, c) + from_joints(3);
    case Kind::turn: return P.at(Layout::turn + c, Layout::turn + c) + from_joints(0);
    case Kind::joint: return sample.joints[i].qq;
    case Kind::joint_velocity: return sample.joints[i].vv;
    case Kind::base_turn_rate:
      return turned_diagonal(rate_covariance(sample), base_in_tracked_.R, c) + joint_variance(c, true, sample);
    case Kind::base_velocity: {
      const Matrix3 arm = hat(base_in_tracked_.d);  // ω × d
      return turned_diagonal(block(P, Layout::velocity), base_.R, c) +
             turned_diagonal(arm * rate_covariance(sample) * transpose(arm), base_in_tracked_.R, c) +
             joint_variance(3 + c, true, sample);
    }
    case Kind::bias: {
      const int at = (i ? layout_.accelerometer : layout_.gyroscope).bias + c;
      return P.at(at, at);
    }
    case Kind::foothold: return place_variance(P, layout_.points[i].error, sample.x.footholds[i], c);
    default: return 0;
  }
}

void TrackOutputs::write(const Snapshot& sample, double* out) noexcept {
  if (layout_.floating) place_base(sample);
  for (const Output& output : chosen_) *out++ = value(output, sample);
  for (const Output& output : deviations_) *out++ = std::sqrt(std::max(variance(output, sample), 0.0));
}

}  // namespace sparsedyn::tracking
