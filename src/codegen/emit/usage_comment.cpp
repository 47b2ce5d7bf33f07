#include "usage_comment.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "codegen/kernel/emit_kernel.hpp"

namespace sparsedyn {
namespace {

constexpr std::size_t most_names = 40, widest_line = 110;

std::string unit_of(const std::string& port) {
  static const std::map<std::string, std::string> units{
      {"q", "rad, m; quaternions x y z w of norm 1"},
      {"dq", "rad/s, m/s"},
      {"x", "q (rad, m; quaternions x y z w of norm 1), then dq (rad/s, m/s)"},
      {"x_next", "q (rad, m; quaternions x y z w of norm 1), then dq (rad/s, m/s)"},
      {"u", "N m, N"},
      {"dt", "s"},
      {"ddq", "rad/s^2, m/s^2"},
      {"tau", "N m, N"},
      {"fx", "N m, N"},
      {"f", "N m, N"},
      {"M", "kg m^2, kg m, kg"},
      {"pose", "m; rotation without unit"},
      {"vel", "rad/s, m/s"},
      {"acc", "rad/s^2, m/s^2"},
      {"force", "N, N m"},
      {"gap", "m"},
      {"energy", "J"}};
  const auto found = units.find(port);
  return found == units.end() ? "SI units" : found->second;
}

/// `KIND.2.3`: {2, 3}; nothing for other names.
std::vector<int> indices(const std::string& name) {
  std::vector<int> found;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const std::string part = name.substr(dot + 1, name.find('.', dot + 1) - dot - 1);
    if (part.empty() || part.size() > 6 ||
        !std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); }))
      return {};
    found.push_back(std::stoi(part));
  }
  return found;
}

/// Of a matrix, all of whose entries are there row by row; nothing for others.
std::string matrix_layout(const Port& port) {
  if (port.elements.empty()) return "";
  const std::vector<int> last = indices(port.elements.back());
  if (last.size() != 2) return "";
  const auto columns = static_cast<std::size_t>(last[1]) + 1, rows = static_cast<std::size_t>(last[0]) + 1;
  if (rows * columns != port.elements.size()) return "";
  for (std::size_t e = 0; e < port.elements.size(); ++e)
    if (indices(port.elements[e]) != std::vector<int>{static_cast<int>(e / columns), static_cast<int>(e % columns)}) return "";
  return std::to_string(rows) + " x " + std::to_string(columns) + ", row by row: entry r, c is element r * " +
         std::to_string(columns) + " + c";
}

std::string names_of(const Port& port) {
  std::string text, line = "            ";
  for (std::size_t e = 0; e < std::min(port.elements.size(), most_names); ++e) {
    const std::string name = comment(port.elements[e]);
    if (line.size() + name.size() + 1 > widest_line) {
      text += line + "\n";
      line = "            ";
    }
    line += " " + name;
  }
  return text + line + (port.elements.size() > most_names ? " ..." : "") + "\n";
}

std::string described(const std::vector<Port>& ports, const std::string& list) {
  std::string text;
  for (std::size_t k = 0; k < ports.size(); ++k) {
    const Port& port = ports[k];
    const std::string layout = matrix_layout(port);
    text += "     " + list + "[" + std::to_string(k) + "]  " + port.name + "[" + std::to_string(port.elements.size()) + "], " +
            unit_of(port.name) + (layout.empty() ? ":" : "; " + layout) + "\n" + (layout.empty() ? names_of(port) : "");
  }
  return text;
}

std::string declared(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports)
    text += (text.empty() ? "" : ", ") + port.name + "[" + std::to_string(std::max<std::size_t>(1, port.elements.size())) + "]";
  return text;
}

std::string listed(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports) text += (text.empty() ? "" : ", ") + port.name;
  return text.empty() ? "0" : text;
}

}  // namespace

std::string usage_comment(const Program& program, const std::string& name, const std::string& type) {
  const std::string in = declared(program.inputs()), out = declared(program.outputs());
  return "/* Every element by name: " + name + ".json.\n" + described(program.inputs(), "arg") +
         described(program.outputs(), "res") + "\n     " + type + " " + in + (in.empty() || out.empty() ? "" : ", ") + out +
         ";\n     const " + type + " *arg[] = {" + listed(program.inputs()) + "};\n     " + type + " *res[] = {" +
         listed(program.outputs()) + "};\n     if (" + name +
         "(arg, res, 0, 0, 0)) return 1; // an input is not finite, and nothing was written\n*/\n";
}

}  // namespace sparsedyn
