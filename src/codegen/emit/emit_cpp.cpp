#include <limits>

#include "codegen/kernel/emit_kernel.hpp"
#include "emit_statements.hpp"
#include "emitters.hpp"
#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {
namespace {

std::string elements(const std::vector<Port>& ports) {
  std::string text;
  for (std::size_t k = 0; k < ports.size(); ++k)
    text += "//   " + std::to_string(k) + " " + ports[k].name + ": " + std::to_string(ports[k].elements.size()) + "\n";
  return text;
}

}  // namespace

std::string emit_cpp(const Program& program, const std::string& name, const EmitOptions& options) {
  Dialect scalar;
  scalar.definition = "const Scalar $N = $X";
  scalar.constant = "Scalar($C)", scalar.factor = "Number($C)";
  scalar.abs = "abs($A)", scalar.min = "min($A, $B)";
  const Statements body = emit_statements(program, scalar, std::numeric_limits<int>::max());  // in one part
  const Statements angles = emit_angles(program, scalar);
  const std::size_t n = program.angles().size();
  std::string text = "// " + comment(options.description) + "\n// Inputs arg[k] and their lengths:\n" +
                     elements(program.inputs()) + "// Outputs res[k]:\n" + elements(program.outputs());
  text +=
      "#pragma once\n\n#include <algorithm>\n#include <cmath>\n#include <type_traits>\n\ntemplate <class Scalar>\n"
      "void @(const Scalar* const* arg, Scalar* const* res) {\n"
      "  using Number = typename std::conditional<std::is_arithmetic<Scalar>::value, Scalar, double>::type;\n"
      "  (void)Number();\n"
      "  using std::abs;\n  using std::cos;\n  using std::min;\n  using std::sin;\n  using std::sqrt;\n" +
      std::string(uses(program, Op::tanh) ? "  using std::tanh;\n" : "");
  for (std::size_t k = 0; k < program.inputs().size(); ++k) {
    const std::string in = "in_" + program.inputs()[k].name;  // perhaps of no influence
    text += "  const Scalar* const " + in + " = arg[" + std::to_string(k) + "];\n  (void)" + in + ";\n";
  }
  for (std::size_t k = 0; k < program.outputs().size(); ++k) {
    const std::string out = "out_" + program.outputs()[k].name;  // perhaps without elements
    text += "  Scalar* const " + out + " = res[" + std::to_string(k) + "];\n  (void)" + out + ";\n";
  }
  if (n > 0) {
    const std::string size = "[" + std::to_string(n) + "]";
    text += "  Scalar angle" + size + ", sine" + size + ", cosine" + size + ";\n" + angles.parts[0] + "  for (int k = 0; k < " +
            std::to_string(n) + "; ++k) {\n    sine[k] = sin(angle[k]);\n    cosine[k] = cos(angle[k]);\n  }\n";
  }
  return named(text + body.parts[0] + "}\n", name);
}

std::vector<CodeFile> cpp_files(const VectorisedProgram& program, const std::string& name, const EmitOptions& options) {
  return {{".hpp", emit_cpp(program.program, name, options)}};
}

}  // namespace sparsedyn
