#include "emit_rows.hpp"

#include <limits>
#include <utility>

#include "emit_statements.hpp"

namespace sparsedyn {
namespace {

constexpr int kLanes = RowProgram::lanes;

/// Rows and numbers are read alike: a number less nothing is in all lanes.
const Dialect& in_rows() {
  static const Dialect d{"@_row", "(*$P[$E] - (@_row){0})", "*$P[$E] = ", "((@_row){0} + $C)", "$C", "", "", "", "", "", ""};
  return d;
}
const Dialect& in_numbers() {
  static const Dialect d{"double", "$P[$E]", "$P[$E] = ", "$C", "$C", "sqrt", "sin", "cos", "tanh", "fabs", "@_smaller", ""};
  return d;
}

std::string text_of(const Program& program, const Dialect& dialect) {
  return emit_statements(program, dialect, std::numeric_limits<int>::max()).parts[0];
}

std::string number(int x) { return std::to_string(x); }

template <class T, class Write>
std::string table(const std::string& declaration, const std::vector<T>& values, Write write) {
  std::string text = "  static const " + declaration + " = {";
  for (std::size_t k = 0; k < values.size(); ++k) text += (k ? ", " : "") + write(values[k]);
  return text + (values.empty() ? "0};\n" : "};\n");
}

/// A port of a kernel is an array from some row on, or numbers that stand a row apart.
struct Bound {
  std::string port, array;
  bool numbers = false;
};

std::string rows(const std::string& port, const std::string& array) {
  return "    @_row (*const " + port + ")[1] = (@_row (*)[1])(" + array + ");\n";
}

/// A block that does `program` to rows; `bounds` of in_… and out_….
std::string block(const Program& program, const std::vector<Bound>& bounds, const std::string& more = "") {
  std::string text = "  {\n";
  for (const Bound& b : bounds) {
    if (b.numbers)
      text += "    const double (*const " + b.port + ")[" + number(kLanes) + "] = (const double (*)[" + number(kLanes) + "])(" +
              b.array + ");\n";
    else
      text += rows(b.port, b.array);
    text += "    (void)" + b.port + ";\n";
  }
  return text + text_of(program, in_rows()) + more + "  }\n";
}

/// Writes lanes of a kernel's entries and goes on behind them.
std::string put(const Program& program, const RowKernel& kernel, const std::string& first, const std::string& lanes) {
  std::string text;
  for (std::size_t e = 0; e < kernel.entries.size(); ++e) {
    const std::string out = "out_" + program.outputs()[static_cast<std::size_t>(kernel.entries[e].tensor)].name;
    text += "    @_put(" + out + ", entry + " + std::to_string(e) + ", " + first + ", " + lanes + "), " + out + " += " + lanes +
            ";\n";
  }
  return text;
}

std::string entries_block(const Program& program, const RowKernel& kernel, std::vector<Bound> bounds, const std::string& first,
                          const std::string& lanes) {
  bounds.push_back({"out_entry", "entry"});
  return "  {\n  @_row entry[" + std::to_string(kernel.entries.size() + 1) + "];\n" +
         block(kernel.program, bounds, put(program, kernel, first, lanes)) + "  }\n";
}

/// A function for rows: the sums that `steps` make.
std::string sum(const std::string& name, const std::vector<LaneStep>& steps) {
  std::string text = "static inline __attribute__((always_inline)) void " + name +
                     "(const double *row, double *out) {\n  @_row s = *(const @_row *)row;\n";
  for (const LaneStep& step : steps) {
    text += "  s += @_FROM(s";
    for (int l : step) text += ", " + number(l < 0 ? kLanes : l);
    text += ");\n";
  }
  return text + "  *(@_row *)out = s;\n}\n";
}

/// Of what each body adds to all from it on, over the body and all above it; with the first body's, from `first` on.
std::string sums_down(const std::string& to, const std::string& first) {
  return "  for (int c = 0; c < 6; ++c) @_sum_down(part + 8 * c, " + to + " + 8 * c), *(@_row *)(" + to +
         " + 8 * c) += " + first + "[c];\n";
}

std::string constants(const RowProgram& r) {
  const auto array = [](const std::string& name, std::size_t n) {
    return "double " + name + "[" + std::to_string(n) + "] __attribute__((aligned(64)))";
  };
  std::vector<RowStep> steps = r.self_steps;
  std::vector<int> begins{static_cast<int>(steps.size())};
  for (const std::vector<RowStep>& s : r.pair_steps)
    steps.insert(steps.end(), s.begin(), s.end()), begins.push_back(static_cast<int>(steps.size()));
  const auto step = [](const RowStep& s) { return "{" + number(s.i) + ", " + number(s.first) + ", " + number(s.lanes) + "}"; };
  return table(array("body", r.body.size()), r.body, literal) +
         table("long long of_j[] __attribute__((aligned(64)))", r.j, number) +
         table("long long of_k[] __attribute__((aligned(64)))", r.k, number) +
         table("struct { int i, first, lanes; } steps[]", steps, step) + table("int begins[]", begins, number);
}

std::string picked(const std::string& name, int n, const std::string& array, const std::string& lanes) {
  std::string text = "    @_row " + name + "[" + number(n) + "];\n";
  for (int e = 0; e < n; ++e)
    text += "    @_pick(" + array + " + " + number(8 * e) + ", " + lanes + " + 8 * b, " + name + " + " + number(e) + ");\n";
  return text;
}

std::string steps_loop(const Program& program, const RowKernel& kernel, const std::string& from, const std::string& to) {
  return "  @_ROLLED\n  for (int s = " + from + "; s < " + to + "; ++s)\n" +
         entries_block(program, kernel, {{"in_i", "screw + steps[s].i", true}, {"in_pair", "pair"}}, "steps[s].first",
                       "steps[s].lanes");
}

/// Of the first body's axis at rest, if it is not along gravity: numbers of their own.
Bound first_axis() { return {"in_first", "falls", true}; }

std::string own_pairs(const Program& program, const RowProgram& r) {
  const std::string n = number(r.bodies);
  return entries_block(program, r.first, {{"in_k", "force_column"}, first_axis()}, "0", n) + "  {\n  @_row pair[27];\n" +
         entries_block(program, r.self, {{"in_j", "screw"}, {"in_k", "force_column"}, {"out_pair", "pair"}}, "0", n) +
         entries_block(program, r.first_self, {{"in_pair", "pair"}, first_axis()}, "0", n) +
         steps_loop(program, r.above_self, "0", "begins[0]") + "  }\n";
}

std::string other_pairs(const Program& program, const RowProgram& r) {
  const std::string blocks = std::to_string(r.pair_steps.size());
  return "  @_ROLLED\n  for (int b = 0; b < " + blocks + "; ++b) {\n    const int lanes = b + 1 < " + blocks +
         " ? 8 : " + number(r.pairs - kLanes * (static_cast<int>(r.pair_steps.size()) - 1)) + ";\n    @_row pair[27];\n" +
         picked("of_screw", 18, "screw", "of_j") + picked("of_force_column", 33, "force_column", "of_k") +
         entries_block(program, r.pair, {{"in_j", "of_screw"}, {"in_k", "of_force_column"}, {"out_pair", "pair"}}, "0",
                       "lanes") +
         entries_block(program, r.first_pair, {{"in_pair", "pair"}, first_axis()}, "0", "lanes") +
         steps_loop(program, r.above_pair, "begins[b]", "begins[b + 1]") + "  }\n";
}

std::string local(const std::string& name, int n) {
  return "  double " + name + "[" + number(n) + "] __attribute__((aligned(64)));\n";
}

}  // namespace

std::string emit_row_helpers() {
  return R"c(#if defined(@_VECTORS)
typedef double @_row __attribute__((vector_size(64), may_alias));
typedef double @_anywhere __attribute__((vector_size(64), aligned(8), may_alias));
#if defined(__AVX512F__)
#include <immintrin.h>
#endif
#if defined(__clang__)
#define @_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define @_ROLLED
#endif
/* lanes of a row, 8 for zero */
#if defined(__clang__)
#define @_FROM(row, ...) __builtin_shufflevector(row, (@_row){0}, __VA_ARGS__)
#elif defined(__AVX512F__) /* GCC 12 gets some permutations wrong if it is to find the instruction */
#define @_FROM(row, ...) ((@_row)_mm512_permutex2var_pd((__m512d)(row), (__m512i){__VA_ARGS__}, _mm512_setzero_pd()))
#else
typedef long long @_which __attribute__((vector_size(64)));
#define @_FROM(row, ...) __builtin_shuffle(row, (@_row){0}, (@_which){__VA_ARGS__})
#endif
/* lane l is element lanes[l] of the row */
static inline __attribute__((always_inline)) void @_pick(const double *row, const long long *lanes, @_row *out) {
#if defined(__AVX512F__)
  *out = (@_row)_mm512_permutexvar_pd(_mm512_load_si512((const void *)lanes), _mm512_load_pd(row));
#else
  for (int l = 0; l < 8; ++l) (*out)[l] = row[lanes[l]];
#endif
}
/* n lanes from the first on */
static inline __attribute__((always_inline)) void @_put(double *p, const @_row *x, int first, int n) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_pd(p - first, (__mmask8)(((1 << n) - 1) << first), (__m512d)*x);
#else
  if (n == 8)
    *(@_anywhere *)p = *x;
  else
    for (int l = 0; l < n; ++l) p[l] = (*x)[first + l];
#endif
}
#endif
)c";
}

std::string emit_rows(const Program& program, const std::string& parameters, const std::string& silenced) {
  const RowProgram& r = *program.rows();
  const std::string places = text_of(r.places, in_numbers());
  std::string text = sum("@_sum_down", r.down) + sum("@_sum_up", r.up);
  text += "static @_WIDE void @_together" + parameters + " {\n" + silenced + constants(r);
  for (const auto& [name, n] : std::vector<std::pair<std::string, int>>{{"place", 112},
                                                                        {"screw", 144},
                                                                        {"part", 48},
                                                                        {"velocity", 48},
                                                                        {"acceleration", 48},
                                                                        {"mass", 216},
                                                                        {"force_column", 264}})
    text += local(name, n);
  text += "  double first[15], falls[24];\n  {\n    double *const out_place = place, *const out_first = first;\n" + places +
          "    for (int c = 0; c < 3; ++c) falls[8 * c] = first[c];\n    (void)falls;\n  }\n";
  text +=
      block(r.screws,
            {{"in_place", "place"}, {"in_body", "body"}, {"out_screw", "screw"}, {"out_part", "part"}, {"out_mass", "mass"}});
  text += sums_down("velocity", "(first + 3)");
  text += block(r.rates, {{"in_rate", "place + 96"},
                          {"in_velocity", "velocity"},
                          {"in_screw", "screw"},
                          {"out_rates", "screw + 48"},
                          {"out_part", "part"}});
  text += sums_down("acceleration", "(first + 9)");
  text += block(r.moments, {{"in_velocity", "velocity"},
                            {"in_acceleration", "acceleration"},
                            {"in_screw", "screw"},
                            {"in_body", "body"},
                            {"in_mass", "mass"},
                            {"out_second", "screw + 96"},
                            {"out_moments", "mass + 72"}});
  text += "  for (int c = 0; c < 27; ++c) @_sum_up(mass + 8 * c, mass + 8 * c);\n";
  text += block(r.force_column,
                {{"in_screw", "screw"}, {"in_mass", "mass"}, {"in_total", "body + 96"}, {"out_force_column", "force_column"}});
  return text + own_pairs(program, r) + (r.pairs > 0 ? other_pairs(program, r) : "") + "}\n";
}

}  // namespace sparsedyn
