#include "stage_function.hpp"

#include <algorithm>
#include <cstddef>

#include "codegen/emit/emit_statements.hpp"

namespace sparsedyn {
namespace {

std::string ports_of(const Program& program, bool with_types) {
  std::string text;
  const auto add = [&](const std::string& type, const std::string& name) {
    text += (text.empty() ? "" : ", ") + (with_types ? type : "") + name;
  };
  for (const Port& p : program.inputs()) add("const double *restrict ", "in_" + p.name);
  for (const Port& p : program.outputs()) add("double *restrict ", "out_" + p.name);
  return text;
}

/// So that every part may have the same parameters.
std::string unused_ports(const Program& program) {
  std::string text = " ";
  for (const Port& p : program.inputs()) text += " (void)in_" + p.name + ";";
  for (const Port& p : program.outputs()) text += " (void)out_" + p.name + ";";
  return text + "\n";
}

std::string by_library(std::size_t angles, const std::string& stage) {
  std::string text = "static int @_" + stage + "_by_library(const double *angle, double *sine, double *cosine) {\n";
  for (std::size_t k = 0; k < angles; ++k) {
    const std::string i = "[" + std::to_string(k) + "]";
    text += "  sine" + i + " = sin(angle" + i + "), cosine" + i + " = cos(angle" + i + ");\n";
  }
  return text + "  return 1;\n}\n\n";
}

}  // namespace

std::string stage_function(const Program& program, const std::string& stage, int largest_part) {
  Dialect plain;
  plain.min = "@_smaller($A, $B)";
  const Statements body = emit_statements(program, plain, largest_part), angles = emit_angles(program, plain);
  const std::size_t n = program.angles().size(), room = (n + 7) / 8 * 8;
  const std::string in_out = ports_of(program, true), more = ", const double *restrict sine, const double *restrict cosine, ";
  std::string text, calls;
  for (std::size_t p = 0; p < body.parts.size(); ++p) {
    const std::string part = "@_" + stage + std::to_string(p);
    text += "static " + std::string(body.parts.size() > 1 ? "@_APART " : "") + "void " + part + "(" + in_out + more +
            "double *restrict kept) {\n" + unused_ports(program) + "  (void)sine; (void)cosine; (void)kept;\n" + body.parts[p] +
            "}\n\n";
    calls += "  " + part + "(" + ports_of(program, false) + ", sine, cosine, kept);\n";
  }
  if (n > 0) text += by_library(n, stage);
  text += "static @_APART void @_" + stage + "(" + in_out + ") {\n" + unused_ports(program);
  if (n > 0) text += array("double", "angle", room);
  text += array("double", "sine", room) + array("double", "cosine", room) +
          array("double", "kept", static_cast<std::size_t>(std::max(body.kept, 0))) + angles.parts[0];
  for (std::size_t k = n; k < room; ++k) text += "  angle[" + std::to_string(k) + "] = 0;\n";
  if (n > 0)
    text += "  (void)(@_sincos(angle, sine, cosine, " + std::to_string(room) + ") || @_" + stage +
            "_by_library(angle, sine, cosine));\n";
  return text + calls + "}\n\n";
}

}  // namespace sparsedyn
