// Singh, Russell & Wensing, "On second-order derivatives of rigid-body dynamics: theory & implementation" (2023): Table III,
// Figures 7, 11, 12, 14, 16 and 20.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "facts.hpp"
#include "io/output_file.hpp"
#include "processor_time.hpp"
#include "report/figure.hpp"
#include "robots.hpp"
#include "second_order.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "sparsedyn/report/page.hpp"

using namespace sparsedyn;
using namespace sparsedyn::report;
using namespace sparsedyn::reproduce;

namespace {

constexpr double longest_call = 3e5;  // µs: a way that takes longer is not asked for a larger robot
constexpr double least_budget = 3e4;  // µs for each time measured
constexpr int measured_states = 4;
const std::vector<int> sizes = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

struct Shape {
  const char* name;
  int children;
};
const Shape shapes[] = {{"serial chains", 1}, {"binary trees", 2}};

/// Their Table III: slope and intercept of log t against log n for chains, then for trees (Fortran 90, 2.5 GHz i5-12400).
struct Published {
  const char* name;
  double chain_slope, chain_intercept, tree_slope, tree_intercept;
};
const Published published[] = {{"bicomplex step", 2.98, 2.14, 2.98, 2.13},
                               {"chain rule", 3.05, 0.93, 3.17, 0.47},
                               {"differences of the function", 3.02, 1.16, 3.03, 1.13},
                               {"differences of first derivatives", 2.38, 0.66, 2.15, 1.38},
                               {"analytic, branches alone", 3.08, -4.71, 1.45, -0.77},
                               {"first derivatives", 1.76, -2.06, 1.03, 0.01}};

/// What was found for one way on one shape, by number of joints.
struct Course {
  Way way;
  std::vector<std::pair<double, double>> times;
  std::vector<std::pair<int, ErrorMetrics>> errors;
};

/// All ways on one shape, the first being the reference of the errors.
std::vector<Course> run_ways(Dynamics dynamics, const Shape& shape) {
  std::vector<Course> courses;
  for (const Way& way : ways_of(dynamics)) courses.push_back({way, {}, {}});
  for (int n : short_run() ? std::vector<int>{2, 3, 4, 6, 8} : sizes) {
    const Model model = revolute_tree(n, shape.children);
    const States s(model, measured_states, 1);
    SecondOrder second(model, dynamics);
    Tensors reference(n), x(n);
    bool has_reference = false;
    for (Course& course : courses) {
      const bool is_reference = &course == &courses.front();
      const auto last = course.times.empty() ? std::pair(1.0, 0.0) : course.times.back();
      if (last.second * std::pow(n / last.first, 3) > longest_call) continue;
      const double time = least_time(measured_states, least_budget, [&](int i) {
        second.evaluate(course.way, s.q_of(i), s.v_of(i), s.a_of(i), is_reference ? reference : x);
      });
      course.times.push_back({n, time});
      has_reference = has_reference || is_reference;
      const bool writes_tensors = course.way.kind == Kind::reference || course.way.kind == Kind::analytic;
      if (!is_reference && has_reference && writes_tensors)
        course.errors.push_back({n, error_metrics(x.values(), reference.values())});
    }
  }
  return courses;
}

std::string pair_text(double slope, double intercept) { return short_number(slope) + ", " + short_number(intercept); }

std::string fitted(const Course& course) {
  if (course.times.size() < 4) return "";
  const PowerLaw law = fit_power_law({course.times.begin() + 2, course.times.end()});  // from four joints on
  return pair_text(law.slope, law.intercept);
}

std::vector<Fact> facts;  // for the index

/// Slopes and intercepts beside theirs.
std::vector<std::vector<std::string>> table_three(const std::vector<Course>& chains, const std::vector<Course>& trees) {
  std::vector<std::vector<std::string>> rows{{"slope, intercept", "chains", "published", "trees", "published"}};
  for (std::size_t k = 0; k < chains.size(); ++k) {
    const std::string name = chains[k].way.name;
    std::string theirs[2];
    for (const Published& p : published)
      if (name == p.name)
        theirs[0] = pair_text(p.chain_slope, p.chain_intercept), theirs[1] = pair_text(p.tree_slope, p.tree_intercept);
    rows.push_back({name, fitted(chains[k]), theirs[0], fitted(trees[k]), theirs[1]});
  }
  return rows;
}

std::string time_plot(const std::string& title, const std::vector<Course>& courses) {
  std::vector<Curve> curves;
  for (const Course& course : courses) curves.push_back({course.way.name, course.times});
  return line_plot({title, "joints", "µs"}, curves);
}

/// RMSRE of all ways against the reference.
std::string error_plot(const std::string& title, const std::vector<Course>& courses) {
  std::vector<Curve> curves;
  for (const Course& course : courses) {
    if (course.errors.empty()) continue;
    curves.push_back({course.way.name, {}});
    for (const auto& [n, e] : course.errors) curves.back().points.push_back({n, e.rmsre});
  }
  return line_plot({title, "joints", "RMSRE"}, curves);
}

/// All four metrics of the analytic derivatives.
std::string metrics_plot(const std::string& title, const Course& course) {
  std::vector<Curve> curves{{"MAE", {}}, {"RMSAE", {}}, {"MRE", {}}, {"RMSRE", {}}};
  for (const auto& [n, e] : course.errors) {
    const double metrics[] = {e.mae, e.rmsae, e.mre, e.rmsre};
    for (int k = 0; k < 4; ++k) curves[k].points.push_back({n, metrics[k]});
  }
  return line_plot({title, "joints", "error"}, curves);
}

const Course& analytic_of(const std::vector<Course>& courses) {
  return *std::find_if(courses.begin(), courses.end(), [](const Course& c) { return c.way.kind == Kind::analytic; });
}

std::vector<std::vector<std::string>> metrics_table(const std::vector<Course>& courses) {
  std::vector<std::vector<std::string>> rows{{"against bicomplex steps", "joints", "MAE", "RMSAE", "MRE", "RMSRE"}};
  for (const Course& course : courses) {
    if (course.errors.empty()) continue;
    const auto& [n, e] = course.errors.back();
    rows.push_back({course.way.name, std::to_string(n), short_number(e.mae), short_number(e.rmsae), short_number(e.mre),
                    short_number(e.rmsre)});
  }
  return rows;
}

void print(const std::vector<std::vector<std::string>>& rows) {
  for (const auto& row : rows) {
    std::printf("  %-36s", row[0].c_str());
    for (std::size_t c = 1; c < row.size(); ++c) std::printf("%15s", row[c].c_str());
    std::printf("\n");
  }
}

/// Run-time and accuracy of one dynamics.
std::string compare(Dynamics dynamics, const std::string& name, bool with_published) {
  const std::vector<Course> courses[] = {run_ways(dynamics, shapes[0]), run_ways(dynamics, shapes[1])};
  std::vector<std::vector<std::string>> slopes = table_three(courses[0], courses[1]);
  if (with_published)
    for (std::size_t k = 1; k < slopes.size(); ++k) {
      const auto& row = slopes[k];
      if (row[2].empty()) continue;
      facts.push_back({"Table III", row[0] + ", chains: slope, intercept of log µs against log n", row[2], row[1],
                       "another machine and language: slopes compare"});
      facts.push_back({"Table III", row[0] + ", trees: the same", row[4], row[3], ""});
    }
  if (!with_published)  // Table III is of inverse dynamics alone
    for (auto& row : slopes) row = {row[0], row[1], row[3]};
  std::string body = table(slopes);
  std::printf("%s: log t = slope log n + intercept, t in microseconds\n", name.c_str());
  print(slopes);
  for (int k = 0; k < 2; ++k) {
    const std::string title = name + ", " + shapes[k].name;
    body += beside({time_plot(title + ": time", courses[k]), error_plot(title + ": relative error", courses[k]),
                    metrics_plot(title + ": analytic, all errors", analytic_of(courses[k]))});
    body += table(metrics_table(courses[k]));
    std::printf("%s\n", title.c_str());
    print(metrics_table(courses[k]));
  }
  return section(name, body);
}

/// Microseconds of second derivatives of forward dynamics by one pair of methods.
double forward_time(const Model& model, AbaSecondMethod method) {
  const States s(model, 2, 1);
  const std::size_t n = s.nv;
  AbaSecondWorkspace<double> ws(model);
  std::vector<double> y(n), first(3 * n * n);
  Tensors x(model.nv);
  const AbaDerivatives<double> out{y.data(), first.data(), first.data() + n * n, first.data() + 2 * n * n};
  const DynamicsSecondDerivatives t = x.out();
  return least_time(2, least_budget, [&](int k) {
    aba_second_derivatives(model, ws, s.q_of(k), s.v_of(k), s.a_of(k), static_cast<const Force<double>*>(nullptr), out,
                           AbaSecondDerivatives<double>{t.qq, t.qv, t.vv, t.qx}, method);
  });
}

/// Where the second curve falls below the first, between the points; 0 if it does not.
double crossover(const std::vector<std::pair<double, double>>& a, const std::vector<std::pair<double, double>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (b[i].second > a[i].second) continue;
    if (i == 0) return a[0].first;
    const double before = std::log(b[i - 1].second / a[i - 1].second), now = std::log(b[i].second / a[i].second);
    return a[i - 1].first * std::pow(a[i].first / a[i - 1].first, before / (before - now));
  }
  return 0;
}

/// The inner and the outer term by products and by algorithms of lower order: whole times, so that the overheads count.
std::string terms() {
  std::string body;
  std::vector<std::string> figures;
  std::printf("forward dynamics: the algorithm of lower order beside products\n");
  for (const Shape& shape : shapes) {
    Curve products{"products", {}}, inner{"inner term by inverse dynamics", {}}, outer{"outer term by articulated bodies", {}};
    for (int n : short_run() ? std::vector<int>{4, 8} : std::vector<int>{4, 8, 16, 32, 48, 64, 96}) {
      const Model model = revolute_tree(n, shape.children);
      products.points.push_back({n, forward_time(model, {InnerTerm::tensor_product, OuterTerm::matrix_product})});
      inner.points.push_back({n, forward_time(model, {InnerTerm::inverse_dynamics, OuterTerm::matrix_product})});
      outer.points.push_back({n, forward_time(model, {InnerTerm::tensor_product, OuterTerm::articulated})});
    }
    const auto said = [](double n) {
      return n > 0 ? "faster from " + short_number(n) + " joints on" : "slower up to 96 joints";
    };
    const std::string in = said(crossover(products.points, inner.points)), out = said(crossover(products.points, outer.points));
    std::printf("  %s: inner term %s, outer term %s\n", shape.name, in.c_str(), out.c_str());
    body += "<p>" + std::string(shape.name) + ": the inner term by inverse dynamics is " + in +
            ", the outer term by articulated bodies " + out + ".</p>\n";
    figures.push_back(line_plot({std::string("forward dynamics, ") + shape.name, "joints", "µs"}, {products, inner, outer}));
  }
  return section("Inner and outer term",
                 "<p>Published: the inner term crosses over within the sizes of robots, the outer term beyond them.</p>\n" +
                     body + beside(figures));
}

int run(const std::string& path) {
  std::string body =
      "<p>Published figures are of Fortran 90 on a 2.5 GHz i5-12400; compare "
      "slopes. The bicomplex step is the reference of all errors; relative errors are of entries larger than 1e-10 of the "
      "largest. Chains and trees have revolute joints of general geometry.</p>\n";
  body += compare(Dynamics::inverse, "Inverse dynamics", true);
  body += compare(Dynamics::forward, "Forward dynamics", false);
  body += terms();
  write_file(
      path,
      page("Second derivatives: a published comparison, run again",
           "S. Singh, R. P. Russell and P. M. Wensing, <em>On second-order derivatives of rigid-body dynamics: theory and "
           "implementation</em>, run again with this library.",
           body));
  write_facts(path, facts);
  std::printf("%s\n", path.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return run(argc > 1 ? argv[1] : "singh-russell-wensing.html");
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
