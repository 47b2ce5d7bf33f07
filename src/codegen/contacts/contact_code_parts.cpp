#include "contact_code_parts.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace sparsedyn {
namespace {

int place_among(const std::vector<std::string>& names, const RowBlock& block) {
  return static_cast<int>(std::find(names.begin(), names.end(), block.name) - names.begin());
}

}  // namespace

std::string macro(const std::string& name, const std::string& value) { return "#define @_" + name + " " + value + "\n"; }
std::string macro(const std::string& name, std::size_t value) { return macro(name, std::to_string(value)); }

std::size_t elements_of(const std::vector<Port>& all, const std::string& name) {
  for (const Port& p : all)
    if (p.name == name) return p.elements.size();
  return 0;
}

std::vector<std::string> triangle_names(const std::string& kind, std::size_t size) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t k = 0; k <= i; ++k) names.push_back(kind + "." + std::to_string(i) + "." + std::to_string(k));
  return names;
}

std::size_t longest_input(const Program& program) {
  std::size_t longest = 1;
  for (const Port& p : program.inputs()) longest = std::max(longest, p.elements.size());
  return longest;
}

std::string name_tables(const ContactLayout& layout, const ConstrainedDynamics& reference) {
  const auto of_blocks = [&](const std::string& name, const std::vector<const RowBlock*>& blocks) {
    std::string text = "static const int @_" + name + "[] = {";
    for (const RowBlock* block : blocks) text += std::to_string(place_among(reference.constraint_names(), *block)) + ", ";
    return blocks.empty() ? "" : text + "};\n";
  };
  std::vector<const RowBlock*> rows;
  for (const JointRow& row : layout.joint_rows) rows.push_back(row.block);
  return of_blocks("CONTACT_NAMES", layout.contacts) + of_blocks("JOINT_NAMES", rows);
}

std::vector<int> loop_names(const ContactLayout& layout, const ConstrainedDynamics& reference) {
  std::vector<int> places;
  for (const RowBlock* loop : layout.loops) places.push_back(place_among(reference.constraint_names(), *loop));
  return places;
}

std::string batch_text(const Program& whole, bool lanes) {
  std::string inputs, outputs, arrays, arg, res;
  const bool solver = elements_of(whole.outputs(), "solver") > 0;
  const auto line = [](const Port& port, std::size_t k, const char* vector, const std::string& loop) {
    return "    if (" + std::string(vector) + "[" + std::to_string(k) + "])\n      for (long e = 0; e < " +
           std::to_string(port.elements.size()) + "; ++e) " + loop + ";\n";
  };
  for (std::size_t k = 0; k < whole.inputs().size(); ++k) {
    const Port& port = whole.inputs()[k];
    const std::string name = "in_" + port.name, at = "[" + std::to_string(k) + "]";
    arrays += "  double " + name + "[@_ROOM(" + std::to_string(port.elements.size()) + ")];\n";
    arg += (arg.empty() ? "arg" : ", arg") + at + " ? " + name + " : 0";
    inputs += line(port, k, "arg", name + "[e] = arg" + at + "[e * n + s]");
  }
  for (std::size_t k = 0; k < whole.outputs().size(); ++k) {
    const Port& port = whole.outputs()[k];
    const std::string name = "out_" + port.name, at = "[" + std::to_string(k) + "]";
    arrays += "  double " + name + "[@_ROOM(" + std::to_string(port.elements.size()) + ")];\n";
    res += std::string(res.empty() ? "" : ", ") + "res" + at + " ? " + name + " : 0";  // what is not asked for takes time
    outputs += line(port, k, "res",
                    "res" + at + "[e * n + s] = " + (port.name == "solver" ? "" : "code ? 0.0 / zero : ") + name + "[e]");
  }
  return "\nlong @_batch_status(const double *const *arg, double *const *res, long n, int *status) {\n  long failed = 0;\n" +
         std::string(lanes ? "#if defined(@_VECTORS)\n  for (long s = 0; s < n; s += @_LANES) failed += @_lanes(arg, res, n, "
                             "s, status);\n#else\n"
                           : "") +
         arrays + "  volatile double zero = 0;\n  for (long s = 0; s < n; ++s) {\n" + inputs + "    const double *from[] = {" +
         arg + "};\n    double *to[] = {" + res + "};\n" +
         (solver ? "    out_solver[0] = out_solver[1] = 0, out_solver[2] = -1;\n" : "") +
         "    const int code = @(from, to, 0, 0, 0);\n" + outputs +
         "    if (status) status[s] = code;\n    failed += code != 0;\n  }\n" + (lanes ? "#endif\n" : "") +
         "  return failed;\n}\n\n"
         "void @_batch(const double *const *arg, double *const *res, long n) { (void)@_batch_status(arg, res, n, 0); }\n";
}

void check_function_name(const std::string& name) {
  const auto good = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || !std::all_of(name.begin(), name.end(), good))
    throw std::invalid_argument("'" + name + "' is not a name in C; expected letters, digits and _");
}

}  // namespace sparsedyn
