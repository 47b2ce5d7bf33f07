#include "emit_manifest.hpp"

#include <algorithm>

#include "codegen/single/single_precision.hpp"
#include "io/number.hpp"
#include "io/printable.hpp"

namespace sparsedyn {
namespace {

std::string list(const std::vector<std::string>& names) {
  std::string out = "[";
  for (std::size_t i = 0; i < names.size(); ++i) out += (i ? ", " : "") + json_quoted(names[i]);
  return out + "]";
}

std::string ports(const std::vector<Port>& all) {
  std::string out = "[";
  for (std::size_t k = 0; k < all.size(); ++k)
    out += std::string(k ? "," : "") + "\n  {\"name\": " + json_quoted(all[k].name) +
           ", \"elements\": " + list(all[k].elements) + "}";
  return out + "\n ]";
}

/// CasADi's sparsity of a dense column of n: rows, columns, column starts, row indices.
std::string dense_column(std::size_t n) {
  std::string out = std::to_string(n) + ", 1, 0, " + std::to_string(n);
  for (std::size_t i = 0; i < n; ++i) out += ", " + std::to_string(i);
  return out;
}

std::string questions(const std::vector<Port>& all, const std::string& way) {
  std::string names, columns, cases;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string number = std::to_string(k);
    names += "    case " + number + ": return \"" + all[k].name + "\";\n";
    columns += "static const casadi_int @_" + way + number + "[] = {" + dense_column(all[k].elements.size()) + "};\n";
    cases += "    case " + number + ": return @_" + way + number + ";\n";
  }
  return "casadi_int @_n_" + way + "(void) { return " + std::to_string(all.size()) + "; }\n\nconst char *@_name_" + way +
         "(casadi_int i) {\n  switch (i) {\n" + names + "    default: return 0;\n  }\n}\n\n" + columns +
         "const casadi_int *@_sparsity_" + way + "(casadi_int i) {\n  switch (i) {\n" + cases +
         "    default: return 0;\n  }\n}\n\n";
}

std::string flops(const std::string& key, const OperationCounts& counts) {
  return ",\n " + json_quoted(key) + ": {\"mul\": " + std::to_string(counts.mul) + ", \"add\": " + std::to_string(counts.add) +
         ", \"div\": " + std::to_string(counts.div) + ", \"sqrt\": " + std::to_string(counts.sqrt) +
         ", \"trig\": " + std::to_string(counts.trig) + "}";
}

}  // namespace

std::string emit_casadi_interface(const Program& program, bool single) {
  const std::string named = "\n" + questions(program.inputs(), "in") + questions(program.outputs(), "out");
  if (single) return named + single_casadi_refusal;
  return named +
         "int @_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w) {\n"
         "  if (sz_arg) *sz_arg = " +
         std::to_string(program.inputs().size()) +
         ";\n"
         "  if (sz_res) *sz_res = " +
         std::to_string(program.outputs().size()) +
         ";\n"
         "  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = 0;\n  return 0;\n}\n";
}

std::string emit_manifest(const Program& program, const std::string& name, const OperationCounts& counts,
                          const OperationCounts* executed, const EmitOptions& options) {
  std::string out = "{\n \"function\": " + json_quoted(name) + ",\n \"description\": " + json_quoted(options.description) +
                    ",\n \"dtype\": " + json_quoted(options.single_precision ? "float32" : "float64") +
                    ",\n \"inputs\": " + ports(program.inputs()) + ",\n \"outputs\": " + ports(program.outputs());
  for (const auto& [key, names] : options.manifest_lists) out += ",\n " + json_quoted(key) + ": " + list(names);
  for (const auto& [port, values] : options.nominal) {
    out += ",\n " + json_quoted(port + "_nominal") + ": [";
    for (std::size_t k = 0; k < values.size(); ++k) out += (k ? ", " : "") + number_text(values[k]);
    out += "]";
  }
  out += flops("flops", counts) + (executed ? flops("flops_in_lanes", *executed) : "") + "\n}\n";
  return out;
}

}  // namespace sparsedyn
