// Accuracy of the sines and cosines of generated code, in units in the last place of the exact value.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "compiled.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

CProgram pairs(int n, bool vectors = true) {
  Recorder recorder;
  const std::vector<std::string> names(static_cast<std::size_t>(n), "x");
  const auto x = recorder.input("x", names);
  std::vector<Expr> s, c;
  for (const Expr& e : x) s.push_back(sin(e)), c.push_back(cos(e));
  recorder.output("s", names, s);
  recorder.output("c", names, c);
  EmitOptions options;
  options.vectors = vectors;
  return emit_c(recorder.program(), "pairs", options);
}

/// |value − exact| in units in the last place of `exact`, known to 64 bits.
double ulps(double value, long double exact) {
  const double unit = std::nextafter(std::fabs(static_cast<double>(exact)), HUGE_VAL) - std::fabs(static_cast<double>(exact));
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact)) / unit;
}

/// Largest errors: in units in the last place, absolute, and what is above 3 units.
struct Worst {
  double ulp = 0, absolute = 0, excess = 0;
  void see(double value, long double exact) {
    const double units = ulps(value, exact), error = static_cast<double>(std::fabs(static_cast<long double>(value) - exact));
    ulp = std::max(ulp, units);
    absolute = std::max(absolute, error);
    if (units > 3) excess = std::max(excess, error * (1 - 3 / units));
  }
};

constexpr int kPairs = 11;

/// Of one sample after the other, and of all as one batch (a structure of arrays may be cut as it comes here).
Worst worst(const CompiledProgram& compiled, std::vector<double> angles) {
  const std::size_t samples = angles.size() / kPairs;
  angles.resize(samples * kPairs);
  std::vector<double> s(angles.size()), c(angles.size());
  Worst w;
  const auto look = [&] {
    for (std::size_t k = 0; k < angles.size(); ++k) {
      const auto x = static_cast<long double>(angles[k]);
      w.see(s[k], std::sin(x)), w.see(c[k], std::cos(x));
    }
  };
  for (std::size_t at = 0; at < angles.size(); at += kPairs) {
    const double* arg[] = {angles.data() + at};
    double* res[] = {s.data() + at, c.data() + at};
    compiled.call(arg, res);
  }
  look();
  const double* arg[] = {angles.data()};
  double* res[] = {s.data(), c.data()};
  compiled.batch(arg, res, static_cast<long>(samples));
  look();
  return w;
}

std::vector<double> random_angles(double size, unsigned seed, std::size_t n) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> angle(-size, size);
  std::vector<double> x(n);
  for (double& e : x) e = angle(rng);
  return x;
}

/// The doubles nearest to every so many multiples of π/2, and their neighbours.
std::vector<double> near_zeros(int turns, int step) {
  std::vector<double> x;
  for (int k = -turns; k <= turns; k += step) {
    const auto at = static_cast<double>(k * (std::acos(-1.0L) / 2));
    for (double e : {at, std::nextafter(at, HUGE_VAL), std::nextafter(at, -HUGE_VAL), at + 1e-9}) x.push_back(e);
  }
  return x;
}

/// A multiple of a quarter turn ± 1/16 … 1/4: where sums of a breakpoint's value and a change lose most.
std::vector<double> beside_zeros(double size, unsigned seed, std::size_t n) {
  std::vector<double> x = random_angles(1.0, seed, n);
  const double quarter = std::acos(0.0), turns = std::floor(size / quarter) - 1;
  for (double& e : x) {
    const double side = e < 0 ? -1.0 : 1.0, k = std::nearbyint(turns * std::cos(1e6 * e));
    e = k * quarter + side * (0.0625 + 0.19 * std::fabs(e));
  }
  return x;
}

}  // namespace

TEST_CASE("sines and cosines: 2 ulp to 100, 3 ulp to 1e5, the library's beyond") {
  if (c_compilers().empty()) return;
  for (const auto& [vectors, flags] :
       {std::pair(true, "-O1"), {true, "-O2 -march=native -ffp-contract=fast"}, {false, "-O2"}, {false, "-std=c99 -O3"}})
    for (const std::string& compiler : c_compilers()) {
      const CompiledProgram compiled(pairs(kPairs, vectors), "pairs", strictly(compiler, flags));
      for (double size : {1e-300, 1e-8, 1.0, 4.0, 100.0}) CHECK(worst(compiled, random_angles(size, 1, 100000)).ulp <= 2.0);
      CHECK(worst(compiled, beside_zeros(100.0, 4, 100000)).ulp <= 2.0);
      CHECK(worst(compiled, random_angles(1e5, 2, 200000)).ulp <= 3.0);
      for (int step : {1, 37}) {
        const Worst beside = worst(compiled, near_zeros(1700 * step, step));
        CHECK((beside.absolute <= 2.3e-16 && beside.excess <= 1e-21));
      }
      CHECK(worst(compiled, random_angles(1e15, 3, 20000)).ulp <= 1.0);
    }
}

TEST_CASE("a batch of angles of which some are out of range: each right or no number, whatever stands beside it") {
  std::vector<double> odd{0.0, -0.0, 5e-324, 1e-310, HUGE_VAL, std::nan("")};
  for (double x : {99999.0, 1e5, 102943.0, 102943.7, 102944.5, 103000.0, 131072.0, 1e6, 1e10, 1e15, 1e17, 1e22, 1e300})
    odd.push_back(x);
  const double two = 0x1.000000004p1 / 0x1.45f306dc9c883p-50;  // where the shifted angle is least, or doubles
  for (double x : {two, std::nextafter(two, 0.0), std::nextafter(two, HUGE_VAL), two / 2, 2 * two, 3 * two}) odd.push_back(x);
  const std::size_t n = 2 * odd.size();
  std::vector<double> x = random_angles(100.0, 5, n * kPairs), s(x.size()), c(x.size());
  for (std::size_t i = 0; i < n; ++i)
    x[i % kPairs * n + i] = i % 2 ? -odd[i / 2] : odd[i / 2];  // angle k of sample i at k n + i
  for (const std::string& compiler : c_compilers())
    for (const char* flags : {"-O1", "-O2 -march=native -ffp-contract=off", "-O2 -march=native -ffp-contract=fast"}) {
      const CompiledProgram compiled(pairs(kPairs), "pairs", strictly(compiler, flags));
      const double* arg[] = {x.data()};
      double* res[] = {s.data(), c.data()};
      compiled.batch(arg, res, static_cast<long>(n));
      for (std::size_t i = 0; i < n; ++i) {
        const bool finite = std::isfinite(odd[i / 2]);
        for (std::size_t at = i; at < x.size(); at += n) {
          const auto angle = static_cast<long double>(x[at]);
          CHECK(std::isnan(s[at]) == !finite);
          CHECK(std::isnan(c[at]) == !finite);
          if (!finite) continue;
          CHECK(ulps(s[at], std::sin(angle)) <= (std::fabs(x[at]) > 103e3 ? 1.0 : 3.0));
          CHECK(ulps(c[at], std::cos(angle)) <= (std::fabs(x[at]) > 103e3 ? 1.0 : 3.0));
        }
      }
    }
}

TEST_CASE("the steps of several sines alternate in a short text, each after those it needs") {
  const std::string text = pairs(3).source;
  const auto step = [&](int s, int k) {
    const std::string angle = std::to_string(k);
    const auto at = text.find("pairs_step(" + std::to_string(s) + ", angle + " + angle + ", turning + " + angle + ",");
    CHECK(at != std::string::npos);
    return at;
  };
  for (int k = 0; k < 3; ++k) {
    CHECK(step(0, k) < step(1, (k + 1) % 3));
    CHECK(step(4, k) < step(21, (k + 1) % 3));
    for (int s : {1, 2, 3, 4}) CHECK(step(s - 1, k) < step(s, k));
    CHECK(step(18, k) < step(20, k));
    CHECK(step(19, k) < step(21, k));
  }
}

TEST_CASE("an angle out of range changes no other sample of a program in several texts") {
  const Program program = algorithm_program(load_urdf(source_folder() + "/robots/arm.urdf"), "aba-derivatives");
  EmitOptions options;
  options.units = 3, options.largest_part = 500;
  const CProgram text = emit_c(program, "apart", options);
  REQUIRE(text.units.size() == 3);
  constexpr std::size_t n = 16;
  for (const std::string& compiler : c_compilers())
    for (const char* flags : {"-O1", "-O1 -march=native"}) {
      const CompiledProgram compiled(text, "apart", strictly(compiler, flags));
      std::vector<std::vector<double>> in, out;
      unsigned seed = 1;
      for (const Port& port : program.inputs()) in.push_back(random_angles(3.0, seed++, port.elements.size() * n));
      const auto batch = [&] {
        std::vector<const double*> arg;
        std::vector<double*> res;
        for (const auto& x : in) arg.push_back(x.data());
        out.clear();
        for (const Port& port : program.outputs()) out.emplace_back(port.elements.size() * n);
        for (auto& x : out) res.push_back(x.data());
        compiled.batch(arg.data(), res.data(), n);
      };
      batch();
      const std::vector<std::vector<double>> before = out;
      constexpr std::size_t wild = 5;
      const double turn = 2 * std::acos(-1.0), far = 2e5 * turn;  // the same posture, up to the rounding of the angle
      in[0][2 * n + wild] += far;
      batch();
      for (std::size_t p = 0; p < out.size(); ++p) {
        const double largest = std::fabs(*std::max_element(before[p].begin(), before[p].end(),
                                                           [](double a, double b) { return std::fabs(a) < std::fabs(b); }));
        for (std::size_t at = 0; at < out[p].size(); ++at) {
          if (at % n == wild)
            CHECK(std::fabs(out[p][at] - before[p][at]) <= 1e-7 * largest);
          else
            CHECK(out[p][at] == before[p][at]);
        }
      }
    }
}
