// Generated code against the in-process evaluation, one sample and in batches.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "codegen/differentiate/program_derivatives.hpp"
#include "codegen/programs/coordinate_tangent.hpp"
#include "compiled.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Program rnea_program(const Model& model) {
  Recorder recorder;
  const auto q = recorder.coordinates(model);
  const auto v = recorder.input("dq", prefixed("dq.", velocity_names(model)));
  const auto a = recorder.input("ddq", prefixed("ddq.", velocity_names(model)));
  std::vector<Expr> tau(v.size());
  Workspace<Expr> ws(model);
  rnea(model, ws, q.data(), v.data(), a.data(), static_cast<const Force<Expr>*>(nullptr), tau.data());
  recorder.output("tau", prefixed("tau.", force_names(model)), tau);
  return recorder.program();
}

std::vector<double> by_rnea(const Model& model, const State& s) {
  Workspace<double> ws(model);
  std::vector<double> tau(s.v.size());
  rnea(model, ws, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
  return tau;
}

std::vector<double> by_evaluation(const Program& program, const State& s) {
  const double* arg[] = {s.q.data(), s.v.data(), s.a.data()};
  std::vector<double> tau(s.v.size()), workspace(program.nodes().size());
  double* res[] = {tau.data()};
  CHECK(program.evaluate(arg, res, workspace.data()));
  return tau;
}

/// samples[s][e] -> element e of sample s at e n + s.
std::vector<double> structure_of_arrays(const std::vector<std::vector<double>>& samples) {
  std::vector<double> x;
  for (std::size_t e = 0; e < samples[0].size(); ++e)
    for (const auto& s : samples) x.push_back(s[e]);
  return x;
}

void check_batch(const Model& model, const CompiledProgram& compiled, long n) {
  std::mt19937 rng(static_cast<unsigned>(n));
  std::vector<std::vector<double>> q, v, a, expected;
  for (long s = 0; s < n; ++s) {
    const State state = random_state(model, rng);
    q.push_back(state.q), v.push_back(state.v), a.push_back(state.a);
    expected.push_back(by_rnea(model, state));
  }
  const auto qs = structure_of_arrays(q), vs = structure_of_arrays(v), as = structure_of_arrays(a);
  std::vector<double> tau(expected[0].size() * static_cast<std::size_t>(n), 0.0);
  const double* arg[] = {qs.data(), vs.data(), as.data()};
  double* res[] = {tau.data()};
  compiled.batch(arg, res, n);
  CHECK(norm_error(tau, structure_of_arrays(expected)) < 1e-12);
}

/// The bodies of the functions f_part0, f_part1, …
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = text.find("void f_part"); at != std::string::npos; at = text.find("void f_part", at + 1)) {
    const std::size_t begin = text.find("{\n", at) + 2;
    parts.push_back(text.substr(begin, text.find("\n}\n", begin) - begin));
  }
  return parts;
}

/// Operations and stores of results.
long operations_in(const std::string& part) {
  long n = 0;
  for (const char* mark : {" + ", " - ", " * ", " / ", "  out_"})
    for (std::size_t at = part.find(mark); at != std::string::npos; at = part.find(mark, at + 1)) ++n;
  return n;
}

/// A chain of products and sums.
Program chain_program(int links) {
  Recorder recorder;
  const std::vector<Expr> x = recorder.input("x", {"x.0", "x.1"});
  Expr sum = x[0];
  for (int k = 0; k < links; ++k) sum = sum * x[1] + Expr(1.0 / (k + 2));
  recorder.output("y", {"y"}, {sum});
  return recorder.program();
}

}  // namespace

TEST_CASE("integers of the interface are those that a text is compiled with: callers with int") {
  const Program program = rnea_program(random_tree(2, 4));
  EmitOptions options;
  options.vectors = false;
  for (const std::string& compiler : c_compilers()) {
    const CompiledProgram narrow(emit_c(program, "f", options), "f", strictly(compiler, "-O0 -Dcasadi_int=int"));
    const auto counted = reinterpret_cast<int (*)()>(narrow.symbol("f_n_in"));
    const auto shape = reinterpret_cast<const int* (*)(int)>(narrow.symbol("f_sparsity_in"));
    const auto work = reinterpret_cast<int (*)(int*, int*, int*, int*)>(narrow.symbol("f_work"));
    REQUIRE(counted() == 3);
    const int* const dense = shape(1);
    CHECK(std::vector<int>(dense, dense + 6) == std::vector<int>{2, 1, 0, 2, 0, 1});
    CHECK(shape(3) == nullptr);
    int sizes[5] = {-1, -1, -1, -1, 7};
    CHECK(work(sizes, sizes + 1, sizes + 2, sizes + 3) == 0);
    CHECK(std::vector<int>(sizes, sizes + 5) == std::vector<int>{3, 1, 0, 0, 7});
  }
}

TEST_CASE("evaluation of a recorded program equals the template") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Model model = random_tree(8, seed, {seed % 2 == 1, true, 0.3, every_joint_kind()});
    const Program program = rnea_program(model);
    std::mt19937 rng(seed);
    std::vector<State> states = special_states(model, rng, 10);
    for (int k = 0; k < 10; ++k) states.push_back(random_state(model, rng));
    for (const State& s : states) CHECK(norm_error(by_evaluation(program, s), by_rnea(model, s)) < 1e-12);
  }
}

TEST_CASE("generated C equals the template, at every optimisation, alone and in batches") {
  const Model model = random_tree(6, 3, {true, true, 0.3, every_joint_kind()});
  const CProgram code = emit_c(rnea_program(model), "tree_id", {"a test", 700, {}});
  for (const std::string& compiler : c_compilers())
    for (const char* flags : {"-O0", "-O2", "-O2 -march=native -ffp-contract=fast"}) {
      const CompiledProgram compiled(code, "tree_id", strictly(compiler, flags));
      std::mt19937 rng(1);
      for (const State& s : special_states(model, rng, 10)) {
        const double* arg[] = {s.q.data(), s.v.data(), s.a.data()};
        std::vector<double> tau(s.v.size());
        double* res[] = {tau.data()};
        CHECK(compiled.call(arg, res) == 0);
        CHECK(norm_error(tau, by_rnea(model, s)) < 1e-12);
      }
      for (long n : {1, 2, 3, 7, 8, 9, 31}) check_batch(model, compiled, n);
    }
}

TEST_CASE("an input that is not finite gives 1 and touches no output: absent vectors are zero or not written") {
  if (c_compilers().empty()) return;
  const Model model = random_tree(3, 5);
  const CompiledProgram compiled(emit_c(rnea_program(model), "f"), "f", strictly(c_compilers()[0], "-O1"));
  std::mt19937 rng(1);
  State s = random_state(model, rng);
  std::vector<double> tau(s.v.size(), 42.0);
  double* res[] = {tau.data()};
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -HUGE_VAL}) {
    State broken = s;
    broken.v[1] = bad;
    const double* arg[] = {broken.q.data(), broken.v.data(), broken.a.data()};
    CHECK(compiled.call(arg, res) == 1);
    CHECK(tau == std::vector<double>(s.v.size(), 42.0));
  }
  EmitOptions options;
  options.checked = options.vectors = false;
  const CProgram plain = emit_c(rnea_program(model), "f", options);
  CHECK((plain.source + plain.header).find("vector_size") == std::string::npos);
  const CompiledProgram unchecked(plain, "f", strictly(c_compilers()[0], "-O1"));
  const double* given[] = {s.q.data(), s.v.data(), s.a.data()};
  CHECK(unchecked.call(given, res) == 0);
  CHECK(norm_error(tau, by_rnea(model, s)) < 1e-12);
  s.a.assign(s.a.size(), std::nan(""));
  CHECK(unchecked.call(given, res) == 0);
  CHECK(std::any_of(tau.begin(), tau.end(), [](double x) { return std::isnan(x); }));
  s.a.assign(s.a.size(), 0.0);
  const double* arg[] = {s.q.data(), s.v.data(), nullptr};
  double* nowhere[] = {nullptr};
  CHECK(compiled.call(arg, nowhere) == 0);
  CHECK(compiled.call(arg, res) == 0);
  CHECK(norm_error(tau, by_rnea(model, s)) < 1e-12);
}

TEST_CASE("quaternions that a program scales: any norm whose square is a number, else 1") {
  if (missing(quick_compiler())) return;
  TreeOptions options;
  options.floating = true;
  const Model model = random_tree(1, 5, options);
  EmitOptions scaled;
  scaled.quaternions = quaternion_places(model);
  REQUIRE(scaled.quaternions == std::vector<int>{3});
  for (const int units : {0, 1}) {
    scaled.units = units;
    const CompiledProgram compiled(emit_c(with_normalised_quaternions(rnea_program(model), model), "f", scaled), "f",
                                   strictly(quick_compiler(), "-O0"));
    std::mt19937 rng(1);
    const State s = random_state(model, rng);
    const std::vector<double> expected = by_rnea(model, s);
    for (const double norm : {1.0, 3.0, 1e139, 1e-139, 0.0, 1e141, 1e-141, 1e160, 1e-160, 1e300}) {
      State of_norm = s;
      for (std::size_t k = 3; k < 7; ++k) of_norm.q[k] *= norm;
      std::vector<double> tau(s.v.size(), 42.0);
      const double* arg[] = {of_norm.q.data(), s.v.data(), s.a.data()};
      double* res[] = {tau.data()};
      const bool in_range = norm > 1e-140 && norm < 1e140;
      CHECK(compiled.call(arg, res) == (in_range ? 0 : 1));
      CHECK(norm_error(tau, in_range ? expected : std::vector<double>(s.v.size(), 42.0)) < 1e-12);
    }
  }
}

TEST_CASE("batches: absent vectors are zero or not written") {
  const Model model = random_tree(4, 5);
  Recorder recorder;  // tau, and its first element apart
  const auto q = recorder.coordinates(model);
  const auto a = recorder.input("ddq", velocity_names(model));
  const std::vector<Expr> v(a.size());
  std::vector<Expr> tau(a.size());
  Workspace<Expr> ws(model);
  rnea(model, ws, q.data(), v.data(), a.data(), static_cast<const Force<Expr>*>(nullptr), tau.data());
  recorder.output("tau", force_names(model), tau);
  recorder.output("first", {"first"}, {tau[0]});
  const CProgram code = emit_c(recorder.program(), "f");
  for (const std::string& compiler : c_compilers())
    for (const long n : {1L, 8L, 19L}) {
      const CompiledProgram compiled(code, "f", strictly(compiler, "-O1"));
      const auto batch_status =
          reinterpret_cast<long (*)(const double* const*, double* const*, long, int*)>(compiled.symbol("f_batch_status"));
      const auto samples = static_cast<std::size_t>(n);
      std::vector<double> angles(q.size() * samples), zeros(a.size() * samples, 0.0);
      for (std::size_t k = 0; k < angles.size(); ++k) angles[k] = 0.01 * static_cast<double>(k);
      std::vector<double> all(zeros.size()), some(zeros.size()), first(samples), alone(samples, 42.0);
      std::vector<int> status(samples);
      const double *arg[] = {angles.data(), zeros.data()}, *without[] = {angles.data(), nullptr};
      double *res[] = {all.data(), first.data()}, *tau_alone[] = {some.data(), nullptr},
             *first_alone[] = {nullptr, alone.data()};
      compiled.batch(arg, res, n);
      compiled.batch(without, tau_alone, n);
      CHECK(norm_error(some, all) < 1e-14);
      angles[0] = HUGE_VAL;
      CHECK(batch_status(without, first_alone, n, status.data()) == 1);
      CHECK((status[0] == 1 && std::isnan(alone[0])));
      alone[0] = first[0];
      CHECK(norm_error(alone, first) < 1e-14);
    }
}

TEST_CASE("a description is one line of a comment, whatever is in it") {
  const Model model = random_tree(2, 5);
  const Program program = rnea_program(model);
  const CProgram code = emit_c(program, "f", {"a */ b /* c\nd ?\?/ @ \\", 7500, {}});
  const std::string line = "/* a  / b /  c d   /     */\n";
  CHECK(code.source.compare(0, line.size(), line) == 0);
  CHECK(code.header.compare(0, line.size(), line) == 0);
  CHECK(emit_cpp(program, "f", {"a\nb", 7500, {}}).compare(0, 7, "// a b\n") == 0);
}

TEST_CASE("the same recording gives the same text") {
  const Model model = random_tree(5, 2, {true, true, 0.3, every_joint_kind()});
  const CProgram a = emit_c(rnea_program(model), "f"), b = emit_c(rnea_program(model), "f");
  CHECK(a.source == b.source);
  CHECK(a.header == b.header);
  CHECK(a.manifest == b.manifest);
}

TEST_CASE("functions of a text are bounded: the compiler's time grows faster than they do") {
  const Program program = rnea_program(random_tree(12, 3, {true, true, 0.4}));
  for (int largest : {100, 1000, 4000}) {
    EmitOptions options;
    options.largest_part = largest;
    const std::string text = emit_c(program, "f", options).source;
    long all = 0;
    for (const std::string& part : parts_of(text)) {
      CHECK(operations_in(part) <= largest);
      all += operations_in(part);
    }
    CHECK(all == program.counts().flops() + static_cast<long>(program.outputs()[0].elements.size()));
  }
}

TEST_CASE("a result is stored before operations that come after it") {
  Recorder recorder;
  const auto x = recorder.input("x", {"a", "b"});
  const Expr first = x[0] * x[1], second = x[0] / (first + x[1]);
  recorder.output("y", {"second", "first"}, {second, first});
  const std::string text = emit_c(recorder.program(), "f").source;
  CHECK(text.find("out_y[1] =") < text.find('/', text.find("f_part0(")));
}

TEST_CASE("batches: results that are zero, constant, equal or opposite to others") {
  Recorder recorder;
  const auto x = recorder.input("x", {"a", "b"});
  const Expr product = x[0] * x[1], sum = x[0] + x[1];
  recorder.output("y", {"1", "2", "3", "4", "5"}, {product, Expr(0), product, -product, sum});
  recorder.output("z", {"1", "2", "3", "4", "5"}, {Expr(0), sum, sum, Expr(0.5), Expr(-0.25)});
  const CProgram code = emit_c(recorder.program(), "f");
  for (const std::string& compiler : c_compilers()) {
    const CompiledProgram compiled(code, "f", strictly(compiler, "-O2 -march=native"));
    for (const std::size_t n : {3, 8, 511, 512, 513, 1100}) {
      std::vector<double> in(2 * n), y(5 * n, 42.0), z(5 * n, 42.0);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(static_cast<double>(i));
      const double* arg[] = {in.data()};
      double* res[] = {y.data(), z.data()};
      compiled.batch(arg, res, static_cast<long>(n));
      for (std::size_t s = 0; s < n; ++s) {
        const double p = in[s] * in[n + s], t = in[s] + in[n + s];
        const std::vector<double> expected = {p, 0, p, -p, t, 0, t, t, 0.5, -0.25};
        for (std::size_t e = 0; e < expected.size(); ++e) CHECK((e < 5 ? y[e * n + s] : z[(e - 5) * n + s]) == expected[e]);
      }
    }
  }
}

TEST_CASE("batches: a vector of no elements may be null, and nothing is added to it") {
  Recorder recorder;
  const auto x = recorder.input("x", {"a"});
  recorder.input("none", {});
  recorder.output("y", {}, {});
  recorder.output("z", {"a"}, {x[0] * x[0]});
  const CProgram code = emit_c(recorder.program(), "f");
  for (const std::string& compiler : c_compilers()) {
    const CompiledProgram compiled(code, "f",
                                   strictly(compiler, "-O1 -fsanitize=undefined -fsanitize-undefined-trap-on-error"));
    std::vector<double> in(20, 3.0), z(20, 0.0);
    const double* arg[] = {in.data(), nullptr};
    double* res[] = {nullptr, z.data()};
    compiled.batch(arg, res, 20);
    CHECK(z == std::vector<double>(20, 9.0));
  }
}

TEST_CASE("a robot that never turns is compiled without a warning") {
  Recorder recorder;
  const auto x = recorder.input("x", {"a"});
  recorder.output("y", {"a"}, {x[0] * x[0]});
  for (const std::string& compiler : c_compilers())
    for (const char* flags : {"-O0", "-O1", "-O2 -march=native"}) {
      const CompiledProgram compiled(emit_c(recorder.program(), "f"), "f", strictly(compiler, flags));
      const double three = 3;
      double nine = 0;
      const double* arg[] = {&three};
      double* res[] = {&nine};
      CHECK(compiled.call(arg, res) == 0);
      CHECK(nine == 9);
    }
}

TEST_CASE("a robot that does not move is compiled without a warning") {
  Recorder recorder;
  recorder.input("x", {});
  recorder.output("y", {}, {});
  for (const std::string& compiler : c_compilers()) {
    const CompiledProgram compiled(emit_c(recorder.program(), "f"), "f", strictly(compiler, "-O1"));
    const double* arg[] = {nullptr};
    double* res[] = {nullptr};
    CHECK(compiled.call(arg, res) == 0);
    compiled.batch(arg, res, 9);
  }
}

TEST_CASE("names that C cannot have are refused") {
  const Model model = random_tree(1, 2);
  CHECK_THROWS_AS(emit_c(rnea_program(model), "2f"), std::invalid_argument);
  CHECK_THROWS_AS(emit_c(rnea_program(model), "a-b"), std::invalid_argument);
  CHECK_THROWS_AS(emit_c(rnea_program(model), ""), std::invalid_argument);
}

TEST_CASE("every language gives files of its own, the same every time, that name the function") {
  const VectorisedProgram program{rnea_program(random_tree(1, 2)), nullptr};
  std::set<std::string> endings;
  std::size_t files = 0;
  for (const std::string& language : emitted_languages()) {
    INFO(language);
    const std::vector<CodeFile> first = emit_files(program, language, "tree_id"),
                                again = emit_files(program, language, "tree_id");
    REQUIRE_FALSE(first.empty());
    REQUIRE(first.size() == again.size());
    for (std::size_t k = 0; k < first.size(); ++k) {
      CHECK(first[k].text == again[k].text);
      CHECK(first[k].text.find("tree_id") != std::string::npos);
      CHECK(first[k].text.find('@') == std::string::npos);
      endings.insert(first[k].ending), ++files;
    }
  }
  CHECK(endings.size() == files);
  CHECK(emit_files(program, "c", "f")[0].text == emit_c(program, "f").source);
  CHECK(emit_files(program, "cpp", "f")[0].text == emit_cpp(program.program, "f"));
  CHECK_THROWS_AS(emit_files(program, "klingon", "f"), std::invalid_argument);
}

TEST_CASE("programs of up to 250,000 operations are written for vectors, too") {
  const std::string shorter = emit_c(chain_program(55000), "f").source, longer = emit_c(chain_program(126000), "f").source;
  CHECK(shorter.find("#undef f_VECTORS") == std::string::npos);
  CHECK(shorter.find("static int f_lanes(") != std::string::npos);
  CHECK(longer.find("#undef f_VECTORS") != std::string::npos);
}
