// Carpentier & Mansard, "Analytical derivatives of rigid body dynamics algorithms", RSS 2018: Table I, Figures 2 and 3.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iterator>

#include "dynamics_times.hpp"
#include "facts.hpp"
#include "io/output_file.hpp"
#include "reference/reference_derivatives.hpp"
#include "report/figure.hpp"
#include "robots.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/report/page.hpp"

using namespace sparsedyn;
using namespace sparsedyn::report;
using namespace sparsedyn::reproduce;

namespace {

/// Their Table I, µs, in the order of DynamicsTimes (M⁻¹ by Cholesky): 2.2 GHz Core i7, LLVM 9, turbo off. `alike`: the robot
/// of about as many freedoms that PyPI's example-robot-data has, which lacks two of theirs.
struct Published {
  const char *robot, *alike;
  bool floating;
  DynamicsTimes times;
};
const Published published[] = {{"kuka_lwr", "panda", false, {1.20, 3.34, 21.26, 1.78, 5.78, 22.67, 1.88}},
                               {"hyq", nullptr, true, {2.14, 7.01, 88.52, 4.28, 14.24, 94.23, 5.82}},
                               {"atlas", "talos", true, {5.51, 16.72, 452.46, 9.81, 45.20, 470.14, 28.29}}};
const char* const own_robots[] = {"arm", "quadruped", "humanoid"};

struct Measured {
  std::string name;
  int nv;
  DynamicsTimes ours;
  const DynamicsTimes* theirs;
};

/// The robot that was published, or the one alike, under both names; none where neither is here.
std::optional<Measured> measured_beside(const Published& p) {
  if (const auto model = robot(p.robot, p.floating)) return Measured{p.robot, model->nv, measure(*model), &p.times};
  if (!p.alike) return std::nullopt;
  if (const auto model = robot(p.alike, p.floating))
    return Measured{std::string(p.alike) + " for " + p.robot, model->nv, measure(*model), &p.times};
  return std::nullopt;
}

std::vector<Measured> measure_robots() {
  std::vector<Measured> all;
  for (const Published& p : published) {
    if (std::optional<Measured> beside = measured_beside(p))
      all.push_back(*std::move(beside));
    else
      std::fprintf(stderr, "%s.urdf is not here, nor a robot alike: its columns are left out\n", p.robot);
  }
  for (const char* name : own_robots)
    if (const auto model = robot(name, std::string(name) != "arm")) all.push_back({name, model->nv, measure(*model), nullptr});
  return all;
}

std::vector<std::vector<std::string>> table_one(const std::vector<Measured>& robots) {
  const std::pair<const char*, double DynamicsTimes::*> lines[] = {{"ID", &DynamicsTimes::id},
                                                                   {"ID, analytic derivatives", &DynamicsTimes::id_analytic},
                                                                   {"ID, finite differences", &DynamicsTimes::id_differences},
                                                                   {"FD", &DynamicsTimes::fd},
                                                                   {"FD, analytic derivatives", &DynamicsTimes::fd_analytic},
                                                                   {"FD, finite differences", &DynamicsTimes::fd_differences},
                                                                   {"inverse of M, factorised", &DynamicsTimes::minverse}};
  std::vector<std::vector<std::string>> rows{{"µs (published)"}};
  for (const Measured& r : robots) rows[0].push_back(r.name + ", " + std::to_string(r.nv) + " freedoms");
  for (const auto& [name, field] : lines) {
    rows.push_back({name});
    for (const Measured& r : robots)
      rows.back().push_back(short_number(r.ours.*field) + (r.theirs ? " (" + short_number(r.theirs->*field) + ")" : ""));
  }
  const auto ratio = [&](const char* name, double DynamicsTimes::*of, double DynamicsTimes::*to) {
    rows.push_back({name});
    for (const Measured& r : robots)
      rows.back().push_back(short_number(r.ours.*of / r.ours.*to) +
                            (r.theirs ? " (" + short_number(r.theirs->*of / r.theirs->*to) + ")" : ""));
  };
  ratio("ID derivatives / ID", &DynamicsTimes::id_analytic, &DynamicsTimes::id);
  ratio("ID differences / analytic", &DynamicsTimes::id_differences, &DynamicsTimes::id_analytic);
  ratio("FD derivatives / FD", &DynamicsTimes::fd_analytic, &DynamicsTimes::fd);
  ratio("FD differences / analytic", &DynamicsTimes::fd_differences, &DynamicsTimes::fd_analytic);
  return rows;
}

void print(const std::vector<std::vector<std::string>>& rows) {
  for (const auto& row : rows) {
    std::printf("%-28s", row[0].c_str());
    for (std::size_t c = 1; c < row.size(); ++c) std::printf("%24s", row[c].c_str());
    std::printf("\n");
  }
}

/// Figure 2: times against the number of joints, and how many times the function its derivatives cost.
std::string figure_two(int children, const std::string& shape) {
  Curve id{"ID", {}}, id_d{"ID derivatives", {}}, id_n{"ID differences", {}};
  Curve fd{"FD", {}}, fd_d{"FD derivatives", {}}, fd_n{"FD differences", {}};
  Curve r_id{"ID: analytic", {}}, r_idn{"ID: differences", {}}, r_fd{"FD: analytic", {}}, r_fdn{"FD: differences", {}};
  for (int n : short_run() ? std::vector<int>{2, 5, 15} : std::vector<int>{2, 3, 5, 7, 10, 15, 22, 31, 45, 63}) {
    const DynamicsTimes t = measure(revolute_tree(n, children));
    const double x = n;
    id.points.push_back({x, t.id}), id_d.points.push_back({x, t.id_analytic}), id_n.points.push_back({x, t.id_differences});
    fd.points.push_back({x, t.fd}), fd_d.points.push_back({x, t.fd_analytic}), fd_n.points.push_back({x, t.fd_differences});
    r_id.points.push_back({x, t.id_analytic / t.id}), r_idn.points.push_back({x, t.id_differences / t.id});
    r_fd.points.push_back({x, t.fd_analytic / t.fd}), r_fdn.points.push_back({x, t.fd_differences / t.fd});
  }
  Curve hint{"differences, 3 n + 1", {}, true};
  for (const auto& p : id.points) hint.points.push_back({p.first, 3 * p.first + 1});
  return beside({line_plot({shape + ": time", "joints", "µs"}, {id, id_d, id_n, fd, fd_d, fd_n}),
                 line_plot({shape + ": derivatives / function", "joints", "ratio"}, {r_id, r_idn, r_fd, r_fdn, hint})});
}

/// Largest |X − R| / largest |R| over two matrices.
double error(const std::vector<double>& x, const std::vector<double>& r) {
  double worst = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, std::abs(x[i] - r[i])), size = std::max(size, std::abs(r[i]));
  return worst / size;
}

struct Matrices {
  explicit Matrices(const Model& m) : y(m.nv), dq(m.nv * m.nv), dv(dq), dx(dq) {}
  DynamicsDerivatives out() { return {y.data(), dq.data(), dv.data(), dx.data()}; }
  std::vector<double> y, dq, dv, dx;
};

/// Figure 3, first half: accuracy of ∂τ/∂q by each method against its step; analytic as the reference.
std::string accuracy_against_step(const Model& model) {
  const States s(model, 1, 3);
  MomentWorkspace<double> ws(model);
  Matrices exact(model), x(model);
  const Force<double>* none = nullptr;
  rnea_derivatives(model, ws, s.q_of(0), s.v_of(0), s.a_of(0), none,
                   {exact.y.data(), exact.dq.data(), exact.dv.data(), exact.dx.data()});
  ReferenceDerivatives reference(model, Dynamics::inverse);
  std::vector<Curve> curves{{"forward differences", {}}, {"central differences", {}}, {"complex step", {}}};
  for (double h = 1e-18; h < 2; h *= std::sqrt(10.0))
    for (int m = 0; m < 3; ++m) {
      reference.evaluate(static_cast<ReferenceMethod>(m), s.q_of(0), s.v_of(0), s.a_of(0), none, h, x.out());
      curves[m].points.push_back({h, std::max(error(x.dq, exact.dq), 1e-17)});
    }
  return line_plot({"Error of ∂τ/∂q against the step", "step", "relative error"}, curves);
}

/// Figure 3, second half: no gravity, no velocity, no acceleration, so that ∂τ/∂v = 0: what the methods say.
std::string pictures_of_zero(Model model) {
  model.gravity = {{0, 0, 0}};
  const States s(model, 1, 4);
  const std::vector<double> zero(model.nv, 0.0);
  MomentWorkspace<double> ws(model);
  Matrices exact(model), x(model);
  const Force<double>* none = nullptr;
  rnea_derivatives(model, ws, s.q_of(0), zero.data(), zero.data(), none,
                   {exact.y.data(), exact.dq.data(), exact.dv.data(), exact.dx.data()});
  ReferenceDerivatives reference(model, Dynamics::inverse);
  reference.evaluate(ReferenceMethod::forward_differences, s.q_of(0), zero.data(), zero.data(), none, 1e-8, x.out());
  const auto nonzero = [](const std::vector<double>& A) {
    return std::to_string(A.size() - static_cast<std::size_t>(std::count(A.begin(), A.end(), 0.0)));
  };
  std::printf("no gravity, at rest: non-zero entries of dtau/dv: analytic %s, differences %s of %zu\n",
              nonzero(exact.dv).c_str(), nonzero(x.dv).c_str(), x.dv.size());
  return matrix_picture("∂τ/∂v, analytic: " + nonzero(exact.dv) + " non-zero entries", model.nv, exact.dv, -12, -4) +
         matrix_picture("∂τ/∂v, differences: " + nonzero(x.dv) + " non-zero entries", model.nv, x.dv, -12, -4);
}

/// Ratios of Table I, which machines share better than microseconds.
std::vector<Fact> facts_of(const std::vector<Measured>& robots) {
  std::vector<Fact> facts;
  for (const Measured& r : robots) {
    if (!r.theirs) continue;
    const auto add = [&](const std::string& name, double DynamicsTimes::*of, double DynamicsTimes::*to) {
      facts.push_back({"Table I", r.name + ": " + name, short_number(r.theirs->*of / r.theirs->*to),
                       short_number(r.ours.*of / r.ours.*to), ""});
    };
    add("derivatives / inverse dynamics", &DynamicsTimes::id_analytic, &DynamicsTimes::id);
    add("differences / analytic, inverse dynamics", &DynamicsTimes::id_differences, &DynamicsTimes::id_analytic);
    add("derivatives / forward dynamics", &DynamicsTimes::fd_analytic, &DynamicsTimes::fd);
    add("differences / analytic, forward dynamics", &DynamicsTimes::fd_differences, &DynamicsTimes::fd_analytic);
  }
  return facts;
}

int run(const std::string& path) {
  const std::vector<Measured> robots = measure_robots();
  const auto rows = table_one(robots);
  print(rows);
  std::string body =
      "<p>Published figures in brackets: 2.2 GHz Core i7, LLVM 9, turbo off, 2018; compare ratios, not "
      "microseconds. Differences are forward differences of all three inputs.</p><h2>Table I</h2>\n" +
      table(rows);
  std::printf("chains and binary trees of 2 to 63 joints ...\n");
  body +=
      "<h2>Figure 2: derivatives against the number of joints</h2>\n" + figure_two(1, "Chains") + figure_two(2, "Binary trees");
  std::optional<Model> walker = robot("hyq", true);
  if (!walker) walker = robot("quadruped", true);
  body += "<h2>Figure 3: accuracy (" + walker->name + ")</h2>\n" + accuracy_against_step(*walker);
  body +=
      "<p>No gravity, no velocity, no acceleration: ∂τ/∂v is zero. White cells are exact zeros; shades run from 1e-12 to "
      "1e-4.</p>\n" +
      beside({pictures_of_zero(*walker)});
  write_file(path,
             page("Analytical derivatives: a published comparison, run again",
                  "J. Carpentier and N. Mansard, <em>Analytical derivatives of rigid body dynamics algorithms</em>, RSS 2018, "
                  "run again with this library.",
                  body));
  const std::vector<Fact> facts = facts_of(robots);
  write_facts(path, facts);
  const bool all = facts.size() == 4 * std::size(published);
  std::printf("%s%s\n", all ? "" : "not all published columns: see above\n", path.c_str());
  return all ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  return run(argc > 1 ? argv[1] : "carpentier-mansard.html");
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
