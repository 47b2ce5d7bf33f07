#include "casadi_interface.hpp"

#include <algorithm>

namespace sparsedyn::casadi_text {

std::string sparsities(const Shapes& shapes) {
  std::string text, list;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const Shape& shape = shapes[k];
    const std::string name = "@_shape" + std::to_string(k);
    text += "static const long long int " + name + "[] = {" + std::to_string(shape.rows) + ", " + std::to_string(shape.columns);
    if (shape.entries)
      text += ", 1";
    else
      for (int c = 0; c <= shape.columns; ++c) text += ", 0";
    text += "};\n";
    list += (k ? ", " : "") + name;
  }
  return text + "static const long long int *const @_shapes[] = {" + list + "};\n";
}

std::string interface(const std::string& before, const Shapes& inputs, const Shapes& outputs, const std::string& numbers,
                      const Shapes& all) {
  const auto list = [&](const Shapes& shapes) {
    std::string text;
    for (const Shape& shape : shapes)
      text += (text.empty() ? "" : ", ") + std::to_string(std::find(all.begin(), all.end(), shape) - all.begin());
    return text;
  };
  const std::string name = before + "_@", in = std::to_string(inputs.size()), out = std::to_string(outputs.size());
  return "\nlong long int " + name + "_n_in(void) { return " + in + "; }\nlong long int " + name + "_n_out(void) { return " +
         out + "; }\nconst long long int *" + name + "_sparsity_in(long long int i) {\n  static const int shape[] = {" +
         list(inputs) + "};\n  return i < 0 || i >= " + in + " ? 0 : @_shapes[shape[i]];\n}\nconst long long int *" + name +
         "_sparsity_out(long long int i) {\n  static const int shape[] = {" + list(outputs) +
         "};\n  return i < 0 || i >= " + out + " ? 0 : @_shapes[shape[i]];\n}\nint " + name +
         "_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w) {\n  if (sz_arg) "
         "*sz_arg = " +
         in + ";\n  if (sz_res) *sz_res = " + out + ";\n  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = " + numbers +
         ";\n  return 0;\n}\n";
}

std::string declarations() {
  std::string text;
  for (const std::string before : {"jac", "adj1", "jac_adj1"}) {
    const std::string name = before + "_@";
    text += "int " + name + "(const double **arg, double **res, long long int *iw, double *w, int mem);\nlong long int " +
            name + "_n_in(void);\nlong long int " + name + "_n_out(void);\nconst long long int *" + name +
            "_sparsity_in(long long int i);\nconst long long int *" + name + "_sparsity_out(long long int i);\nint " + name +
            "_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w);\n";
  }
  return text;
}

}  // namespace sparsedyn::casadi_text
