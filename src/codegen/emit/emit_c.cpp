#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>
#include <utility>

#include "codegen/kernel/emit_kernel.hpp"
#include "codegen/passes/register_pressure.hpp"
#include "codegen/single/single_precision.hpp"
#include "emit_batch.hpp"
#include "emit_lane_types.hpp"
#include "emit_lanes.hpp"
#include "emit_manifest.hpp"
#include "emit_statements.hpp"
#include "emit_status.hpp"
#include "emitters.hpp"
#include "lane_dialect.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "usage_comment.hpp"

namespace sparsedyn {
namespace {

/// Statements beyond which a text is kept short for the compiler, whose time grows faster than a function: in small parts (an
/// estimate of a humanoid's motion: 43,000); and without the second form for vectors (all its second derivatives in one step of
/// time, times multipliers, are 202,000, of which a vector of eight states takes 2.4 times as long as one state).
constexpr long kLong = 30000, kVeryLong = 250000;
constexpr int kShortPart = 500;
/// Operations up to which a loop over batches fits a cache of decoded instructions (2304 on Intel's Ice Lake). Longer ones wait
/// for instructions, and what makes them longer costs time.
constexpr long kDecoded = 1500;

/// Whether squares of a quaternion, which the program sums, have lost digits.
const char* const range_check = R"(static int @_out_of_range(const double *u) {
  const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
  return !(square >= 1e-280 && square <= 1e280);
}

)";

std::vector<int> scaled_quaternions(const EmitOptions& options) {
  return options.checked ? options.quaternions : std::vector<int>{};
}

long statements(const Program& program) {
  long n = program.counts().flops();
  for (const Port& port : program.outputs()) n += static_cast<long>(port.elements.size());
  return n;
}

bool is_identifier(const std::string& s) {
  const auto good = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !s.empty() && !std::isdigit(static_cast<unsigned char>(s[0])) && std::all_of(s.begin(), s.end(), good);
}

void check_names(const Program& program, const std::string& name) {
  const auto check = [](const std::string& s) {
    if (!is_identifier(s)) throw std::invalid_argument("'" + s + "' is not a name in C; expected letters, digits and _");
  };
  check(name);
  for (const Port& p : program.inputs()) check(p.name);
  for (const Port& p : program.outputs()) check(p.name);
}

std::size_t longest(const std::vector<Port>& ports) {
  std::size_t n = 1;
  for (const Port& p : ports) n = std::max(n, p.elements.size());
  return n;
}

std::string pointers(const std::vector<Port>& ports, const std::string& type, const std::string& prefix) {
  std::string s;
  for (const Port& p : ports) s += type + prefix + p.name + ", ";
  return s;
}

/// What scalar and vector functions share: the parameters of the parts and the arguments that fit them.
struct Signature {
  std::string parameters, arguments;
};
Signature signature(const Program& program, const std::string& own_parameters, const std::string& own_arguments) {
  return {"(" + pointers(program.inputs(), "const double *restrict ", "in_") +
              pointers(program.outputs(), "double *restrict ", "out_") + own_parameters + ")",
          "(" + pointers(program.inputs(), "", "in_") + pointers(program.outputs(), "", "out_") + own_arguments + ")"};
}

/// Unused parameters named, so that every part has the same ones.
std::string silenced(const Program& program, const std::string& more) {
  std::string s = " ";
  for (const Port& p : program.inputs()) s += " (void)in_" + p.name + ";";
  for (const Port& p : program.outputs()) s += " (void)out_" + p.name + ";";
  return s + " (void)sine; (void)cosine; (void)kept;" + more + "\n";
}

/// The functions of some parts of a body.
struct PartFunctions {
  const Program& program;
  const Statements& body;
  std::string prefix;
  const Signature& signature;
  std::string more, attribute, linkage = "static ";
  std::string head(std::size_t p) const {
    return linkage + (body.parts.size() > 1 ? "@_APART " : "") + attribute + "void " + prefix + std::to_string(p) +
           signature.parameters;
  }
  std::string text(std::size_t from, std::size_t to) const {
    std::string text;
    for (std::size_t p = from; p < to; ++p) text += head(p) + " {\n" + silenced(program, more) + body.parts[p] + "}\n\n";
    return text;
  }
  std::string text() const { return text(0, body.parts.size()); }
  std::string declarations() const {
    std::string text;
    for (std::size_t p = 0; p < body.parts.size(); ++p) text += head(p) + ";\n";
    return text;
  }
};

std::string part_calls(const Statements& s, const std::string& prefix, const Signature& signature) {
  std::string text;
  for (std::size_t p = 0; p < s.parts.size(); ++p) text += "  " + prefix + std::to_string(p) + signature.arguments + ";\n";
  return text;
}

/// Numbers in arrays of angles, of which a vector may read more than there are.
std::size_t room(std::size_t angles, bool vectors) { return vectors ? (angles + 7) / 8 * 8 : angles; }

/// `first` where the compiler has vector extensions, else `second`.
std::string either(const std::string& first, const std::string& second) {
  return "#if defined(@_VECTORS)\n" + first + "#else\n" + second + "#endif\n";
}

/// The parts of a program whose equal branches are lanes.
std::string lanes_function(const Program& program, const SuperwordProgram& superwords, const LaneStatements& lanes,
                           const Signature& call) {
  const int width = superwords.lanes;
  const std::string numbers = lanes.numbers.empty() ? ""
                                                    : "static @_APART void @_numbers" + call.parameters + " {\n" +
                                                          silenced(program, "") + lanes.numbers + "}\n\n";
  return numbers + lane_types(width, !superwords.columns.empty()) + "static " + (numbers.empty() ? "" : "@_APART ") +
         (width > 4 ? "@_WIDE " : "") + "void @_together" + call.parameters + " {\n" + silenced(program, " @_ALIGNED_FRAME;") +
         lanes.text + "}\n";
}

std::string scalar_function(const VectorisedProgram& both, const Statements& body, const Statements& angles,
                            const LaneStatements* lanes, const EmitOptions& options) {
  const Program& program = both.program;
  const Signature call = signature(program, "const double *restrict sine, const double *restrict cosine, double *restrict kept",
                                   "sine, cosine, kept");
  const std::size_t n = program.angles().size(), angle_room = room(n, options.vectors && !options.single_precision);
  const std::string parts = PartFunctions{program, body, "@_part", call, "", ""}.text();
  std::string text = lanes ? lane_helpers() + either(lanes_function(program, *both.superwords, *lanes, call), parts) : parts;
  if (n > 0) {
    text += "static int @_by_library(const double *angle, double *sine, double *cosine) {\n";
    for (std::size_t k = 0; k < n; ++k) {
      const std::string i = "[" + std::to_string(k) + "]";
      text += "  sine" + i + " = sin(angle" + i + "), cosine" + i + " = cos(angle" + i + ");\n";
    }
    text += "  return 1;\n}\n\n";
  }
  text += "int @(const double **arg, double **res, casadi_int *iw, double *w, int mem) {\n";
  text += "  static const double zeros[" + std::to_string(longest(program.inputs())) + "] = {0};\n";
  text += array("double", "unused", longest(program.outputs()));
  const auto pointer = [](const std::string& type, const std::string& name, const std::string& given, const char* otherwise) {
    return "  " + type + name + " = " + given + " ? " + given + " : " + otherwise + ";\n  @_SETTLED(" + name + ");\n";
  };
  for (std::size_t k = 0; k < program.inputs().size(); ++k)
    text += pointer("const double *", "in_" + program.inputs()[k].name, "arg[" + std::to_string(k) + "]", "zeros");
  for (std::size_t k = 0; k < program.outputs().size(); ++k)
    text += pointer("double *", "out_" + program.outputs()[k].name, "res[" + std::to_string(k) + "]", "unused");
  if (n > 0) text += array("double", "angle", angle_room);
  text += array("double", "sine", angle_room) + array("double", "cosine", angle_room) +
          array("double", "kept", static_cast<std::size_t>(std::max(body.kept, lanes ? lanes->kept : 0)));
  text += "  (void)iw, (void)w, (void)mem;\n";
  for (const Port& p : program.inputs())
    if (options.checked)
      text += "  if (@_not_finite(in_" + p.name + ", " + std::to_string(p.elements.size()) + ")) return 1;\n";
  for (const int at : scaled_quaternions(options))
    text += "  if (@_out_of_range(in_" + program.inputs().front().name + " + " + std::to_string(at) + ")) return 1;\n";
  text += angles.parts[0];
  for (std::size_t k = n; k < angle_room; ++k) text += "  angle[" + std::to_string(k) + "] = 0;\n";
  if (n > 0)
    text += "  (void)(@_sincos(angle, sine, cosine, " + std::to_string(n) + ") || @_by_library(angle, sine, cosine));\n";
  const std::string calls = part_calls(body, "@_part", call);
  const std::string numbers = lanes && !lanes->numbers.empty() ? "  @_numbers" + call.arguments + ";\n" : "";
  return text + (lanes ? either(numbers + "  @_together" + call.arguments + ";\n", calls) : calls) + "  return 0;\n}\n\n";
}

/// One value.
Dialect plain_c(bool single) {
  Dialect d;
  if (single) d.literal = &shortest_float;
  d.min = "@_smaller($A, $B)";
  return d;
}
/// A value of each of several samples.
Dialect in_vectors(bool angles_at_once, bool single) {
  Dialect d = lane_dialect();
  if (single) d.literal = &shortest_float;
  d.load = "*(const @_loose *)($P + $E * n)", d.store = "*(@_loose *)($P + $E * n) = $X";
  if (!angles_at_once) d.turn = "@_step($S, angle + $K, turning + $K, sine + $K, cosine + $K, far)";
  return d;
}

/// Known to all texts of a program and to no other program.
constexpr const char* shared_linkage =
    "#if defined(__GNUC__)\n#define @_SHARED __attribute__((visibility(\"hidden\")))\n#else\n#define @_SHARED\n#endif\n";

struct VectorTexts {
  std::string text;
  std::vector<std::string> units;  // parts that the text declares
};

/// In a short text each sine and cosine is computed in steps, in the order of work: the work on the next angles fills the time
/// in which one operation of the forward recursion waits for another. A long text has a loop over the angles.
VectorTexts vector_functions(const Program& recorded, int largest_part, const ResultSources& sources, bool single, int units) {
  const Program program = with_low_register_pressure(recorded);
  const bool at_once = program.counts().flops() > kDecoded;
  const Dialect lanes = in_vectors(at_once, single);
  const Statements body = emit_statements(program, lanes, largest_part, sources);
  const Statements angles = emit_angles(program, lanes);
  const Signature call = signature(program,
                                   "const @_real *restrict angle, @_real *restrict sine, @_real *restrict cosine, "
                                   "@_real *restrict kept, long n, @_real *restrict far",
                                   "angle, sine, cosine, kept, n, &far");
  const std::size_t m = program.angles().size();
  const std::string steps = at_once || m == 0 ? "" : " @_turning turning[" + std::to_string(m) + "]; (void)turning;";
  PartFunctions parts{program, body, "@_lanes", call, " (void)angle; (void)n; (void)far; @_ALIGNED_FRAME;" + steps, "@_WIDE "};
  const std::string helpers = "#if defined(@_VECTORS)\n" + std::string(uses(program, Op::tanh) ? tanh_in_lanes : "");
  VectorTexts made;
  if (at_once && units > 0) {
    parts.linkage = "@_SHARED ";
    const std::size_t count = body.parts.size(), each = (count + static_cast<std::size_t>(units) - 1) / units;
    for (std::size_t p = 0; p < count; p += each)
      made.units.push_back(shared_linkage + helpers + parts.declarations() + parts.text(p, std::min(count, p + each)) +
                           "#endif\n");
  }
  std::string& text = made.text;
  text = made.units.empty() ? helpers + parts.text()
                            : shared_linkage + std::string("#if defined(@_VECTORS)\n") + parts.declarations();
  const bool alone = !made.units.empty();  // nothing else computes a sample
  text += alone ? "/* samples first … first + LANES - 1 */\n"
                : "/* samples first … first + LANES - 1; 0 if an angle is too large */\n";
  text += "static int @_lanes(const double *const *arg, double *const *res, long n, long first) {\n";
  const auto from_first = [](const Port& port, const std::string& vector) {  // nothing may be added to the null of no elements
    return port.name + " = " + vector + (port.elements.empty() ? ";\n" : " + first;\n");
  };
  for (std::size_t k = 0; k < program.inputs().size(); ++k)
    text += "  const double *const in_" + from_first(program.inputs()[k], "arg[" + std::to_string(k) + "]");
  for (std::size_t k = 0; k < program.outputs().size(); ++k)
    text += "  double *const out_" + from_first(program.outputs()[k], "res[" + std::to_string(k) + "]");
  text += array("@_real", "angle", m) + array("@_real", "sine", m) + array("@_real", "cosine", m) +
          array("@_real", "kept", static_cast<std::size_t>(body.kept)) + angles.parts[0];
  text += "  @_real far = {0};\n  (void)first;\n";
  if (at_once)
    text += "  for (long k = 0; k < " + std::to_string(m) + "; ++k) @_turn(angle + k, sine + k, cosine + k, &far);\n";
  if (alone && m > 0)
    text +=
        "  if (@_beyond(far)) /* those angles alone: no sample's numbers depend on the others of its vector */\n    for (long "
        "k = 0; k < " +
        std::to_string(m) + "; ++k)\n      for (int j = 0; j < @_LANES; ++j)\n        if (!(angle[k][j] * angle[k][j] <= " +
        (single ? "1e8f" : "1e10") + ")) sine[k][j] = sin(angle[k][j]), cosine[k][j] = cos(angle[k][j]);\n";
  text += part_calls(body, "@_lanes", call);
  text += (m > 0 && !alone ? "  return !@_beyond(far);\n" : "  return 1;\n") + std::string("}\n#endif\n\n");
  return made;
}

/// NAME where it has no body of its own: a batch of equal samples.
std::string equal_lanes_function(const Program& program, const EmitOptions& options) {
  std::string text =
      "#if !defined(@_VECTORS)\n#error \"a compiler with vector extensions is needed\"\n#endif\n"
      "int @(const double **arg, double **res, casadi_int *iw, double *w, int mem) {\n  (void)iw, (void)w, (void)mem;\n";
  const auto vectors = [&](const std::vector<Port>& ports, const std::string& name) {
    std::string list;
    for (std::size_t k = 0; k < ports.size(); ++k) {
      const std::string local = name + std::to_string(k);
      text += "  double " + local + "[" + std::to_string(std::max<std::size_t>(ports[k].elements.size(), 1)) + "][@_LANES];\n";
      list += (k ? ", " : "") + ("&" + local + "[0][0]");
    }
    return list.empty() ? std::string("0") : list;
  };
  const std::string in = vectors(program.inputs(), "in"), out = vectors(program.outputs(), "out");
  for (std::size_t k = 0; k < program.inputs().size(); ++k) {
    const std::string i = std::to_string(k), count = std::to_string(program.inputs()[k].elements.size());
    if (options.checked) text += "  if (arg[" + i + "] && @_not_finite(arg[" + i + "], " + count + ")) return 1;\n";
    for (const int at : k == 0 ? scaled_quaternions(options) : std::vector<int>{})
      text += "  if (!arg[0] || @_out_of_range(arg[0] + " + std::to_string(at) + ")) return 1;\n";
    text += "  for (long e = 0; e < " + count + "; ++e)\n    for (int j = 0; j < @_LANES; ++j) in" + i + "[e][j] = arg[" + i +
            "] ? arg[" + i + "][e] : 0;\n";
  }
  text += "  @_batch((const double *const[]){" + in + "}, (double *const[]){" + out + "}, @_LANES);\n";
  for (std::size_t k = 0; k < program.outputs().size(); ++k) {
    const std::string i = std::to_string(k);
    text += "  if (res[" + i + "])\n    for (long e = 0; e < " + std::to_string(program.outputs()[k].elements.size()) +
            "; ++e) res[" + i + "][e] = out" + i + "[e][0];\n";
  }
  return text + "  return 0;\n}\n\n";
}

OperationCounts with_angles(const Program& program, const OperationCounts& body, const Statements& angles) {
  OperationCounts counts = body + angles.counts;
  counts.trig += 2 * static_cast<long>(program.angles().size());
  return counts;
}

}  // namespace

CProgram emit_c(const Program& program, const std::string& name, const EmitOptions& options) {
  return emit_c(VectorisedProgram{program, nullptr}, name, options);
}

CProgram emit_c(const VectorisedProgram& both, const std::string& name, const EmitOptions& options) {
  const Program& program = both.program;
  check_names(program, name);
  const bool single = options.single_precision;
  const Dialect plain = plain_c(single);
  const long length = statements(program);
  const bool both_forms = length <= kVeryLong || options.units > 0;
  const int largest_part = length > kLong ? std::min(kShortPart, options.largest_part) : options.largest_part;
  const Statements body = emit_statements(program, plain, largest_part), angles = emit_angles(program, plain);
  const ResultSources sources = result_sources(program);
  std::optional<LaneStatements> lanes;
  if (both.superwords && both_forms && options.vectors && !single) lanes = emit_lanes(program, *both.superwords);
  if (lanes && lanes->operations > options.largest_part) lanes.reset();  // it is one function
  const OperationCounts counts = with_angles(program, body.counts, angles);
  const OperationCounts executed = lanes ? with_angles(program, lanes->counts, angles) : OperationCounts{};

  VectorTexts vectors;
  if (both_forms && options.batch && options.vectors)
    vectors = vector_functions(program, largest_part, sources, single, options.units);
  std::string text = compiler_macros;
  text += (options.checked ? finiteness_check : "") + std::string(scaled_quaternions(options).empty() ? "" : range_check) +
          (vectors.units.empty() ? scalar_function(both, body, angles, lanes ? &*lanes : nullptr, options)
                                 : equal_lanes_function(program, options)) +
          vectors.text + (options.batch ? emit_batch(program, sources) + emit_batch_status(program) : "") +
          emit_casadi_interface(program, single);
  const std::string top = "/* " + comment(options.description) + " */\n#define @_KERNEL\n#include \"@.h\"\n" +
                          (both_forms ? "" : "#undef @_VECTORS /* too long to be compiled in two forms */\n");
  const auto written = [&](const std::string& unit) { return named(top + (single ? in_single_precision(unit) : unit), name); };
  CProgram code{written(text),
                emit_header(name, usage_comment(program, name, single ? "float" : "double"), options),
                emit_manifest(program, name, counts, lanes ? &executed : nullptr, options),
                {}};
  for (const std::string& unit : vectors.units) code.units.push_back(written(compiler_macros + unit));
  return code;
}

std::vector<CodeFile> c_files(const VectorisedProgram& program, const std::string& name, const EmitOptions& options) {
  CProgram code = emit_c(program, name, options);
  return {{".c", std::move(code.source)}, {".h", std::move(code.header)}, {".json", std::move(code.manifest)}};
}

}  // namespace sparsedyn
