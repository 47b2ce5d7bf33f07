#include "stage_function.hpp"

#include <algorithm>
#include <cstddef>

#include "codegen/emit/emit_statements.hpp"
#include "codegen/emit/lane_dialect.hpp"
#include "codegen/passes/register_pressure.hpp"

namespace sparsedyn {
namespace {

/// How a stage is written: on numbers, or on vectors of them.
struct Style {
  std::string type, attribute, prefix, frame;
  Dialect dialect;
};

std::string ports_of(const Program& program, const std::string& type = {}) {
  std::string text;
  const auto add = [&](const std::string& before, const std::string& name) {
    text += (text.empty() ? "" : ", ") + (type.empty() ? "" : before) + name;
  };
  for (const Port& p : program.inputs()) add("const " + type + " *restrict ", "in_" + p.name);
  for (const Port& p : program.outputs()) add(type + " *restrict ", "out_" + p.name);
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

/// In lanes whose angles are beyond the polynomials' range, the library's; the others keep theirs.
std::string turn_in_lanes(std::size_t angles) {
  const std::string n = std::to_string(angles);
  return "  @_real far = {0};\n  @_whole wild = {0};\n  for (int k = 0; k < " + n +
         "; ++k) @_turn(angle + k, sine + k, cosine + k, &far), wild |= (@_whole)(@_lanes_fabs(angle[k]) > 1e5);\n"
         "  for (int j = 0; j < @_LANES; ++j)\n    for (int k = 0; wild[j] && k < " +
         n + "; ++k)\n      if (fabs(angle[k][j]) > 1e5) sine[k][j] = sin(angle[k][j]), cosine[k][j] = cos(angle[k][j]);\n";
}

std::string turn_at_once(std::size_t angles, std::size_t room, const std::string& stage) {
  std::string text;
  for (std::size_t k = angles; k < room; ++k) text += "  angle[" + std::to_string(k) + "] = 0;\n";
  return text + "  (void)(@_sincos(angle, sine, cosine, " + std::to_string(angles) + ") || @_" + stage +
         "_by_library(angle, sine, cosine));\n";
}

std::string in_style(const Style& style, const Program& program, const std::string& stage, int largest_part) {
  const bool lanes = style.type != "double";
  const Statements body = emit_statements(program, style.dialect, largest_part), angles = emit_angles(program, style.dialect);
  const std::size_t n = program.angles().size(), room = lanes ? n : (n + 7) / 8 * 8;
  const std::string in_out = ports_of(program, style.type), name = style.prefix + stage,
                    more = ", const $ *restrict sine, const $ *restrict cosine, $ *restrict kept";
  std::string text, calls, turns = more;
  for (std::size_t at; (at = turns.find('$')) != std::string::npos;) turns.replace(at, 1, style.type);
  for (std::size_t p = 0; p < body.parts.size(); ++p) {
    const std::string part = "@_" + name + std::to_string(p);
    text += "static " + std::string(body.parts.size() > 1 ? "@_APART " : "") + style.attribute + "void " + part + "(" + in_out +
            turns + ") {\n" + unused_ports(program) + "  (void)sine; (void)cosine; (void)kept;" + style.frame + "\n" +
            body.parts[p] + "}\n\n";
    calls += "  " + part + "(" + ports_of(program) + ", sine, cosine, kept);\n";
  }
  if (n > 0 && !lanes) text += by_library(n, stage);
  text += "static @_APART " + style.attribute + "void @_" + name + "(" + in_out + ") {\n" + unused_ports(program);
  if (n > 0) text += array(style.type, "angle", room);
  text += array(style.type, "sine", room) + array(style.type, "cosine", room) +
          array(style.type, "kept", static_cast<std::size_t>(std::max(body.kept, 0))) + angles.parts[0];
  if (n > 0) text += lanes ? turn_in_lanes(n) : turn_at_once(n, room, stage);
  return text + calls + "}\n\n";
}

}  // namespace

std::string stage_function(const Program& program, const std::string& stage, int largest_part) {
  Style style{"double", "", "", "", {}};
  style.dialect.min = "@_smaller($A, $B)";
  return in_style(style, program, stage, largest_part);
}

std::string lanes_stage_function(const Program& program, const std::string& stage, int largest_part) {
  const Style style{"@_real", "@_WIDE ", "lanes_", " @_ALIGNED_FRAME;", lane_dialect()};
  return in_style(style, with_low_register_pressure(program), stage, largest_part);
}

}  // namespace sparsedyn
