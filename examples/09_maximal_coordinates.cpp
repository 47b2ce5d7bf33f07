// Newton's laws with multipliers: maximal coordinates (Todorov's notes, slides 5 to 10), on their two-link arm and on chains.
//   D a = f + Jᵀλ,  J a = c        the constrained accelerations a, by four systems that must agree:
//   KKT        (D, −Jᵀ; J, 0) (a; λ) = (f; c)
//   Gauss      a = argmin (a − D⁻¹f)ᵀ D (a − D⁻¹f) where J a = c
//   explicit   (D, −1, 0; 1, 0, −H; 0, Hᵀ, 0) (a; f_c; q̈) = (f; h; 0), a = H q̈ + h the explicit constraints
//   limit      (D + ε JᵀJ) a = f + ε Jᵀc: its error falls as 1/ε
// And what maximal coordinates cost as a formulation of the library's system, by order of elimination, counted in what the
// Solver executes (assembly, factorisation, solve):
//   multipliers    from tip to base each body's a, then its constraint forces (Baraff 1996)
//   range space    all a first, then J D⁻¹ Jᵀ (slide 5)
//   recursive      from tip to base wrenches, accelerations, q̈: the articulated-body algorithm
//   example_09_maximal_coordinates > maximal-coordinates.svg      the table on stderr; exit 1 where what is drawn is not so
#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/flops/counts.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/sparsedyn.hpp"

using namespace sparsedyn;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// D a = f + Jᵀλ, J a = c, and a = H q̈ + h; the accelerations that joint coordinates give.
struct Laws {
  MatrixXd D, J, H;
  VectorXd f, c, h, a;
};

VectorXd by_kkt(const Laws& x) {
  const auto n = x.D.rows(), m = x.J.rows();
  MatrixXd K = MatrixXd::Zero(n + m, n + m);
  K << x.D, -x.J.transpose(), x.J, MatrixXd::Zero(m, m);
  VectorXd b(n + m);
  b << x.f, x.c;
  return K.fullPivLu().solve(b).head(n);
}

VectorXd by_gauss(const Laws& x) {
  const Eigen::FullPivLU<MatrixXd> constraints(x.J);
  const MatrixXd N = constraints.kernel();
  const VectorXd meets = constraints.solve(x.c);
  const MatrixXd M = N.transpose() * x.D * N;
  const VectorXd b = N.transpose() * (x.f - x.D * meets);
  return meets + N * M.fullPivLu().solve(b);
}

VectorXd by_explicit(const Laws& x) {
  const auto n = x.D.rows(), m = x.H.cols();
  MatrixXd K = MatrixXd::Zero(2 * n + m, 2 * n + m);
  K.topLeftCorner(n, n) = x.D;
  K.block(0, n, n, n) = -MatrixXd::Identity(n, n);
  K.block(n, 0, n, n).setIdentity();
  K.block(n, 2 * n, n, m) = -x.H;
  K.block(2 * n, n, m, n) = x.H.transpose();
  VectorXd b(2 * n + m);
  b << x.f, x.h, VectorXd::Zero(m);
  return K.fullPivLu().solve(b).head(n);
}

VectorXd by_limit(const Laws& x, double epsilon) {
  const MatrixXd K = x.D + epsilon * x.J.transpose() * x.J;
  const VectorXd b = x.f + epsilon * x.J.transpose() * x.c;
  return K.fullPivLu().solve(b);
}

double error_of(const VectorXd& a, const Laws& x) {
  return (a - x.a).lpNorm<Eigen::Infinity>() / x.a.lpNorm<Eigen::Infinity>();
}

/// Slide 10: points at the ends of two rods, and the torques of its two joints.
Laws two_link_arm() {
  const double l1 = 0.7, l2 = 0.5, m1 = 1.3, m2 = 0.8, g = 9.81, a = 0.6, b = a - 1.1, da = 1.3, db = da - 0.7;
  const VectorXd tau = Eigen::Vector2d(0.9, -0.4);
  Laws x;
  x.D = Eigen::Vector4d(m1, m1, m2, m2).asDiagonal();
  const Eigen::Vector2d r1(l1 * std::cos(a), l1 * std::sin(a)), r2(l2 * std::cos(b), l2 * std::sin(b)), n1(-r1[1], r1[0]),
      n2(-r2[1], r2[0]);
  x.J = MatrixXd::Zero(2, 4);
  x.J << 2 * r1.transpose(), 0, 0, -2 * r2.transpose(), 2 * r2.transpose();
  x.c = Eigen::Vector2d(-2 * r1.squaredNorm() * da * da, -2 * r2.squaredNorm() * db * db);
  x.H = MatrixXd::Zero(4, 2);
  x.H << n1, Eigen::Vector2d::Zero(), n1 + n2, n2;
  x.h = VectorXd(4);
  x.h << -r1 * da * da, -r1 * da * da - r2 * db * db;
  const Eigen::Vector4d weight(0, -m1 * g, 0, -m2 * g);
  const MatrixXd square = x.H.transpose() * x.H;
  const VectorXd driven = x.H * square.fullPivLu().solve(tau);  // any f with Hᵀ f = τ
  x.f = weight + driven;
  const MatrixXd M = x.H.transpose() * x.D * x.H;
  const VectorXd driving = tau + x.H.transpose() * (weight - x.D * x.h);
  x.a = x.H * M.fullPivLu().solve(driving) + x.h;
  return x;
}

/// A chain's, read off its system, at one state; the reference is aba's q̈.
Laws chain(int n) {
  const Model model = general_chain(n);
  const System system(model, load_sensor_set("forward-dynamics"), formulation_named("maximal-coordinates"));
  const Pattern& pattern = system.pattern();
  std::vector<double> q(n), v(n), tau(n), y(system.inputs().size(), 0.0), values(pattern.entries()), rhs(pattern.rows), ddq(n);
  for (int k = 0; k < n; ++k) q[k] = 0.3 * k - 0.7, v[k] = std::cos(k), y[k] = tau[k] = std::sin(2.0 * k);
  SystemWorkspace<double> work(system);
  system.assemble(q.data(), v.data(), y.data(), values.data(), rhs.data(), work);
  Workspace<double> ws(model);
  aba(model, ws, q.data(), v.data(), tau.data(), static_cast<const Force<double>*>(nullptr), ddq.data());

  std::vector<int> acc(pattern.columns, -1), lambda(pattern.columns, -1), along(pattern.columns, -1);
  int constraints = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 6; ++k) {
      const BodyTerms& t = system.terms()[i];
      acc[t.acc + k] = 6 * i + k;
      (k == t.basis.along[0] ? along[t.f + k] : lambda[t.f + k]) = k == t.basis.along[0] ? i : constraints++;
    }
  const MatrixXd none = MatrixXd::Zero(6 * n, 6 * n);
  Laws x{none, MatrixXd::Zero(constraints, 6 * n), {}, VectorXd::Zero(6 * n), VectorXd::Zero(constraints), {}, {}};
  MatrixXd kinematics = none, driven = MatrixXd::Zero(6 * n, n);
  VectorXd drift(6 * n);
  for (int r = 0; r < pattern.rows; ++r) {
    const Equation& e = system.equations()[r];
    const int at = 6 * e.body + e.component;
    if (e.kind == EquationKind::wrench) x.f[at] -= rhs[r];
    if (e.kind == EquationKind::kinematics) drift[at] = rhs[r];
    const int row = e.kind == EquationKind::kinematics ? lambda[system.terms()[e.body].f + e.component] : -1;
    if (row >= 0) x.c[row] = rhs[r];
    for (int k = pattern.row_start[r]; k < pattern.row_start[r + 1]; ++k) {
      const int c = pattern.column[k];
      if (e.kind == EquationKind::wrench && acc[c] >= 0) x.D(at, acc[c]) = -values[k];
      if (e.kind == EquationKind::wrench && along[c] >= 0) x.f[at] += values[k] * tau[along[c]];
      if (e.kind == EquationKind::kinematics && acc[c] >= 0) kinematics(at, acc[c]) = values[k];
      if (row >= 0 && acc[c] >= 0) x.J(row, acc[c]) = values[k];
    }
  }
  for (int i = 0; i < n; ++i) driven(6 * i + system.terms()[i].basis.along[0], i) = 1;
  const auto solver = kinematics.fullPivLu();
  x.H = solver.solve(driven), x.h = solver.solve(drift);
  x.a = x.H * Eigen::Map<const VectorXd>(ddq.data(), n) + x.h;
  return x;
}

using Curve = std::vector<std::pair<double, double>>;

/// Errors by ε, from 1 to 1e8; false where the other three systems or the slope are not as they must be.
bool agree(const std::string& name, const Laws& x, Curve& errors) {
  for (int k = 0; k <= 8; ++k) errors.push_back({k, std::log10(error_of(by_limit(x, std::pow(10.0, k)), x))});
  const double kkt = error_of(by_kkt(x), x), gauss = error_of(by_gauss(x), x), explicitly = error_of(by_explicit(x), x);
  const double slope = errors[4].second - errors[6].second;
  std::fprintf(stderr, "%-9s %9.1e %9.1e %9.1e %11.1e %9.1e %9.1e\n", name.c_str(), kkt, gauss, explicitly,
               std::pow(10, errors[2].second), std::pow(10, errors[4].second), std::pow(10, errors[6].second));
  return kkt < 1e-11 && gauss < 1e-11 && explicitly < 1e-11 && std::abs(slope - 2) < 0.1;
}

/// Multiplications that the Solver executes for q̈ in this order.
long multiplications(const System& system, const std::optional<Order>& order) {
  UnitEntries unit;
  for (double x : system.constants()) unit.push_back(x == 1.0 ? 1 : x == -1.0 ? -1 : 0);
  std::vector<int> outputs;
  for (int k = 0; k < system.model().nv; ++k) outputs.push_back(system.ddq_column(k));
  return static_counts(system, make_plan(system.pattern(), order.value(), unit, outputs)).total().mul;
}

struct Costs {
  int n;
  long aba, plain, recursive, multipliers, range_space;
};

Costs costs_of(int n, long aba_raw) {
  const Model model = general_chain(n);
  const SensorSet forward = load_sensor_set("forward-dynamics");
  const System plain(model, forward), maximal(model, forward, formulation_named("maximal-coordinates"));
  const auto least = [](const System& s) {
    return std::min(multiplications(s, recursive_order(s)), multiplications(s, substituted_order(s)));
  };
  return {n,
          aba_raw,
          least(plain),
          least(maximal),
          multiplications(maximal, multiplier_order(maximal)),
          multiplications(maximal, range_space_order(maximal))};
}

/// Of the template, which counts the same for each joint that is added.
long aba_multiplications(int n) {
  const auto at = [](int joints) {
    for (const AlgorithmCounts& counted : recursive_counts(general_chain(joints)))
      if (counted.algorithm == "aba") return counted.raw.mul;
    return 0L;
  };
  const long two = at(2), three = at(3);
  return two + (n - 2) * (three - two);
}

/// Axes with labels at the ticks, and curves in the units of their ends.
class Panel {
 public:
  Panel(double left, const char* title, double x0, double x1, double y0, double y1)
      : left_(left), x0_(x0), x1_(x1), y0_(y0), y1_(y1) {
    std::printf("<text x=\"%g\" y=\"18\">%s</text>\n<path d=\"M%g 30V230H%g\" fill=\"none\" stroke=\"#888\"/>\n", left, title,
                left, left + 360);
  }
  void tick_x(double x, const std::string& text) const {
    std::printf("<text x=\"%.1f\" y=\"246\" text-anchor=\"middle\">%s</text>\n", px(x), text.c_str());
  }
  void tick_y(double y, const std::string& text) const {
    std::printf("<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left_ - 5, py(y) + 4, text.c_str());
  }
  void draw(const Curve& curve, const char* colour, const char* name, double lower = 0) const {
    std::printf("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (const auto& [x, y] : curve) std::printf("%.1f,%.1f ", px(x), py(y));
    std::printf("\"/>\n<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n", px(curve.back().first) + 5,
                py(curve.back().second) + 4 + lower, colour, name);
  }

 private:
  double px(double x) const { return left_ + 360 * (x - x0_) / (x1_ - x0_); }
  double py(double y) const { return 230 - 200 * (y - y0_) / (y1_ - y0_); }
  double left_, x0_, x1_, y0_, y1_;
};

void draw(const std::vector<Costs>& costs, const Curve& arm, const Curve& ten) {
  std::printf(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1080 262\" font-family=\"sans-serif\" font-size=\"12\" "
      "fill=\"#444\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
  const double most = 160;
  const Panel left(50, "Forward dynamics of a chain, 1000 multiplications", 0, 100, 0, most);
  for (int n : {0, 20, 40, 60, 80, 100}) left.tick_x(n, std::to_string(n));
  for (int k = 0; k <= 4; ++k) left.tick_y(most * k / 4, std::to_string(std::lround(most * k / 4)));
  const auto line = [&](long Costs::*of, const char* colour, const char* name, double lower = 0) {
    Curve curve;
    for (const Costs& c : costs) curve.push_back({c.n, 1e-3 * static_cast<double>(c.*of)});
    left.draw(curve, colour, name, lower);
  };
  line(&Costs::range_space, "#c2410c", "maximal, range space");
  line(&Costs::multipliers, "#9a6b00", "maximal, multipliers", -5);
  line(&Costs::plain, "#1f5fa8", "newton-euler");
  line(&Costs::recursive, "#12805c", "maximal, recursive", 5);
  line(&Costs::aba, "#555555", "articulated bodies");
  const Panel right(640, "Error of (D + \xCE\xB5 J\xE1\xB5\x80J)\xE2\x81\xBB\xC2\xB9, relative", 0, 8, -10, 0);
  for (int k = 0; k <= 8; k += 2) right.tick_x(k, k == 0 ? "\xCE\xB5 = 1" : "1e" + std::to_string(k));
  for (int k = 0; k <= 10; k += 2) right.tick_y(-k, k == 0 ? "1" : "1e-" + std::to_string(k));
  right.draw(arm, "#1f5fa8", "the arm"), right.draw(ten, "#c2410c", "10 links");
  std::printf("</svg>\n");
}

}  // namespace

int main() {
  Curve arm, two, ten;
  std::fprintf(stderr, "errors          KKT     Gauss  explicit   limit 1e2       1e4       1e6\n");
  bool good = agree("the arm", two_link_arm(), arm);
  good = agree("2 links", chain(2), two) && good;
  good = agree("10 links", chain(10), ten) && good;
  std::vector<Costs> costs;
  std::fprintf(stderr, "\nn      ABA  newton-euler  maximal: recursive  multipliers  range space\n");
  for (int n : {2, 3, 5, 7, 10, 20, 30, 50, 70, 100}) {
    costs.push_back(costs_of(n, aba_multiplications(n)));
    const Costs& c = costs.back();
    std::fprintf(stderr, "%-4d %6ld %13ld %19ld %12ld %12ld\n", c.n, c.aba, c.plain, c.recursive, c.multipliers, c.range_space);
    good = good && c.multipliers > c.recursive && c.range_space > c.multipliers;
  }
  draw(costs, arm, ten);
  return good ? 0 : 1;
}
