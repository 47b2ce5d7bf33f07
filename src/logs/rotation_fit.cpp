#include "rotation_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sparsedyn {
namespace {

constexpr double half_turn = 3.14159265358979323846, whole_turn = 2 * half_turn;

/// conj(p) q.
Quaternion between(const Quaternion& p, const Quaternion& q) {
  const Three u{-p[0], -p[1], -p[2]}, v{q[0], q[1], q[2]}, c = cross(u, v);
  Quaternion r;
  for (std::size_t k = 0; k < 3; ++k) r[k] = p[3] * v[k] + q[3] * u[k] + c[k];
  r[3] = p[3] * q[3] - (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
  return r;
}

double length(const Three& r) { return std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]); }

/// The rotation vector, of at most π.
Three logarithm(const Quaternion& q) {
  const double s = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), sign = q[3] < 0 ? -1.0 : 1.0;
  const double factor = s > 0 ? 2 * std::atan2(s, sign * q[3]) * sign / s : 2 / q[3];
  return {factor * q[0], factor * q[1], factor * q[2]};
}

/// q Exp(r).
Quaternion turned(const Quaternion& q, const Three& r) {
  const double angle = length(r), s = angle > 0 ? std::sin(0.5 * angle) / angle : 0.5;
  return between({-q[0], -q[1], -q[2], q[3]}, {s * r[0], s * r[1], s * r[2], std::cos(0.5 * angle)});
}

/// Of the rotation vectors that name the same rotation, r and those a turn more or less, the one nearest to `to`.
Three nearest(const Three& r, const Three& to) {
  const double angle = length(r);
  if (!(angle > 0)) return r;
  const double along = (r[0] * to[0] + r[1] * to[1] + r[2] * to[2]) / angle;
  const double factor = (angle + whole_turn * std::round((along - angle) / whole_turn)) / angle;
  return {factor * r[0], factor * r[1], factor * r[2]};
}

/// What the steps to the samples before and after i have in common. Where a step is nearly half a turn, noise may turn it
/// round: then the one continues the other.
Three spin_at(const Orientations& q, std::size_t i, std::size_t first, std::size_t count) {
  const auto step = [&q](std::size_t from) { return logarithm(between(q.at(from), q.at(from + 1))); };
  if (i == first) return step(i);
  const Three before = step(i - 1);
  if (i + 1 == first + count) return before;
  const Three after = nearest(step(i), before);
  return {0.5 * (before[0] + after[0]), 0.5 * (before[1] + after[1]), 0.5 * (before[2] + after[2])};
}

RotationFit fit_around(const Orientations& q, std::size_t i, const FitWeights& fit, const Quaternion& centre, const Three& w) {
  RotationFit made{centre, {}, {}, {}};
  Three rate{}, second{};
  const double spin = length(w);
  const std::size_t first = i + static_cast<std::size_t>(fit.first);  // wraps round, as unsigned numbers may
  for (std::size_t j = 0; j < fit.weight[0].size(); ++j) {
    const double at = static_cast<double>(fit.first) + static_cast<double>(j);
    const Quaternion frame = spin > 0 ? turned(centre, {at * w[0], at * w[1], at * w[2]}) : centre;
    const Three s = logarithm(between(frame, q.at(first + j)));
    for (std::size_t c = 0; c < 3; ++c)
      made.value[c] += fit.weight[0][j] * s[c], rate[c] += fit.weight[1][j] * s[c], second[c] += fit.weight[2][j] * s[c];
  }
  const Three carried = cross(w, rate);
  for (std::size_t c = 0; c < 3; ++c) made.rate[c] = w[c] + rate[c], made.second[c] = second[c] + carried[c];
  return made;
}

}  // namespace

Three cross(const Three& a, const Three& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Three in_body(const Quaternion& q, const Three& x) {
  const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  const Three u{q[0], q[1], q[2]}, c = cross(u, x), cc = cross(u, c);
  Three y;
  for (std::size_t k = 0; k < 3; ++k) y[k] = x[k] + 2 * (cc[k] - q[3] * c[k]) / n;
  return y;
}

Quaternion Orientations::at(std::size_t i) const {
  return {(*column[0])[i], (*column[1])[i], (*column[2])[i], (*column[3])[i]};
}

double Orientations::angle(std::size_t i, std::size_t k) const { return length(logarithm(between(at(i), at(k)))); }

/// Two unit quaternions at an angle φ have the product ±cos(φ/2). Between `angle` and 2π − angle it is seen to be beyond, and a
/// step over all that counts, too.
bool Orientations::turns_beyond(double angle, std::size_t i, std::size_t first, std::size_t count) const {
  const auto are_beyond = [](const Quaternion& a, const Quaternion& b, double cosine) {
    const auto product = [](const Quaternion& p, const Quaternion& q) {
      return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    };
    const double p = product(a, b);
    return p * p < cosine * cosine * product(a, a) * product(b, b);
  };
  const double cosine = std::cos(0.5 * angle), cosine_of_step = angle > 0.5 * half_turn ? std::cos(half_turn - angle) : 0.0;
  const Quaternion here = at(i);
  Quaternion last = at(first);
  for (std::size_t k = first; k < first + count; ++k) {
    const Quaternion there = at(k);
    if (are_beyond(here, there, cosine) || are_beyond(last, there, cosine_of_step)) return true;
    last = there;
  }
  return false;
}

bool needs_spin(const Orientations& q, std::size_t i, const FitWeights& fit) {
  return q.turns_beyond(most_turning, i, i + static_cast<std::size_t>(fit.first), fit.weight[0].size());
}

std::array<double, 3> gains_with_spin(const Orientations& q, std::size_t i, const FitWeights& fit) {
  constexpr double small = 1e-5;
  const std::size_t first = i + static_cast<std::size_t>(fit.first), count = fit.weight[0].size(), middle = i - first;
  std::array<std::vector<double>, 4> copy;
  for (std::size_t k = 0; k < 4; ++k)
    copy[k].assign(q.column[k]->begin() + static_cast<std::ptrdiff_t>(first),
                   q.column[k]->begin() + static_cast<std::ptrdiff_t>(first + count));
  const Orientations window{{&copy[0], &copy[1], &copy[2], &copy[3]}};
  const auto fits = [&] { return std::pair{fit_around_sample(window, middle, fit), fit_rotation(window, middle, fit)}; };
  const auto [around, fitted] = fits();
  std::array<double, 3> squares{};
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Quaternion own = window.at(j);
      Three turn{};
      turn[axis] = small;
      const Quaternion moved = turned(own, turn);
      for (std::size_t k = 0; k < 4; ++k) copy[k][j] = moved[k];
      const auto [around_moved, fitted_moved] = fits();
      for (std::size_t c = 0; c < 3; ++c) {
        squares[0] += std::pow(around_moved.value[c] - around.value[c], 2);
        squares[1] += std::pow(fitted_moved.rate[c] - fitted.rate[c], 2);
        squares[2] += std::pow(fitted_moved.second[c] - fitted.second[c], 2);
      }
      for (std::size_t k = 0; k < 4; ++k) copy[k][j] = own[k];
    }
  std::array<double, 3> gains;
  for (std::size_t k = 0; k < 3; ++k) gains[k] = std::sqrt(squares[k] / 3) / small;
  return gains;
}

RotationFit fit_around_sample(const Orientations& q, std::size_t i, const FitWeights& fit) {
  const std::size_t first = i + static_cast<std::size_t>(fit.first), count = fit.weight[0].size();
  return fit_around(q, i, fit, q.at(i), needs_spin(q, i, fit) ? spin_at(q, i, first, count) : Three{});
}

RotationFit fit_rotation(const Orientations& q, std::size_t i, const FitWeights& fit) {
  const RotationFit rough = fit_around_sample(q, i, fit);
  return fit_around(q, i, fit, turned(rough.centre, rough.value), needs_spin(q, i, fit) ? rough.rate : Three{});
}

}  // namespace sparsedyn
