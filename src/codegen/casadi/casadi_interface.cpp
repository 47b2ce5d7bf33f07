#include "casadi_interface.hpp"

#include <algorithm>

namespace sparsedyn::casadi_text {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string within(const VectorisedProgram& program, const std::string& name) {
  EmitOptions options;
  options.batch = false, options.largest_part = 3000;
  const CProgram code = emit_c(program, name, options);
  return "\n" + replaced(code.source, "#include \"" + name + ".h\"\n", code.header);
}

std::string sparsities(const Shapes& shapes) {
  std::string text, list;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const Shape& shape = shapes[k];
    const std::string name = "@_shape" + std::to_string(k);
    text += "static const casadi_int " + name + "[] = {" + std::to_string(shape.rows) + ", " + std::to_string(shape.columns);
    if (shape.entries)
      text += ", 1";
    else
      for (int c = 0; c <= shape.columns; ++c) text += ", 0";
    text += "};\n";
    list += (k ? ", " : "") + name;
  }
  return text + "static const casadi_int *const @_shapes[] = {" + list + "};\n";
}

std::string interface(const std::string& name, const Shapes& inputs, const Shapes& outputs, const std::string& numbers,
                      const Shapes& all) {
  const auto list = [&](const Shapes& shapes) {
    std::string text;
    for (const Shape& shape : shapes)
      text += (text.empty() ? "" : ", ") + std::to_string(std::find(all.begin(), all.end(), shape) - all.begin());
    return text;
  };
  const std::string in = std::to_string(inputs.size()), out = std::to_string(outputs.size());
  return "\ncasadi_int " + name + "_n_in(void) { return " + in + "; }\ncasadi_int " + name + "_n_out(void) { return " + out +
         "; }\nconst casadi_int *" + name + "_sparsity_in(casadi_int i) {\n  static const int shape[] = {" + list(inputs) +
         "};\n  return i < 0 || i >= " + in + " ? 0 : @_shapes[shape[i]];\n}\nconst casadi_int *" + name +
         "_sparsity_out(casadi_int i) {\n  static const int shape[] = {" + list(outputs) + "};\n  return i < 0 || i >= " + out +
         " ? 0 : @_shapes[shape[i]];\n}\nint " + name +
         "_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w) {\n  if (sz_arg) "
         "*sz_arg = " +
         in + ";\n  if (sz_res) *sz_res = " + out + ";\n  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = " + numbers +
         ";\n  return 0;\n}\n";
}

std::string declarations(const std::vector<std::string>& functions) {
  std::string text;
  for (const std::string& name : functions) {
    text += "int " + name + "(const double **arg, double **res, casadi_int *iw, double *w, int mem);\ncasadi_int " + name +
            "_n_in(void);\ncasadi_int " + name + "_n_out(void);\nconst casadi_int *" + name +
            "_sparsity_in(casadi_int i);\nconst casadi_int *" + name + "_sparsity_out(casadi_int i);\nint " + name +
            "_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w);\n";
  }
  return text;
}

}  // namespace sparsedyn::casadi_text
