#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "base_columns.hpp"
#include "model/samples.hpp"
#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

// A column is dependent where less than this share of it is not made of those before it,
constexpr double dependent_share = 1e-9;
// and without effect where it is this small beside the largest: in units of the robot's own length all are of like size,
// whatever moves.
constexpr double without_effect = 1e-10;
// Shares below this are rounding: they are products of lengths, in that unit, and of cosines.
constexpr double smallest_share = 1e-10;
// rad/s or m/s: of the size of the velocities that smooth friction.
constexpr double slow = 0.02;

/// The regressor's columns at random states, one above the other, until there are three rows a column.
Eigen::MatrixXd excited_rows(const Model& model, const std::vector<int>& which, int freedom) {
  const auto columns = static_cast<Eigen::Index>(which.size());
  const int first = std::max(freedom, 0), rows = freedom < 0 ? model.nv : 1;
  const Eigen::Index samples = rows ? 3 * columns / rows + 3 : 0;
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  RegressorWorkspace<double> work(model);
  std::vector<double> v(static_cast<std::size_t>(model.nv)), a(v), Y(v.size() * static_cast<std::size_t>(work.index.count));
  const double length = own_length(model.tree());
  std::vector<double> size(v.size(), 1.0);  // of rows: a force times that length beside moments
  for (const Body& body : model.bodies)
    for (int k = 0; !model.coordinate_map && k < freedoms(body.joint); ++k)
      if (is_shift(body.joint, k)) size[static_cast<std::size_t>(body.v + k)] = length;
  Eigen::MatrixXd W(samples * rows, columns);
  for (Eigen::Index s = 0; s < samples; ++s) {
    std::vector<double> q = normal_sample(model, rng);
    // A leader and its followers move at different speeds, so slow samples, at which tanh has not saturated, tell their
    // frictions apart.
    const double speed = model.coordinate_map && s % 2 ? slow : 1;
    for (double& x : v) x = speed * normal(rng);
    for (double& x : a) x = normal(rng);
    shift_by(model, length, q);
    regressor(model, work, q.data(), v.data(), a.data(), Y.data());
    for (Eigen::Index i = 0; i < rows; ++i)
      for (Eigen::Index k = 0; k < columns; ++k)
        W(s * rows + i, k) = size[static_cast<std::size_t>(first + i)] *
                             Y[static_cast<std::size_t>((first + i) * work.index.count + which[static_cast<std::size_t>(k)])];
  }
  return W;
}

}  // namespace

BaseParameters base_parameters(const Model& model, const std::vector<int>& which, int freedom) {
  return independent_columns(excited_rows(model, which, freedom), which, parameter_units(model));
}

double own_length(const Model& tree) {
  double longest = 0;
  const auto look = [&](const Vec3<double>& d) { longest = std::max(longest, std::sqrt(dot(d, d))); };
  for (const Body& body : tree.bodies) {
    look(body.placement.d);
    const Inertia<double>& I = body.inertia;
    if (I.m > 0) longest = std::max(longest, std::sqrt((I.moments.xx + I.moments.yy + I.moments.zz) / I.m));
  }
  for (const Link& link : tree.links)
    if (link.body >= 0) look(link.pose.d);
  return longest > 0 && std::isfinite(longest) ? std::exp2(std::round(std::log2(longest))) : 1;
}

void shift_by(const Model& model, double length, std::vector<double>& q) {
  if (model.coordinate_map) return;  // couplings are stated in rad and m
  for (const Body& body : model.bodies)
    if (freedoms(body.joint) == 1 && is_shift(body.joint, 0)) q[static_cast<std::size_t>(body.q)] *= length;
}

std::vector<double> parameter_units(const Model& model) {
  const Model& tree = model.tree();
  const double length = own_length(tree);
  const ParameterIndex index(model);
  std::vector<double> unit(static_cast<std::size_t>(index.count), length * length);
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    unit[10 * j] = 1;
    for (std::size_t k = 1; k < 4; ++k) unit[10 * j + k] = length;
    const bool shifts = is_shift(tree.bodies[static_cast<std::size_t>(tree.joints[j].first_body)].joint, 0);
    for (int k = 0; shifts && k < index.counts[j]; ++k) unit[static_cast<std::size_t>(index.of_joints[j] + k)] = 1;
  }
  return unit;
}

BaseParameters independent_columns(const Eigen::MatrixXd& in_SI, const std::vector<int>& which,
                                   const std::vector<double>& unit) {
  const Eigen::Index columns = in_SI.cols();
  Eigen::MatrixXd W = in_SI;
  for (Eigen::Index k = 0; k < columns; ++k) W.col(k) *= unit[static_cast<std::size_t>(which[static_cast<std::size_t>(k)])];
  // Orthogonalised in order, each twice: what is left of a column, beside what it was, says whether it is new.
  Eigen::MatrixXd Q(W.rows(), columns), R = Eigen::MatrixXd::Zero(columns, columns), along(columns, columns);
  const double none = columns ? without_effect * W.colwise().norm().maxCoeff() : 0;
  Eigen::Index rank = 0, dependent = 0;
  BaseParameters base;
  for (Eigen::Index k = 0; k < columns; ++k) {
    Eigen::VectorXd x = W.col(k), share = Eigen::VectorXd::Zero(rank);
    for (int again = 0; again < 2; ++again) {
      const Eigen::VectorXd more = Q.leftCols(rank).transpose() * x;
      x -= Q.leftCols(rank) * more, share += more;
    }
    const double left = x.norm();
    if (left <= std::max(dependent_share * W.col(k).norm(), none)) {
      along.col(dependent++).setZero(), along.col(dependent - 1).head(rank) = share;
      base.dependent.push_back(which[static_cast<std::size_t>(k)]);
    } else {
      R.col(rank).head(rank) = share, R(rank, rank) = left, Q.col(rank) = x / left;
      base.independent.push_back(which[static_cast<std::size_t>(k)]);
      ++rank;
    }
  }
  base.share.resize(base.dependent.size());
  if (rank == 0 || dependent == 0) return base;
  const Eigen::MatrixXd shares =
      R.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solve(along.topLeftCorner(rank, dependent));
  for (Eigen::Index d = 0; d < dependent; ++d) {
    const double own = unit[static_cast<std::size_t>(base.dependent[static_cast<std::size_t>(d)])];
    for (Eigen::Index k = 0; k < rank; ++k) {
      const double in = unit[static_cast<std::size_t>(base.independent[static_cast<std::size_t>(k)])] / own;
      base.share[static_cast<std::size_t>(d)].push_back(std::fabs(shares(k, d)) < smallest_share ? 0.0 : shares(k, d) * in);
    }
  }
  return base;
}

std::vector<double> BaseParameters::values(const std::vector<double>& pi) const {
  std::vector<double> beta;
  for (int k : independent) beta.push_back(pi[static_cast<std::size_t>(k)]);
  for (std::size_t d = 0; d < dependent.size(); ++d)
    for (std::size_t k = 0; k < beta.size(); ++k) beta[k] += share[d][k] * pi[static_cast<std::size_t>(dependent[d])];
  return beta;
}

std::string BaseParameters::expression(int k, const std::vector<std::string>& names) const {
  std::string text = names[static_cast<std::size_t>(independent[static_cast<std::size_t>(k)])];
  for (std::size_t d = 0; d < dependent.size(); ++d) {
    const double x = share[d][static_cast<std::size_t>(k)];
    if (x == 0) continue;
    char factor[32];
    std::snprintf(factor, sizeof factor, "%.9g*", std::fabs(x));
    text += x < 0 ? " - " : " + ";
    if (std::string(factor) != "1*") text += factor;
    text += names[static_cast<std::size_t>(dependent[d])];
  }
  return text;
}

}  // namespace sparsedyn
