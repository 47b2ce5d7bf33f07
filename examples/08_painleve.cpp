// Painlevé's rod: its lower tip slides over a table with friction μ. Of rigid contact, y the height of the tip C,
//   ÿ_C = k N − g + (l/2) sin θ θ̇²,   k = 1/m − l²/(4 J) cos θ (μ sin θ − cos θ),   0 ≤ ÿ_C ⊥ N ≥ 0
// (Todorov's notes, slide 19, with the sign of θ̇² set right). At J = m l²/12, k falls below zero for some θ once μ > 4/3, at
// tan θ = 2 first: a tip that goes on sliding, F = μ N, is then driven into the table by any N ≥ 0. The convex problem
// (ConstrainedDynamics) has one finite solution at every μ: where rigid sliding has none, friction does not go to μ N. It stays
// near 4/3 N, whatever μ, as large as it takes to stop the tip: the rod jams.
//   example_08_painleve > painleve.svg     exit 1 where what is drawn is not so
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/constraints/constrained_dynamics.hpp"

using namespace sparsedyn;

namespace {

constexpr double mass = 1, length = 1, inertia = mass * length * length / 12, g = 9.81, speed = 3;  // kg, m, kg m², m/s², m/s
const double steepest = std::atan(2.0);                                                             // where k is zero first

Model rod() {
  JointSpec along, up, turn;
  along.kind = up.kind = JointKind::prismatic, turn.kind = JointKind::revolute;
  along.axis = {{1, 0, 0}}, up.axis = {{0, 0, 1}}, turn.axis = {{0, -1, 0}};  // θ grows from x to z
  const Pose<double> here = identity_pose<double>();
  return ModelBuilder("rod")
      .root("table", zero_inertia<double>(), false)
      .link("slide", zero_inertia<double>(), "table", "x", along, here)
      .link("lift", zero_inertia<double>(), "slide", "z", up, here)
      .link("rod", inertia_about_com(mass, {{0, 0, 0}}, {inertia, 0, 0, inertia, 0, inertia}), "lift", "theta", turn, here)
      .build();
}

ConstraintSet on_the_table(double mu) {
  Constraint tip;
  tip.name = "tip", tip.links = {"rod"}, tip.points = {{{-length / 2, 0, 0}}};
  if (mu > 0) tip.friction = {mu};
  ConstraintSet set;
  set.constraints = {tip};
  return set;
}

struct Rod {
  double q[3], v[3];  // x, z of the middle, θ
  double tip_height() const { return q[1] - 0.5 * length * std::sin(q[2]); }
  double tip_speed() const { return v[0] + 0.5 * length * std::sin(q[2]) * v[2]; }
};

/// At θ, the tip a µm deep and sliding with this speed, the rod not turning.
Rod sliding(double theta, double v) { return {{0, 0.5 * length * std::sin(theta) - 1e-6, theta}, {v, 0, 0}}; }

struct Answer {
  bool ok;
  double normal, friction, tip;  // N, F (N), ÿ_C (m/s²)
  double a[3];
};

Answer solve(ConstrainedDynamics& dynamics, const Rod& rod) {
  const double tau[3] = {0, 0, 0};
  double lambda[3], gap[1];
  Answer x{};
  x.ok = dynamics.forward(rod.q, rod.v, tau, nullptr, x.a, lambda, gap).ok();
  x.normal = lambda[2], x.friction = std::abs(lambda[0]);
  x.tip = x.a[1] - 0.5 * length * (std::cos(rod.q[2]) * x.a[2] - std::sin(rod.q[2]) * rod.v[2] * rod.v[2]);
  return x;
}

double coefficient(double mu, double theta) {
  return 1 / mass - length * length / (4 * inertia) * std::cos(theta) * (mu * std::sin(theta) - std::cos(theta));
}

using Curve = std::vector<std::pair<double, double>>;

/// Axes from zero with three ticks each, and curves within them.
class Panel {
 public:
  Panel(double left, double x_most, double y_most, const char* title, const char* x_title)
      : left_(left), x_most_(x_most), y_most_(y_most) {
    std::printf("<text x=\"%g\" y=\"16\">%s</text>\n<path d=\"M%g 30V230H%g\" fill=\"none\" stroke=\"#888\"/>\n", left, title,
                left, left + 260);
    for (int k = 0; k <= 4; ++k)
      std::printf(
          "<text x=\"%g\" y=\"246\" text-anchor=\"middle\">%g</text><text x=\"%g\" y=\"%g\" text-anchor=\"end\">%g</text>\n",
          left + 65 * k, x_most * k / 4, left - 4, 234.0 - 50 * k, y_most * k / 4);
    std::printf("<text x=\"%g\" y=\"262\" text-anchor=\"end\">%s</text>\n", left + 260, x_title);
  }
  void draw(const Curve& curve, const char* style) const {
    std::printf("<polyline fill=\"none\" %s points=\"", style);
    for (const auto& [x, y] : curve)
      if (y <= 1.02 * y_most_) std::printf("%.1f,%.1f ", left_ + 260 * x / x_most_, 230 - 200 * y / y_most_);
    std::printf("\"/>\n");
  }

 private:
  double left_, x_most_, y_most_;
};

constexpr char ours_left[] = "stroke=\"#1f5fa8\" stroke-width=\"2\"";
constexpr char ours_right[] = "stroke=\"#12805c\" stroke-width=\"2\"";
constexpr char rigid[] = "stroke=\"#c2410c\" stroke-width=\"2\" stroke-dasharray=\"5 3\"";

}  // namespace

int main() {
  const Model model = rod();
  bool good = std::abs(coefficient(4.0 / 3, steepest)) < 1e-12 && coefficient(1.33, steepest) > 0;
  Curve forces[2], ratios[2], stiff, cone;
  for (int k = 0; k <= 60; ++k) {
    const double mu = 0.05 * k;
    ConstrainedDynamics dynamics(model, on_the_table(mu));
    for (int way = 0; way < 2; ++way) {  // its friction presses the tip down; the other way lifts it
      const Answer x = solve(dynamics, sliding(steepest, way == 0 ? -speed : speed));
      good = good && x.ok && std::isfinite(x.normal) && x.normal >= 0 && x.friction <= mu * x.normal * (1 + 1e-9);
      forces[way].push_back({mu, x.normal / (mass * g)});
      ratios[way].push_back({mu, x.friction / x.normal});
      // the rod's own equation holds whatever the law of contact: F and N move the tip by k with F/N for μ
      const double pressed = (way == 0 ? 1 : -1) * x.friction / x.normal;
      good = good && std::abs(coefficient(pressed, steepest) * x.normal - g - x.tip) < 1e-4 * (1 + x.normal);
    }
    cone.push_back({mu, mu});
    const double k_rigid = coefficient(mu, steepest);
    if (k_rigid > 0) stiff.push_back({mu, 1 / (mass * k_rigid)});
  }
  const double jammed = ratios[0].back().second;
  good = good && std::abs(jammed - 4.0 / 3) < 0.1 && std::abs(ratios[0][40].second - jammed) < 1e-9 &&
         std::abs(forces[0][40].second - forces[0].back().second) < 1e-9 && ratios[1].back().second > 2.99;
  // half a second at μ = 2, by semi-implicit Euler of 10 µs
  ConstrainedDynamics dynamics(model, on_the_table(2));
  Rod moving = sliding(steepest, -1);
  Curve height;
  double deepest = 0, highest = 0, stopped = -1;
  for (int k = 0; k <= 50000 && good; ++k) {
    const Answer x = solve(dynamics, moving);
    good = x.ok;
    if (k % 250 == 0) height.push_back({1e-5 * k, -1e3 * moving.tip_height()});
    deepest = std::min(deepest, moving.tip_height()), highest = std::max(highest, moving.tip_height());
    if (stopped < 0 && moving.tip_speed() > -1e-3) stopped = 1e-5 * k;
    for (int i = 0; i < 3; ++i) moving.v[i] += 1e-5 * x.a[i];
    for (int i = 0; i < 3; ++i) moving.q[i] += 1e-5 * moving.v[i];
  }
  std::fprintf(
      stderr,
      "mu = 2, 3 m/s, k = %.3f/m: N %.2f m g, F/N %.4f\nmu = 2, 1 m/s, 0.5 s: the tip is %.3f mm deep at most, %.3f mm "
      "high; it stops sliding after %.3f s\n",
      mass * coefficient(2, steepest), forces[0][40].second, jammed, -1e3 * deepest, 1e3 * highest, stopped);

  std::printf(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1010 300\" font-family=\"sans-serif\" font-size=\"12\" "
      "fill=\"#444\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
  const Panel first(40, 3, 16, "Normal force at the tip, in weights", "\xCE\xBC");
  first.draw(stiff, rigid), first.draw(forces[0], ours_left), first.draw(forces[1], ours_right);
  const Panel second(380, 3, 3, "Friction beside it, F/N", "\xCE\xBC");
  second.draw(cone, rigid), second.draw(ratios[0], ours_left), second.draw(ratios[1], ours_right);
  const Panel third(720, 0.5, 0.4, "\xCE\xBC = 2, 1 m/s: depth of the tip, mm", "s");
  third.draw(height, ours_left);
  std::printf(
      "<g transform=\"translate(40 284)\"><path d=\"M0 0h30\" %s/><text x=\"36\" y=\"4\">rigid sliding, F = \xCE\xBC N: none "
      "from 4/3 on</text>"
      "<path d=\"M290 0h30\" %s/><text x=\"326\" y=\"4\">convex, friction presses the tip down</text>"
      "<path d=\"M590 0h30\" %s/><text x=\"626\" y=\"4\">convex, sliding the other way</text></g>\n</svg>\n",
      rigid, ours_left, ours_right);
  return good && stiff.size() == 27 && deepest > -1e-3 && highest < 5e-3 ? 0 : 1;
}
