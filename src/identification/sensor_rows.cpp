// One sample's rows of a sensor set: the regressor of each reading, and what unknown wrenches leave of them.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "sparsedyn/dynamics/detail/forward_pass.hpp"
#include "sparsedyn/identification/sensor_information.hpp"

namespace sparsedyn {
namespace {

constexpr double dependent_share = 1e-9;

}  // namespace

/// The row's screw on every body beyond it: e_b = bX_λ e_λ, and what begins there.
void SensorInformation::spread(const Row& row) noexcept {
  for (std::size_t b = 0; b < screws_.size(); ++b) {
    const Body& body = model_->bodies[b];
    const bool carried = body.parent >= 0 && moved_[static_cast<std::size_t>(body.parent)];
    moved_[b] = carried;
    screws_[b] = carried ? to_child(work_.dynamics.pose[b], screws_[static_cast<std::size_t>(body.parent)])
                         : Motion<double>{zero3<double>(), zero3<double>()};
    for (std::size_t i = 0; i < row.freedoms.size(); ++i) {
      const int k = row.freedoms[i] - body.v;
      if (k < 0 || k >= freedoms(body.joint)) continue;
      const Motion<double> S = motion_subspace(body, k);
      for (int c = 0; c < 6; ++c) component(screws_[b], c) += row.coefficients[i] * component(S, c);
      moved_[b] = 1;
    }
    if (!row.freedoms.empty()) continue;
    if (static_cast<int>(b) == row.body) screws_[b] = row.screw, moved_[b] = 1;
    if (std::find(row.roots.begin(), row.roots.end(), static_cast<int>(b)) != row.roots.end())
      screws_[b] = to_child(work_.dynamics.pose[b], row.screw), moved_[b] = 1;
  }
}

/// Whether the row acts on a link, after spread, and its screw there.
bool SensorInformation::acts_on(const Row& row, int l, Motion<double>& screw) const noexcept {
  const Link& link = model_->links[static_cast<std::size_t>(l)];
  if (link.body >= 0) {
    if (!moved_[static_cast<std::size_t>(link.body)]) return false;
    screw = to_child(link.pose, screws_[static_cast<std::size_t>(link.body)]);
    return true;
  }
  if (std::find(row.links.begin(), row.links.end(), l) == row.links.end()) return false;
  screw = to_child(link.pose, row.screw);
  return true;
}

/// Y_: the row of the regressor, after spread.
void SensorInformation::write_row(const Row& row, const double* q, const double* v, const double* a) noexcept {
  std::fill(Y_.begin(), Y_.end(), 0.0);
  for (std::size_t j = 0; j < model_->joints.size(); ++j) {
    const Joint& joint = model_->joints[j];
    const std::size_t b = detail::last_body(joint);
    const Pose<double>& link = model_->links[static_cast<std::size_t>(joint.child_link)].pose;
    if (moved_[b]) {
      const detail::WrenchByNumbers<double> wrench(detail::link_motion(link, work_.dynamics.motion[b]));
      wrench.along(to_child(link, screws_[b]), &Y_[10 * j]);
    }
    const int own = work_.index.of_joints[j];
    for (std::size_t i = 0; own >= 0 && i < row.freedoms.size(); ++i) {
      if (row.freedoms[i] != joint.v) continue;
      JointPhysics p = physics_of(*model_, joint.v);
      if (!pass().friction.empty()) static_cast<FrictionShape&>(p) = pass().friction[static_cast<std::size_t>(joint.v)];
      double entries[detail::most_joint_numbers];
      detail::joint_entries(p, q[joint.q], v[joint.v], a[joint.v], entries);
      for (int k = 0; k < work_.index.counts[j]; ++k) Y_[static_cast<std::size_t>(own + k)] += row.coefficients[i] * entries[k];
    }
  }
}

/// Y π − Σ e fx of unknown wrenches, as read: less constants, plus Σ e fx of those that are known.
double SensorInformation::reading(const Row& row, const double* y) const noexcept {
  const Measurement& m = system_->measurements()[static_cast<std::size_t>(row.measurement)];
  double sum = row.sign * (m.reading(row.component, y) - row.constant);
  for (const auto& [link, measurement] : exact_) {
    Motion<double> screw{zero3<double>(), zero3<double>()};
    if (acts_on(row, link, screw))
      sum += dot(screw, known_wrench(system_->measurements()[static_cast<std::size_t>(measurement)], y));
  }
  return sum;
}

void SensorInformation::move(const double* q, const double* v, const double* a) noexcept {
  forward_pass(*model_, work_.dynamics, q, v, a, static_cast<const Force<double>*>(nullptr));
}

template <class Visit>
void SensorInformation::make_rows(const double* q, const double* v, const double* a, const double* y, Visit&& visit) {
  move(q, v, a);
  for (const Row& row : rows_) {
    if (row.channel < 0) continue;
    spread(row);
    write_row(row, q, v, a);
    visit(static_cast<std::size_t>(row.channel), Y_.data(), reading(row, y));
  }
  if (projected_ < 0) return;
  const int first = stack(q, v, a, y), columns = 6 * blocks_;
  for (int r = first; r < height_; ++r) {
    for (std::size_t k = 0; k < Y_.size(); ++k) Y_[k] = at(r, columns + static_cast<int>(k));
    visit(static_cast<std::size_t>(projected_), Y_.data(), at(r, columns + static_cast<int>(Y_.size())));
  }
}

void SensorInformation::add(const double* q, const double* v, const double* a, const double* y) noexcept {
  make_rows(q, v, a, y, [&](std::size_t i, double* row, double measured) { put(i, row, v, measured); });
}

void SensorInformation::visit(const double* q, const double* v, const double* a, const double* y, const RowVisitor& visitor) {
  make_rows(q, v, a, y, [&](std::size_t i, double* row, double measured) {
    put_friction(i, row, v);
    visitor(static_cast<int>(i), row, measured);
  });
}

double SensorInformation::weight_of(int measurement, int k) const noexcept {
  const double sigma = system_->measurements()[static_cast<std::size_t>(measurement)].sigma[static_cast<std::size_t>(k)];
  return 1 / (sigma > 0 ? sigma : exact_sigma_);
}

/// The rows that meet unknown wrenches, [U Y y], each over its deviation, with U eliminated (Householder): returns the first
/// row that holds none of it.
int SensorInformation::stack(const double* q, const double* v, const double* a, const double* y) noexcept {
  const int columns = 6 * blocks_, count = static_cast<int>(Y_.size());
  std::fill(stack_.begin(), stack_.end(), 0.0);
  int r = 0;
  for (const Row& row : rows_) {
    if (row.channel >= 0) continue;
    const double weight = weight_of(row.measurement, row.component);
    spread(row);
    write_row(row, q, v, a);
    for (std::size_t l = 0; l < blocks_of_.size(); ++l) {
      Motion<double> screw{zero3<double>(), zero3<double>()};
      if (blocks_of_[l] < 0 || !acts_on(row, static_cast<int>(l), screw)) continue;
      for (int c = 0; c < 6; ++c) at(r, 6 * blocks_of_[l] + c) = -weight * component(screw, c);
    }
    for (int k = 0; k < count; ++k) at(r, columns + k) = weight * Y_[static_cast<std::size_t>(k)];
    at(r++, columns + count) = weight * reading(row, y);
  }
  for (const Wrench& wrench : wrenches_) {
    const Measurement& m = system_->measurements()[static_cast<std::size_t>(wrench.measurement)];
    const double weight = weight_of(wrench.measurement, wrench.component);
    for (int c = 0; c < 6; ++c) at(r, 6 * wrench.block + c) = weight * component(wrench.along, c);
    at(r++, columns + count) = weight * (m.reading(wrench.component, y) - wrench.offset);
  }
  for (std::size_t k = 0; k < prior_.size(); ++k) at(r++, static_cast<int>(k)) = 1 / prior_[k];
  return eliminate(columns);
}

int SensorInformation::eliminate(int columns) noexcept {
  const auto width = static_cast<Eigen::Index>(stack_.size()) / height_;
  Eigen::Map<Eigen::MatrixXd> M(stack_.data(), height_, width);
  Eigen::Index rank = 0;
  for (Eigen::Index c = 0; c < columns && rank < height_; ++c) {
    const Eigen::Index below = height_ - rank;
    auto x = M.col(c).tail(below);
    const double left = x.norm(), whole = M.col(c).norm();
    if (!(left > dependent_share * whole)) continue;
    const double pivot = x[0] > 0 ? x[0] + left : x[0] - left, scale = 1 / (left * std::fabs(pivot));
    x[0] = pivot;
    for (Eigen::Index k = c + 1; k < width; ++k) {
      auto other = M.col(k).tail(below);
      other -= (scale * x.dot(other)) * x;
    }
    ++rank;
  }
  return static_cast<int>(rank);
}

}  // namespace sparsedyn
