#include "friction_start.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dense/orthogonal.hpp"
#include "noise.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

/// A row's own least squares with columns of friction in place of the row's own.
struct Tried {
  double left;                    // ρ²
  std::vector<double> frictions;  // by column
};

/// Of one torque's rows: those before what was tried, and friction's place among them.
struct TriedRows {
  TriedRows(const RowInformation::Factor& of, int friction_parameter, std::size_t tried, double least_deviation)
      : factor(of), least(least_deviation), columns(of.order() - static_cast<int>(tried)) {
    const std::vector<int>& own = of.base.independent;
    friction = static_cast<int>(std::find(own.begin(), own.end(), friction_parameter) - own.begin());
  }
  bool any() const { return columns < factor.order() && friction < columns; }

  Tried with(const std::vector<int>& instead) const {
    const int all = factor.order(), count = columns - 1 + static_cast<int>(instead.size());
    std::vector<int> order;
    for (int c = 0; c < columns; ++c)
      if (c != friction) order.push_back(c);
    for (int k : instead) order.push_back(columns + k);
    order.push_back(all);
    Eigen::MatrixXd chosen = Eigen::MatrixXd::Zero(all + 1, count + 1);
    for (int c = 0; c <= count; ++c)
      for (int r = 0; r <= order[static_cast<std::size_t>(c)]; ++r)
        chosen(r, c) = factor.entry(r, order[static_cast<std::size_t>(c)]);
    const Eigen::MatrixXd R = dense_algebra::triangle(chosen);
    Tried found{R(count, count) * R(count, count), std::vector<double>(instead.size(), 0.0)};
    for (std::size_t k = instead.size(); k-- > 0;) {
      const Eigen::Index c = columns - 1 + static_cast<Eigen::Index>(k);
      double rest = R(c, count);
      for (std::size_t l = k + 1; l < instead.size(); ++l)
        rest -= R(c, columns - 1 + static_cast<Eigen::Index>(l)) * found.frictions[l];
      if (R(c, c) != 0) found.frictions[k] = rest / R(c, c);
    }
    return found;
  }

  /// −2 log likelihood, but for a constant.
  double cost(const Tried& tried) const { return squares_cost(factor, tried.left, least); }

  const RowInformation::Factor& factor;
  double least;
  int columns, friction;
};

double off(double velocity, double prior) {
  const double decades = std::log(velocity / prior) / shape_prior(FrictionNumber::smoothing);
  return decades * decades;
}

/// What sliding leaves and what it takes away, both ≥ 0. The smoothing velocity moves along: where it is a little off, a small
/// Stribeck velocity would stand in for it.
struct Sliding {
  double cost, left, taken;
};
/// `at`: which of the columns is all of friction at a Stribeck velocity.
Sliding sliding_with(const TriedRows& rows, int at) {
  const Tried both = rows.with({1, 0, at});
  if (both.frictions[1] >= 0 && both.frictions[2] >= 0) return {rows.cost(both), both.frictions[1], both.frictions[2]};
  const Tried left = rows.with({1, 0}), taken = rows.with({1, at});
  if (left.left <= taken.left) return {rows.cost(left), std::max(left.frictions[1], 0.0), 0};
  return {rows.cost(taken), 0, std::max(taken.frictions[1], 0.0)};
}

template <class Use>
void on_tried_rows(RowInformation& information, Use&& use) {
  const ParameterIndex index(information.model());
  const std::vector<double> least = least_deviations(information);
  for (std::size_t i = 0; i < least.size(); ++i) {
    const RowInformation::Factor& factor = information.factors()[i];
    if (factor.freedom < 0 || factor.rows == 0) continue;
    const auto v = static_cast<std::size_t>(factor.freedom);
    const std::vector<FrictionColumn>& tried = information.pass().extra[v];
    const int at = friction_at(information.model(), index, v);
    const TriedRows rows(factor, at, tried.size(), least[i]);
    if (!tried.empty() && rows.any()) use(v, static_cast<std::size_t>(at), rows, tried);
  }
}

}  // namespace

int friction_at(const Model& model, const ParameterIndex& index, std::size_t v) {
  for (std::size_t j = 0; j < index.of_joints.size(); ++j)
    if (index.of_joints[j] >= 0 && moves_alone(model, model.joints[j]) && static_cast<std::size_t>(model.joints[j].v) == v)
      return index.of_joints[j] + 2;
  return -1;
}

std::vector<FrictionColumn> tried_smoothing(const FrictionShape& prior) {
  std::vector<FrictionColumn> columns;
  for (int k = 0; k < 12; ++k) {
    columns.push_back({prior});
    columns.back().shape.smoothing = std::ldexp(1e-3, k);
  }
  return columns;
}

std::vector<FrictionColumn> tried_stribeck(const FrictionShape& prior) {
  FrictionShape sliding = prior;
  sliding.stribeck = 0;
  std::vector<FrictionColumn> columns{{sliding}, {sliding, FrictionNumber::smoothing, 1}};
  for (int k = 2; k < 12; ++k) {
    columns.push_back({prior});
    columns.back().shape.stribeck = 1, columns.back().shape.stribeck_velocity = std::ldexp(1e-3, k);
  }
  return columns;
}

void start_smoothing(RowInformation& information, const std::vector<FrictionShape>& prior, std::vector<FrictionShape>& shape,
                     std::vector<double>& pi) {
  on_tried_rows(information, [&](std::size_t v, std::size_t at, const TriedRows& rows, const auto& tried) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < tried.size(); ++k) {
      const Tried found = rows.with({static_cast<int>(k)});
      const double cost = rows.cost(found) + off(tried[k].shape.smoothing, prior[v].smoothing);
      if (!(cost < least)) continue;
      least = cost, shape[v] = tried[k].shape;
      pi[at] = std::max(found.frictions[0], 0.0);
    }
  });
}

void start_stribeck(RowInformation& information, const std::vector<FrictionShape>& prior, std::vector<FrictionShape>& shape,
                    std::vector<double>& pi) {
  on_tried_rows(information, [&](std::size_t v, std::size_t at, const TriedRows& rows, const auto& tried) {
    double least = std::numeric_limits<double>::infinity();
    shape[v].stribeck = 0,
    shape[v].stribeck_velocity = std::max(prior[v].stribeck_velocity, least_stribeck_ratio * shape[v].smoothing);
    for (std::size_t k = 2; k < tried.size(); ++k) {
      if (tried[k].shape.stribeck_velocity < least_stribeck_ratio * shape[v].smoothing) continue;
      const Sliding found = sliding_with(rows, static_cast<int>(k));
      const double share = found.taken > 0 ? found.taken / (found.left + found.taken) : 0.0;
      const double cost = found.cost + off(tried[k].shape.stribeck_velocity, prior[v].stribeck_velocity) +
                          (share - prior[v].stribeck) * (share - prior[v].stribeck);
      if (!(cost < least)) continue;
      least = cost, pi[at] = found.left + found.taken;
      shape[v].stribeck = share;
      if (share > 0) shape[v].stribeck_velocity = tried[k].shape.stribeck_velocity;
    }
  });
}

}  // namespace sparsedyn
