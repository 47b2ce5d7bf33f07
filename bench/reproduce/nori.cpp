// Nori et al., "Inverse, forward and other dynamic computations computationally optimized with sparse matrix
// factorizations", 2017: Figures 1 and 2 counted again, by the published rule and by what is executed; growth of the matrices.
//   reproduce_nori [PAGE.html]      exit 1 where docs/flops.md or docs/benchmarks.md holds other counts
#include <cstdarg>
#include <cstdio>
#include <exception>

#include "documented.hpp"
#include "facts.hpp"
#include "flops/count_growth.hpp"
#include "io/output_file.hpp"
#include "ordering/algorithms/umfpack.hpp"
#include "published_count.hpp"
#include "report/figure.hpp"
#include "robots.hpp"
#include "sparsedyn/flops/counts.hpp"
#include "sparsedyn/report/page.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::report;
using namespace sparsedyn::reproduce;

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::vector<Fact> facts;  // for the index

/// As printf, to a string.
[[gnu::format(printf, 1, 2)]] std::string printed(const char* format, ...) {
  char line[200];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return line;
}

double ratio(long a, long b) { return static_cast<double>(a) / static_cast<double>(b); }

/// The lines of these pages' tables that are counted here.
struct Pages {
  Documented flops{"docs/flops.md"}, benchmarks{"docs/benchmarks.md"};
  int missing() const { return flops.missing() + benchmarks.missing(); }
};

Order umfpack_of(const NumericMatrix& A) {
  const std::optional<Order> order = umfpack_order(pattern_of(A), entries_of(A).data());
  if (!order) throw std::runtime_error("UMFPACK is needed for the published order: build with SuiteSparse");
  return *order;
}

const PublishedCount& published(const std::vector<PublishedCount>& all, const std::string& source) {
  for (const PublishedCount& count : all)
    if (source == count.source) return count;
  throw std::logic_error(source);
}

/// One matrix counted in both ways, with and without a column order.
struct Counted {
  int n;
  MulAdd rows_published, rows_honest, order_published, order_plain, order_honest;
};

Counted count_again(int n, const System& system) {
  const NumericMatrix A = with_net_wrenches(system, static_cast<unsigned>(n));
  const NumericMatrix by_rows = permuted(A, row_pivoting(A)), ordered = permuted(A, umfpack_of(A));
  return {n,
          published_lu_count(by_rows, true),
          honest_lu_count(by_rows),
          published_lu_count(ordered, true),
          published_lu_count(ordered, false),
          honest_lu_count(ordered)};
}

/// A curve over `all`: x = n, y = value(counted).
template <class Value>
Curve curve(const std::string& name, const std::vector<Counted>& all, bool dashed, Value&& value) {
  Curve c{name, {}, dashed};
  for (const Counted& counted : all) c.points.push_back({counted.n, static_cast<double>(value(counted))});
  return c;
}

std::string number(long x) { return grouped(x); }

const char* const how_it_was_counted = R"(<p>Where the published count comes from: the experiments that the paper names
(github.com/iron76/bnt_time_varying, experiments/computationalComplexity/ABA/serial/compare) factor the matrix in UMFPACK's order
and count, pivot by pivot, in <code>lu_cost</code>. A pivot with l entries below it and u entries beside it takes l·u products,
each with a sum. The script multiplies the column below <em>entrywise</em> with the row beside: of the l·u pairs it sees those of
equal index, at most min(l, u). Then it means to take off products by ±1, but takes off how many factors are <em>not</em> 1, and
again how many are not −1, of both factors: four for each pair that is neither, so that such a pivot contributes l − 3 min(l, u)
multiplications, a negative number.</p>
<p>We run the same rule on the same chain, in the same formulation (26 unknowns a link, net wrenches included) and in UMFPACK's
order, and beside it the products and sums that this LU executes (products by exact ±1 left out, as the script meant to). The
original picture is not read off: curves marked “published rule” are our run of its rule. The ABA curve is the formula that
the figure takes (McMillan, Orin and Walker): it counts transforms, velocities and bias terms as well, which both counts of the
LU leave out.</p>
)";

std::string figure_one(Pages& pages) {
  std::vector<Counted> all;
  for (int n = short_run() ? 10 : 2; n <= 30; n += short_run() ? 10 : 1)
    all.push_back(count_again(n, System(published_chain(n, 1.5, 0.9), dynamics_set(false))));
  const auto aba = [](int n) { return published(published_counts(n), "McMillan, Orin & Walker"); };
  Rows rows{{"n", "LU, published rule: mul", "add", "LU, executed: mul", "add", "ABA: mul", "add", "published / ABA",
             "executed / ABA (mul)"}};
  for (const Counted& c : all) {
    if (c.n != 2 && c.n != 5 && c.n != 7 && c.n % 10 != 0) continue;
    const PublishedCount a = aba(c.n);
    const double by_rule = ratio(c.order_published.mul, a.mul), executed = ratio(c.order_honest.mul, a.mul);
    if (c.n % 10 == 0)
      pages.flops.holds(printed("| n = %d | %ld (%.2f) | %ld (%.2f) | %ld |", c.n, c.order_published.mul, by_rule,
                                c.order_honest.mul, executed, a.mul));
    if (c.n == 30) pages.benchmarks.holds(printed("by their rule %.2f, executed %.2f", by_rule, executed));
    rows.push_back({number(c.n), number(c.order_published.mul), number(c.order_published.add), number(c.order_honest.mul),
                    number(c.order_honest.add), number(a.mul), number(a.add), short_number(by_rule), short_number(executed)});
  }
  std::printf("Figure 1, forward dynamics, n = 30: LU multiplications by the published rule %ld, executed %ld, ABA %ld\n",
              all.back().order_published.mul, all.back().order_honest.mul, aba(30).mul);
  facts.push_back(
      {"Figure 1", "forward dynamics, 30 links: multiplications of the permuted LU",
       number(all.back().order_published.mul) + " (their rule, run again)", number(all.back().order_honest.mul) + " (executed)",
       "the rule sees min(l, u) of a pivot's l·u products, and takes products by ±1 off four times: below zero a pivot"});
  facts.push_back({"Figure 1", "the same by the articulated-body algorithm",
                   number(aba(30).mul) + " (McMillan, Orin and Walker)", "",
                   "counts transforms, velocities and bias terms too, which both counts of the LU leave out"});
  const auto plot = [&](const std::string& what, auto of, auto of_formula) {
    return line_plot({"Forward dynamics: " + what, "links", what, false, false},
                     {curve("permuted LU, published rule", all, true, [&](const Counted& c) { return of(c.order_published); }),
                      curve("permuted LU, executed", all, false, [&](const Counted& c) { return of(c.order_honest); }),
                      curve("the rule, ±1 not taken off", all, true, [&](const Counted& c) { return of(c.order_plain); }),
                      curve("ABA, published formula", all, true, [&](const Counted& c) { return of_formula(aba(c.n)); })});
  };
  return how_it_was_counted +
         beside({plot(
                     "multiplications", [](const MulAdd& m) { return m.mul; }, [](const PublishedCount& p) { return p.mul; }),
                 plot(
                     "multiplications and additions", [](const MulAdd& m) { return m.total(); },
                     [](const PublishedCount& p) { return p.mul + p.add; })}) +
         "<p class=\"small\">Without a column order (partial pivoting by rows) the same chain of 30 links takes " +
         number(all.back().rows_honest.mul) + " multiplications, by the published rule " +
         number(all.back().rows_published.mul) + ".</p>\n" + table(rows);
}

/// Counts of one chain, inverse or forward dynamics: LU in the recursive order, the recursive algorithm in the same account.
struct OnChain {
  int n;
  OperationCounts lu_raw, lu_folded, raw, folded, program;
  long record;
};

OnChain counted_on_chain(int n, bool inverse) {
  const std::string recursion = inverse ? "rnea" : "aba";
  const Model model = general_chain(n);
  const System system(model, dynamics_set(inverse));
  const std::vector<std::string> wanted{inverse ? "tau" : "ddq"};
  const Order order = *recursive_order(system);
  const Plan plan = make_plan(system.pattern(), order, unit_entries(system), Outputs(system, wanted).unknowns());
  OnChain c{n,
            static_counts(system, make_plan(system.pattern(), order)).total(),
            folded_counts(system, plan, wanted)->total(),
            {},
            {},
            program_counts(model, recursion),
            0};
  for (const AlgorithmCounts& counted : recursive_counts(model))
    if (counted.algorithm == recursion) c.raw = counted.raw, c.folded = *counted.folded;
  for (const PublishedCount& formula : published_counts(n))
    if (formula.algorithm == recursion && c.record == 0) c.record = formula.mul;
  return c;
}

void check_documented(const OnChain& c, Pages& pages) {
  if (c.n != 7 && c.n != 15 && c.n != 30) return;
  const double of_raw = ratio(c.lu_raw.mul, c.raw.mul), of_folded = ratio(c.lu_folded.mul, c.folded.mul);
  pages.flops.holds(printed("| %d | %ld | %ld | %.2f | %ld | %ld | %.2f | %ld | %ld |", c.n, c.lu_raw.mul, c.raw.mul, of_raw,
                            c.lu_folded.mul, c.folded.mul, of_folded, c.program.mul, c.record));
  if (c.n == 30)
    pages.benchmarks.holds(
        printed("| raw %.2f, folded %.2f; generated program %.2f; ", of_raw, of_folded, ratio(c.program.mul, c.folded.mul)));
}

/// The polynomials on which raw counts lie.
void check_growth(Pages& pages) {
  const std::pair<const char*, const char*> algorithms[] = {{"rnea", "RNEA"}, {"aba", "ABA"}, {"crba", "CRBA"}};
  for (const auto& [algorithm, name] : algorithms) {
    std::vector<double> n, mul, add;
    for (int joints : {2, 4, 7, 12})
      for (const AlgorithmCounts& counted : recursive_counts(general_chain(joints)))
        if (counted.algorithm == algorithm)
          n.push_back(joints), mul.push_back(static_cast<double>(counted.raw.mul)),
              add.push_back(static_cast<double>(counted.raw.add));
    const int degree = growth_degree(algorithm);
    pages.flops.holds(printed("| %s, raw | %s | %s |", name, growth_text(fit_growth(n, mul, degree)).c_str(),
                              growth_text(fit_growth(n, add, degree)).c_str()));
  }
}

/// What this library makes of it.
std::string ours(Pages& pages) {
  std::string out;
  for (bool inverse : {true, false}) {
    const std::string name = inverse ? "RNEA" : "ABA";
    Curve raw{"LU, raw", {}, false}, folded{"LU, folded", {}, false}, recursive_raw{name + ", executed", {}, false},
        recursive_folded{name + ", folded", {}, false}, program{"generated program", {}, false},
        record{"published record", {}, true};
    for (int n : {2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30}) {
      const OnChain c = counted_on_chain(n, inverse);
      if (!inverse) check_documented(c, pages);
      const auto add = [n](Curve& curve, long count) { curve.points.push_back({n, ratio(count, n)}); };
      add(raw, c.lu_raw.mul), add(folded, c.lu_folded.mul), add(recursive_raw, c.raw.mul);
      add(recursive_folded, c.folded.mul), add(program, c.program.mul), add(record, c.record);
    }
    out += line_plot({std::string(inverse ? "Inverse" : "Forward") + " dynamics: multiplications a joint", "joints",
                      "multiplications a joint", false, false},
                     {raw, folded, recursive_raw, recursive_folded, program, record});
  }
  check_growth(pages);
  return R"(<p>General chains (every constant random, so that nothing folds by luck), LU in the recursive order; every curve includes
transforms, velocities and bias terms. Raw and executed count every operation of the text; folded ones fold constants, compute
equal values once and only what the torques or accelerations need.</p>
)" + beside({out});
}

/// Names of the published layout: by link a, fB, f, τ; then by link fx, q̈.
void name_published(int n, std::vector<std::string>& columns) {
  const auto six = [&](const std::string& what, int i) {
    for (int k = 0; k < 6; ++k) columns.push_back(what + std::to_string(i) + "[" + std::to_string(k) + "]");
  };
  for (int i = 1; i <= n; ++i) six("a", i), six("fB", i), six("f", i), columns.push_back("tau" + std::to_string(i));
  for (int i = 1; i <= n; ++i) six("fx", i), columns.push_back("ddq" + std::to_string(i));
}

std::string figure_two() {
  std::vector<Counted> all;
  for (int n = 8; n <= 30; n += short_run() ? 11 : 1)
    all.push_back(count_again(n, System(published_chain(n, 1, 1), slippery_feet_set(n))));
  const Counted& last = all.back();
  std::printf("Figure 2, two feet, n = 30: permuted LU %ld multiplications (published rule %ld), without a column order %ld\n",
              last.order_honest.mul, last.order_published.mul, last.rows_honest.mul);
  facts.push_back({"Figure 2", "two slippery feet, 30 links: multiplications of the permuted LU",
                   number(last.order_published.mul) + " (their rule, run again)", number(last.order_honest.mul) + " (executed)",
                   "without a column order " + number(last.rows_honest.mul) + "; the saving that the figure shows is real"});
  const std::string plot =
      line_plot({"Two slippery feet: multiplications", "links", "multiplications", false, true},
                {curve("LU, executed", all, false, [](const Counted& c) { return c.rows_honest.mul; }),
                 curve("permuted LU, executed", all, false, [](const Counted& c) { return c.order_honest.mul; }),
                 curve("LU, published rule", all, true, [](const Counted& c) { return c.rows_published.mul; }),
                 curve("permuted LU, published rule", all, true, [](const Counted& c) { return c.order_published.mul; })});
  const int n = 12;
  const NumericMatrix A = with_net_wrenches(System(published_chain(n, 1, 1), slippery_feet_set(n)), 1);
  const Order order = umfpack_of(A);
  const Pattern pattern = pattern_of(A);
  std::vector<std::string> columns, rows;
  name_published(n, columns);
  for (int r = 0; r < A.n; ++r)
    rows.push_back(r < 19 * n ? "equation of " + columns[r] : "measurement " + std::to_string(r - 19 * n + 1));
  Spy before = spy_of(pattern, rows, columns), after = spy_of(pattern, order, eliminate(pattern, order), rows, columns);
  before.title = "Twelve links on two feet, as written down:";
  before.caption = number(A.n) + " unknowns, " + number(pattern.entries()) + " entries";
  after.title = "Permuted by UMFPACK:";
  after.caption = number(eliminate(pattern, order).fill) + " entries of fill-in";
  return R"(<p>A chain whose two ends stand on very slippery ground: of both ground wrenches all but the moment about the normal is
measured; the first two and last two joint accelerations are unknown. No recursive algorithm is written for this; the sparse LU is.
Without a column order: partial pivoting by rows. UMFPACK's orders make the curves jump.</p>
)" + plot +
         beside({spy_plot(before, 500), spy_plot(after, 500)});
}

std::string growth() {
  std::vector<Curve> curves;
  Curve unknowns{"unknowns, inverse or forward", {}, false}, full{"entries of a full matrix", {}, true};
  for (const bool inverse : {true, false}) {
    const std::string name = inverse ? "inverse" : "forward";
    Curve entries{name + ": entries", {}, false}, fill{name + ": entries of L + U", {}, false};
    for (int n : {2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100}) {
      const System system(published_chain(n, 1.5, 0.9), dynamics_set(inverse));
      const Elimination lu = eliminate(system.pattern(), *recursive_order(system));
      const double N = static_cast<double>(system.unknowns().size());
      entries.points.push_back({n, static_cast<double>(system.pattern().entries())});
      fill.points.push_back({n, static_cast<double>(system.pattern().entries() + lu.fill)});
      if (inverse) unknowns.points.push_back({n, N}), full.points.push_back({n, N * N});
    }
    curves.push_back(entries), curves.push_back(fill);
  }
  curves.push_back(unknowns), curves.push_back(full);
  return R"(<p>The entries grow with the links, not with their square. In the recursive order inverse dynamics has no fill-in at all
(its two curves lie on each other); forward dynamics fills a fixed number of entries a link.</p>
)" + line_plot({"Growth of the matrices", "links", "number"}, curves);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string path = argc > 1 ? argv[1] : "nori.html";
  Pages pages;
  std::string body;
  body += section("Figure 1: forward dynamics by LU and by ABA", figure_one(pages));
  body += section("The same honestly, with today's plan: inverse and forward dynamics", ours(pages));
  body += section("Figure 2: two feet", figure_two());
  body += section("How the matrices grow", growth());
  write_file(
      path,
      page("Sparse LU for robot dynamics: the published figures, counted again",
           "Nori et al., <em>Inverse, forward and other dynamic computations computationally optimized with sparse matrix "
           "factorizations</em>, 2017: counted by the published rule and by what is executed.",
           body));
  write_facts(path, facts);
  std::printf("%s\n%s\n", pages.missing() ? "other counts than documented" : "all counts as documented", path.c_str());
  return pages.missing() ? 1 : 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
