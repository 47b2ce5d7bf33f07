#include "tracking/whole/whole_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/output_request.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "tracking/shared/normal_squares.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double unknown_number = std::numeric_limits<double>::quiet_NaN();
const char* const whole_body_kinds =
    "rows of the whole body have q, dq, bias, foot, contact, model_wrench, nis and what `solve` has: ddq, tau, fx, f, acc";
const char* const three_axes[] = {"x", "y", "z"};
const char* const wrench_components[] = {"nx", "ny", "nz", "fx", "fy", "fz"};

}  // namespace

WholeOutputs::WholeOutputs(const WholeLayout& layout, const TrackerOptions& options)
    : layout_(layout), deviations_(options.deviations), q_(static_cast<std::size_t>(layout.model.nq)) {
  catalogue();
  for (const std::string& name : options.outputs.empty() ? std::vector<std::string>{"q", "dq"} : options.outputs)
    if (!add_state(name)) add_means(name);
  if (!requests_.empty()) {
    means_.emplace(*layout.system, requests_);
    rows_.emplace(*layout.system, WholeLayout::freed_link(*layout.system));
    rows_->watch(*means_);
    mean_.resize(means_->columns().size());
    zero_.resize(layout.system->unknowns().size(), 0.0), gradient_ = zero_;
  }
  v_.resize(static_cast<std::size_t>(layout.nv)), step_ = v_;
  back_.resize(layout.groups.size());
  h_.resize(static_cast<std::size_t>(layout.size)), other_ = h_;
  for (const Output& output : chosen_) columns_.push_back(output.name);
  if (deviations_) list_deviations();
  if (deviations_ && options.base_covariances) list_pairs();
}

/// Of a base's quaternion the turns about the world's axes stand instead, of a joint's those about its velocities' axes.
void WholeOutputs::list_deviations() {
  bool turned = false;
  for (const Output& output : chosen_) {
    if (output.kind == Kind::nis || output.kind == Kind::contact) continue;
    if (output.kind == Kind::group_quaternion) {
      const GroupJoint& group = layout_.groups[static_cast<std::size_t>(output.index)];
      if (output.component != group.quaternion) continue;  // once
      const std::string joint = output.name.substr(0, output.name.size() - 2);
      for (int f = 0; f < group.freedoms; ++f)
        if (const int axis = freedom_of(group.joint, f).axis; axis < 3)
          deviations_of_.push_back({joint + "r" + three_axes[axis], Kind::group_turn, group.v + f});
      continue;
    }
    if (output.kind != Kind::quaternion) {
      deviations_of_.push_back(output);
    } else if (!turned) {
      turned = true;
      for (int k = 0; k < 3; ++k) deviations_of_.push_back({std::string("q.base.r") + three_axes[k], Kind::turn, 0, k});
    }
  }
  for (const Output& output : deviations_of_) columns_.push_back("sd." + output.name);
}

void WholeOutputs::list_pairs() {
  for (std::size_t i = 0; i < deviations_of_.size(); ++i)
    for (std::size_t k = i + 1; k < deviations_of_.size(); ++k) {
      const Output &a = deviations_of_[i], &b = deviations_of_[k];
      if (!(is_of_pose(a) && is_of_pose(b)) && !(is_of_velocity(a) && is_of_velocity(b))) continue;
      pairs_.emplace_back(i, k);
      columns_.push_back("cov." + a.name + "|" + b.name);
    }
}

void WholeOutputs::catalogue() {
  const int base = layout_.base_freedoms;
  for (int k = 0; k < layout_.model.nq; ++k) {
    const std::string& name = layout_.position_names[static_cast<std::size_t>(k)];
    const auto v = std::find(layout_.coordinates.begin(), layout_.coordinates.end(), k);
    if (layout_.floating && k < 7)
      all_.push_back({name, k < 3 ? Kind::place : Kind::quaternion, 0, k});
    else if (v != layout_.coordinates.end())
      all_.push_back({name, Kind::position, static_cast<int>(v - layout_.coordinates.begin()), k});
    else
      add_group_coordinate(name, k);
  }
  for (int k = 0; k < layout_.nv; ++k) {
    const Kind kind = k >= base ? Kind::velocity : k < 3 ? Kind::base_rate : Kind::base_velocity;
    all_.push_back({layout_.velocity_names[static_cast<std::size_t>(k)], kind, k, k % 3});
  }
  for (std::size_t k = 0; k < layout_.offsets.size(); ++k)
    all_.push_back({layout_.offsets[k].column, Kind::offset, static_cast<int>(k)});
  for (std::size_t p = 0; p < layout_.points.size(); ++p)
    for (int k = 0; k < 3; ++k)
      all_.push_back({"foot." + layout_.points[p].name + "." + three_axes[k], Kind::foothold, static_cast<int>(p), k});
  for (std::size_t c = 0; c < layout_.contacts.size(); ++c)
    all_.push_back({"contact." + layout_.contacts[c].name, Kind::contact, static_cast<int>(c)});
  for (int k = 0; k < 6 && layout_.model_wrench >= 0; ++k)
    all_.push_back({std::string("model_wrench.") + wrench_components[k], Kind::wrench, k});
  all_.push_back({"nis", Kind::nis, 0});
}

std::vector<std::string> WholeOutputs::names() const {
  std::vector<std::string> found;
  for (const Output& output : all_) found.push_back(output.name);
  return found;
}

void WholeOutputs::add_group_coordinate(const std::string& name, int k) {
  for (std::size_t g = 0; g < layout_.groups.size(); ++g) {
    const GroupJoint& group = layout_.groups[g];
    const int c = k - group.q;
    if (c < 0 || c >= group.coordinates) continue;
    const bool turned = coordinate_of(group.joint, c).measure == Measure::quaternion;
    all_.push_back({name, turned ? Kind::group_quaternion : Kind::group_shift, static_cast<int>(g), c});
  }
}

bool WholeOutputs::add_state(const std::string& asked) {
  bool known = false;
  for (const Output& output : all_) {
    if (!answers(output.name, asked)) continue;
    known = true;
    const auto same = [&](const Output& o) { return o.name == output.name; };
    if (std::none_of(chosen_.begin(), chosen_.end(), same)) chosen_.push_back(output);
  }
  return known;
}

/// What runtime's Outputs has of that name; each column once, in the order asked for.
void WholeOutputs::add_means(const std::string& asked) {
  std::vector<std::string> found;
  try {
    found = Outputs(*layout_.system, {asked}).columns();
  } catch (const UnknownOutput&) {
    std::vector<std::string> names = this->names();
    for (const std::string& name : layout_.system->unknown_names()) names.push_back(name);
    throw UnknownTrackOutput(asked, names, whole_body_kinds);
  }
  for (const std::string& column : found) {
    if (std::find(requests_.begin(), requests_.end(), column) != requests_.end()) continue;
    chosen_.push_back({column, Kind::mean, static_cast<int>(requests_.size())});
    requests_.push_back(column);
  }
}

/// The interval's middle as seen from its end: q̄ = q⁺ − ½ dt dq⁺, v̄ = dq⁺ − ½ dt ddq.
void WholeOutputs::find_means(const WholeSnapshot& sample) noexcept {
  for (std::size_t k = 0; k < step_.size(); ++k) step_[k] = -0.5 * sample.dt * sample.x.dq[k];
  integrate(layout_.model, sample.x.q.data(), step_.data(), q_.data());
  for (std::size_t k = 0; k < v_.size(); ++k) v_[k] = sample.x.dq[k] - 0.5 * sample.dt * sample.x.z[k];
  for (std::size_t g = 0; g < back_.size() && deviations_; ++g)
    back_[g].at(layout_.groups[g], sample.x.dq.data() + layout_.groups[g].v, -0.5 * sample.dt);
  if (deviations_)
    rows_->find_derivatives(q_.data(), v_.data(), sample.y, sample.x.z.data());
  else
    rows_->find(q_.data(), v_.data(), sample.y, sample.x.z.data());
  means_->write(rows_->unknowns(), sample.y, rows_->work(), mean_.data());
}

double WholeOutputs::value(const Output& output, const WholeSnapshot& sample) const noexcept {
  const auto i = static_cast<std::size_t>(output.index);
  const auto c = static_cast<std::size_t>(output.component);
  switch (output.kind) {
    case Kind::place:
    case Kind::quaternion: return sample.x.q[c];
    case Kind::position: return sample.x.q[c];
    case Kind::group_shift:
    case Kind::group_quaternion: return sample.x.q[static_cast<std::size_t>(layout_.groups[i].q) + c];
    case Kind::base_rate:
    case Kind::base_velocity:
    case Kind::velocity: return sample.x.dq[i];
    case Kind::offset: return sample.x.offsets[i];
    case Kind::foothold: return sample.x.footholds[i][output.component];
    case Kind::contact: return sample.stands[i];
    case Kind::wrench: return sample.x.z[static_cast<std::size_t>(layout_.model_wrench - layout_.first_unknown) + i];
    case Kind::nis: return sample.nis;
    case Kind::mean: return sample.dt > 0 ? mean_[i] : unknown_number;
    case Kind::group_turn:
    case Kind::turn: break;
  }
  return unknown_number;
}

/// aᵀ P b.
double WholeOutputs::bilinear(const WholeSnapshot& sample, const std::vector<double>& a,
                              const std::vector<double>& b) const noexcept {
  const int n = layout_.size;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (a[static_cast<std::size_t>(i)] == 0) continue;
    double along = 0;
    for (int k = 0; k < n; ++k) along += sample.P[i * n + k] * b[static_cast<std::size_t>(k)];
    sum += along * a[static_cast<std::size_t>(i)];
  }
  return sum;
}

/// h: component c of δx + θ × x, a place x in the world whose δx begins at `error`.
void WholeOutputs::put_place_row(int error, const Vector3& x, int c) noexcept {
  std::fill(h_.begin(), h_.end(), 0.0);
  const Matrix3 X = hat(x);
  h_[static_cast<std::size_t>(error + c)] = 1;
  for (int k = 0; k < 3; ++k) h_[static_cast<std::size_t>(WholeLayout::turn + k)] = -X(c, k);
}

/// h: a component of the base's pose or velocity.
void WholeOutputs::put_base_row(const Output& output, const WholeSnapshot& sample) noexcept {
  const int c = output.component;
  if (output.kind == Kind::place) return put_place_row(WholeLayout::place, sample.x.p(), c);
  std::fill(h_.begin(), h_.end(), 0.0);
  if (output.kind == Kind::base_velocity) {
    const Matrix3 R = sample.x.R();
    for (int k = 0; k < 3; ++k) h_[static_cast<std::size_t>(WholeLayout::velocity + k)] = R(k, c);
    return;
  }
  h_[static_cast<std::size_t>((output.kind == Kind::turn ? WholeLayout::turn : WholeLayout::rate) + c)] = 1;
}

/// Of a coordinate that is no quaternion's.
double WholeOutputs::shift_variance(const WholeSnapshot& sample, const GroupJoint& group, int coordinate) noexcept {
  std::fill(h_.begin(), h_.end(), 0.0);
  group.coordinate_row(sample.x.q.data(), coordinate, h_.data() + layout_.position_error(group.v));
  return quadratic(sample);
}

/// Of a column by its gradient over x, and by how it moves with the state: the middle's errors are those of the end less what
/// the interval moved.
double WholeOutputs::mean_variance(int column, const WholeSnapshot& sample) noexcept {
  const int nv = layout_.nv, free = rows_->of_q(), base = layout_.base_freedoms;
  const double half = 0.5 * sample.dt;
  std::fill(h_.begin(), h_.end(), 0.0);
  const Matrix3 R = base > 0 ? sample.x.R() : identity3<double>(),
                middle = base > 0 ? rotation_from_quaternion(q_.data() + 3) : R;
  const auto add_part = [&](int at, const Vector3& x) { put_part(h_.data(), at, part_of(h_.data(), at) + x); };
  const auto add = [&](double scale, const double* of_z, const double* of_q, const double* of_v) {
    double* const z = h_.data() + layout_.first_unknown;
    for (int k = 0; of_z && k < free; ++k) z[k] += scale * of_z[k];
    for (int k = 0; k < nv; ++k) z[k] -= scale * half * of_v[k];
    if (base > 0) {
      add_part(WholeLayout::turn, scale * (middle * part_of(of_q, 0)));
      add_part(WholeLayout::rate, scale * (part_of(of_v, 0) - half * part_of(of_q, 0)));
      add_part(WholeLayout::velocity, scale * (R * part_of(of_v, 3)));
    }
    for (std::size_t g = 0; g < back_.size(); ++g) {
      const GroupJoint& group = layout_.groups[g];
      for (int f = 0; f < group.freedoms; ++f) {
        double by_q = 0, by_step = 0;
        for (int i = 0; i < group.freedoms; ++i) {
          by_q += back_[g].E[i][f] * of_q[group.v + i];
          by_step += back_[g].J[i][f] * of_q[group.v + i];
        }
        h_[static_cast<std::size_t>(layout_.position_error(group.v + f))] += scale * by_q;
        h_[static_cast<std::size_t>(layout_.velocity_error(group.v + f))] += scale * (of_v[group.v + f] - half * by_step);
      }
    }
    for (int v = base; v < nv; ++v) {
      if (layout_.coordinate(v) < 0) continue;
      h_[static_cast<std::size_t>(layout_.position_error(v))] += scale * of_q[v];
      h_[static_cast<std::size_t>(layout_.velocity_error(v))] += scale * (of_v[v] - half * of_q[v]);
    }
  };
  means_->gradient(column, sample.y, rows_->work(), zero_.data(), gradient_.data());
  for (int u : means_->unknowns_of(column)) {
    const double* const d = rows_->unknown_derivative(u);
    add(gradient_[static_cast<std::size_t>(u)], d, d + rows_->of_q(), d + rows_->of_v());
  }
  if (const double* held = rows_->output_derivative(column)) add(1, nullptr, held, held + nv);
  return quadratic(sample);
}

double WholeOutputs::variance(const Output& output, const WholeSnapshot& sample) noexcept {
  const auto diagonal = [&](int at) {
    return sample.P[static_cast<std::size_t>(at) * static_cast<std::size_t>(layout_.size + 1)];
  };
  const int c = output.component;
  switch (output.kind) {
    case Kind::place:
    case Kind::turn:
    case Kind::base_rate:
    case Kind::base_velocity: put_base_row(output, sample); return quadratic(sample);
    case Kind::group_turn:
    case Kind::position: return diagonal(layout_.position_error(output.index));
    case Kind::group_shift: return shift_variance(sample, layout_.groups[static_cast<std::size_t>(output.index)], c);
    case Kind::velocity: return diagonal(layout_.velocity_error(output.index));
    case Kind::offset: return diagonal(layout_.first_offset + output.index);
    case Kind::foothold: {
      const auto p = static_cast<std::size_t>(output.index);
      put_place_row(layout_.points[p].error, sample.x.footholds[p], c);
      return quadratic(sample);
    }
    case Kind::wrench: return diagonal(layout_.model_wrench + output.index);
    case Kind::mean: return sample.dt > 0 ? mean_variance(output.index, sample) : unknown_number;
    default: return unknown_number;
  }
}

void WholeOutputs::write(const WholeSnapshot& sample, double* out) noexcept {
  if (means_ && sample.dt > 0) find_means(sample);
  for (const Output& output : chosen_) *out++ = value(output, sample);
  for (const Output& output : deviations_of_) {
    const double square = variance(output, sample);
    *out++ = std::isnan(square) ? square : std::sqrt(std::max(square, 0.0));
  }
  for (const auto& [i, k] : pairs_) {
    put_base_row(deviations_of_[i], sample);
    other_ = h_;
    put_base_row(deviations_of_[k], sample);
    *out++ = bilinear(sample, other_, h_);
  }
}

double nees_of(const WholeLayout& layout, const WholeSnapshot& sample, const double* q, const double* v,
               std::vector<double>& scratch) noexcept {
  const int n = layout.floating ? 9 : 2 * layout.nv;  // the first ones
  double* const L = scratch.data();
  double* const e = L + n * n;
  if (layout.floating) {
    double u[4] = {q[3], q[4], q[5], q[6]};
    if (!normalise_quaternion(u)) return unknown_number;
    const Matrix3 R = rotation_from_quaternion(u);
    const Vector3 turn = logarithm(R * transpose(sample.x.R()));
    const Matrix3 E = exponential(turn), V = inverse_left_jacobian(turn);
    put_part(e, WholeLayout::turn, turn);
    put_part(e, WholeLayout::place, V * (part_of(q, 0) - E * sample.x.p()));
    put_part(e, WholeLayout::velocity, V * (R * part_of(v, 3) - E * sample.x.v()));
  } else {
    difference(layout.model, sample.x.q.data(), q, e);
    for (int k = 0; k < layout.nv; ++k) e[layout.nv + k] = v[k] - sample.x.dq[static_cast<std::size_t>(k)];
  }
  const auto entry = [&](int i, int k) { return sample.P[i * layout.size + k]; };
  return mean_normal_square(
      n, entry, [](double variance) { return 1e-12 * variance; }, L, e);
}

}  // namespace sparsedyn::tracking
