// Constant 6×6 transforms from a link's frame into a sensor's, and rows made of them. Motions and forces transform apart.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sparsedyn/spatial/detail/component.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn::sensors {

/// For types whose rows do not depend on the state.
struct ConstantRows {
  template <class S, class Sink>
  static void rows(const System&, const Measurement&, const S*, const SystemWorkspace<S>&, S*, Sink&) {}
};
/// For types whose entries all do.
struct NoConstants {
  template <class Sink>
  static void constants(const System&, const Measurement&, Sink&) {}
};

inline std::vector<std::string> wrench_components() { return {"nx", "ny", "nz", "fx", "fy", "fz"}; }
inline std::vector<std::string> motion_components() { return {"wx", "wy", "wz", "vx", "vy", "vz"}; }
inline std::vector<std::string> xyz_components() { return {"x", "y", "z"}; }

template <class S>
Force<S> unit_force(int c) {
  Force<S> x{zero3<S>(), zero3<S>()};
  component(x, c) = S(1.0);
  return x;
}

/// A link's acceleration of 1 about or along one axis.
inline Motion<double> unit_motion(int c) {
  Motion<double> x{zero3<double>(), zero3<double>()};
  component(x, c) = 1.0;
  return x;
}

using Matrix6 = std::array<std::array<double, 6>, 6>;

/// sX_i: motion vectors of the link into the sensor's frame, (Rᵀ, 0; −Rᵀ[d]×, Rᵀ).
inline Matrix6 motion_transform(const Pose<double>& frame) {
  const Mat3<double> arm = transpose(frame.R) * hat(frame.d);
  Matrix6 X{};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) X[r][c] = X[3 + r][3 + c] = frame.R(c, r), X[3 + r][c] = -arm(r, c);
  return X;
}

/// sX_i*: wrenches on the link into the sensor's frame, about its origin, (Rᵀ, −Rᵀ[d]×; 0, Rᵀ).
inline Matrix6 force_transform(const Pose<double>& frame) {
  const Mat3<double> arm = transpose(frame.R) * hat(frame.d);
  Matrix6 X{};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) X[r][c] = X[3 + r][3 + c] = frame.R(c, r), X[r][3 + c] = -arm(r, c);
  return X;
}

/// factor × row `component` of X against the six columns from `first_column`.
template <class Sink>
void row_times(const Matrix6& X, int component, double factor, int row, int first_column, Sink& sink) {
  for (int c = 0; c < 6; ++c) sink.entry(row, first_column + c, factor * X[component][c]);
}

/// A row for each chosen component: rows of X against the columns from `first_column`. place: the type's components among the
/// six rows of X.
template <class Sink>
void component_rows(const Matrix6& X, const int* place, const Measurement& m, int first_column, Sink& sink) {
  for (std::size_t k = 0; k < m.components.size(); ++k)
    row_times(X, place[m.components[k]], 1.0, m.first_row + static_cast<int>(k), first_column, sink);
}

/// Places of components: all six; the last three; a load cell's f_z, n_x, n_y.
constexpr int six[] = {0, 1, 2, 3, 4, 5}, linear[] = {3, 4, 5}, load_cell[] = {5, 0, 1};

/// The chosen components of sX_i a_i.
template <class Sink>
void acceleration_rows(const System& system, const Measurement& m, const int* place, Sink& sink) {
  component_rows(motion_transform(m.in_leading), place, m, system.acc_column(m.body), sink);
}

/// The chosen components of sX_i* fx_i.
template <class Sink>
void wrench_rows(const System& system, const Measurement& m, const int* place, Sink& sink) {
  component_rows(force_transform(m.frame), place, m, system.fx_column(m.link), sink);
}

/// The row of each of six components, or -1 for those that are not measured.
inline std::array<int, 6> rows_by_place(const Measurement& m, const int* place) {
  std::array<int, 6> row{-1, -1, -1, -1, -1, -1};
  for (std::size_t k = 0; k < m.components.size(); ++k) row[place[m.components[k]]] = m.first_row + static_cast<int>(k);
  return row;
}

/// Velocity of the sensor's frame, in its own axes.
template <class S>
Motion<S> sensor_velocity(const Measurement& m, const SystemWorkspace<S>& work) {
  return to_child(cast<Constant<S>>(m.in_leading), work.v[m.body]);
}

}  // namespace sparsedyn::sensors
