#include "published_chain.hpp"

#include <algorithm>
#include <cmath>

#include "ordering/reproducible_samples.hpp"
#include "runtime/system_samples.hpp"

namespace sparsedyn::reproduce {
namespace {

Sensor sensor(const std::string& name, const std::string& type, const std::vector<std::string>& targets = {}) {
  Sensor s;
  s.name = name, s.type = type, s.all = targets.empty();
  for (const std::string& target : targets) s.targets.push_back({target, 0});
  return s;
}

/// Where our unknowns and equations stand among theirs; `net`: the first row and column of f_B, a body.
struct Places {
  explicit Places(const System& system) : column(system.unknowns().size()), row(system.equations().size()) {
    int next = 0;
    for (const BodyTerms& t : system.terms()) {
      for (int k = 0; k < 6; ++k) column[t.acc + k] = next + k, row[t.kinematics + k] = next + k;
      net.push_back(next + 6);
      for (int k = 0; k < 6; ++k) column[t.f + k] = next + 12 + k, row[t.wrench + k] = next + 12 + k;
      column[system.tau_column(t.joint.v)] = row[t.torque] = next + 18;
      next += 19;
    }
    int last = next;
    for (const BodyTerms& t : system.terms()) {
      for (int k = 0; k < 6; ++k) column[t.fx + k] = next++;
      column[system.ddq_column(t.joint.v)] = next++;
    }
    for (std::size_t r = 0; r < row.size(); ++r)
      if (system.equations()[r].kind == EquationKind::sensor) row[r] = last++;
  }
  std::vector<int> column, row, net;
};

}  // namespace

Model published_chain(int n, double skew, double taper) {
  ModelBuilder builder("chain" + std::to_string(n), {{0, -9.81, 0}});
  builder.root("link0", zero_inertia<double>(), false);
  double before = 0;
  for (int i = 1; i <= n; ++i) {
    const double length = std::pow(taper, i - 1), mass = length * length * length, unit = mass * length * length;
    JointSpec revolute;
    revolute.kind = JointKind::revolute;
    revolute.axis = {{0, 0, 1}};
    const Inertia<double> tube =
        inertia_about_com(mass, {{length / 2, 0, 0}}, {0.0025 * unit, 0, 0, 1.015 / 12 * unit, 0, 1.015 / 12 * unit});
    const Pose<double> placement{rotation_from_rpy(Vec3<double>{{i == 1 ? 0 : skew, 0, 0}}), {{before, 0, 0}}};
    builder.link("link" + std::to_string(i), tube, "link" + std::to_string(i - 1), "joint" + std::to_string(i), revolute,
                 placement);
    before = length;
  }
  return builder.build();
}

SensorSet dynamics_set(bool inverse) {
  SensorSet set;
  set.name = inverse ? "inverse-dynamics" : "forward-dynamics";
  set.sensors = {sensor("joints", inverse ? "joint_acceleration" : "joint_torque"), sensor("air", "external_wrench")};
  set.sensors[1].fallback = {0.0};
  return set;
}

SensorSet slippery_feet_set(int n) {
  std::vector<std::string> held, free;
  for (int i = 3; i <= n - 2; ++i) held.push_back("joint" + std::to_string(i));
  for (int i = 1; i < n; ++i) free.push_back("link" + std::to_string(i));
  SensorSet set;
  set.name = "two slippery feet";
  if (!held.empty()) set.sensors.push_back(sensor("held", "joint_acceleration", held));
  set.sensors.push_back(sensor("air", "external_wrench", free));
  set.sensors.back().value = {0.0};
  set.sensors.push_back(sensor("first_foot", "force_torque", {"joint1"}));
  set.sensors.push_back(sensor("second_foot", "external_wrench", {"link" + std::to_string(n)}));
  for (std::size_t k = set.sensors.size() - 2; k < set.sensors.size(); ++k)
    set.sensors[k].components = {"nx", "ny", "fx", "fy", "fz"};
  return set;
}

int NumericMatrix::nonzeros() const {
  return static_cast<int>(values.size()) - static_cast<int>(std::count(values.begin(), values.end(), 0.0));
}

NumericMatrix with_net_wrenches(const System& system, unsigned seed) {
  std::vector<double> values(system.pattern().entries()), right_side(system.equations().size());
  reproducible(samples_of(system, 1, seed), system.pattern().entries(), system.pattern().rows)
      .fill(0, values.data(), right_side.data());
  const Places place(system);
  NumericMatrix A;
  A.n = static_cast<int>(system.unknowns().size() + 6 * system.terms().size());
  A.values.assign(static_cast<std::size_t>(A.n) * A.n, 0.0);
  for (std::size_t b = 0; b < system.terms().size(); ++b)
    for (int k = 0; k < 6; ++k) {
      A.at(place.net[b] + k, place.net[b] + k) = 1;
      A.at(place.row[system.terms()[b].wrench + k], place.net[b] + k) = -1;
    }
  for (int r = 0; r < system.pattern().rows; ++r) {
    const Equation& equation = system.equations()[r];
    for (int e = system.pattern().row_start[r]; e < system.pattern().row_start[r + 1]; ++e) {
      const int c = system.pattern().column[e];
      const bool net = equation.kind == EquationKind::wrench && system.unknowns()[c].kind == VariableKind::acc;
      A.at(net ? place.net[equation.body] + equation.component : place.row[r], place.column[c]) = values[e];
    }
  }
  return A;
}

Pattern pattern_of(const NumericMatrix& A) {
  Pattern pattern{A.n, A.n, {0}, {}};
  for (int r = 0; r < A.n; ++r) {
    for (int c = 0; c < A.n; ++c)
      if (A.at(r, c) != 0) pattern.column.push_back(c);
    pattern.row_start.push_back(pattern.entries());
  }
  return pattern;
}

std::vector<double> entries_of(const NumericMatrix& A) {
  std::vector<double> entries;
  for (double x : A.values)
    if (x != 0) entries.push_back(x);
  return entries;
}

NumericMatrix permuted(const NumericMatrix& A, const Order& order) {
  NumericMatrix B = A;
  for (int r = 0; r < A.n; ++r)
    for (int c = 0; c < A.n; ++c) B.at(r, c) = A.at(order.rows[r], order.columns[c]);
  return B;
}

Order row_pivoting(NumericMatrix A) {
  Order order;
  for (int k = 0; k < A.n; ++k) order.rows.push_back(k), order.columns.push_back(k);
  for (int k = 0; k < A.n; ++k) {
    int best = k;
    for (int r = k + 1; r < A.n; ++r)
      if (std::abs(A.at(r, k)) > std::abs(A.at(best, k))) best = r;
    std::swap(order.rows[k], order.rows[best]);
    if (best != k)
      for (int c = 0; c < A.n; ++c) std::swap(A.at(k, c), A.at(best, c));
    for (int r = k + 1; r < A.n; ++r) {
      if (A.at(r, k) == 0) continue;
      const double factor = A.at(r, k) / A.at(k, k);
      for (int c = k; c < A.n; ++c)
        if (A.at(k, c) != 0) A.at(r, c) -= factor * A.at(k, c);
    }
  }
  return order;
}

}  // namespace sparsedyn::reproduce
