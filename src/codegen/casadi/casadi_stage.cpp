// A, B and T by coordinates are the Jacobian's blocks, g the product with multipliers, and H, with A, B and T, the derivative
// of g. Quaternions may have any norm but zero. CasADi stores matrices column by column.
#include "casadi_stage.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "casadi_interface.hpp"
#include "codegen/kernel/emit_kernel.hpp"
#include "codegen/programs/coordinate_tangent.hpp"
#include "stage_by_coordinates.hpp"

namespace sparsedyn {
namespace casadi_text {
namespace {

const char* const stage_functions = R"(
/* A matrix of r rows by its columns. */
static void @_columns(const double *rows, int r, int c, double *out) {
  if (out)
    for (int i = 0; i < r; ++i)
      for (int k = 0; k < c; ++k) out[k * r + i] = rows[i * c + k];
}

int jac_@(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  @_AT_NORM_ONE(arg);
  double *out[3] = {w, w + @_X * @_X, w + @_X * (@_X + @_U)};
  (void)iw, (void)mem;
  if (@_first(in, out, 0, 0, 0)) return 1;
  @_columns(out[0], @_X, @_X, res[0]), @_columns(out[1], @_X, @_U, res[1]), @_columns(out[2], @_X, 1, res[2]);
  for (int c = 0; res[0] && c < @_X; ++c)
    for (int r = 0; r < @_X; ++r) res[0][c * @_X + r] *= @_PER(c);
  return 0;
}

int adj1_@(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  static const int size[3] = {@_X, @_U, 1};
  @_AT_NORM_ONE(arg);
  const double *with[4] = {in[0], in[1], in[2], arg[4]};
  double *out[1] = {w};
  (void)iw, (void)mem;
  if (@_gradient(with, out, 0, 0, 0)) return 1;
  for (int k = 0; k < 3; w += size[k++])
    if (res[k])
      for (int i = 0; i < size[k]; ++i) res[k][i] = w[i] * (k == 0 ? @_PER(i) : 1);
  return 0;
}

int jac_adj1_@(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  static const int size[3] = {@_X, @_U, 1}, from[3] = {0, @_X, @_X + @_U};
  @_AT_NORM_ONE(arg);
  const double *with[4] = {in[0], in[1], in[2], arg[4]};
  double *J = w, *values = J + @_X * @_Z, *H = values + @_ENTRIES, *by = H + @_Z * @_Z;
  double *out[4] = {J, J + @_X * @_X, J + @_X * (@_X + @_U), values};
  (void)iw, (void)mem;
  if (@_second(with, out, 0, 0, 0)) return 1;
  for (int i = 0; i < @_Z; ++i) by[i] = i < @_X ? @_PER(i) : 1;
  for (int i = 0; i < @_Z * @_Z; ++i) H[i] = 0;
  for (int e = 0; e < @_ENTRIES; ++e) {
    const int i = @_entries[e][0], k = @_entries[e][1];
    H[i * @_Z + k] = H[k * @_Z + i] = values[e] * by[i] * by[k];
  }
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 3; ++y)
      if (res[5 * x + y] && @_occupied[x][y])
        for (int c = 0; c < size[y]; ++c) /* symmetric: its columns are rows */
          for (int r = 0; r < size[x]; ++r) res[5 * x + y][c * size[x] + r] = H[(from[y] + c) * @_Z + from[x] + r];
    if (res[5 * x + 4]) /* the transposed block, column by column, is the block row by row */
      for (int i = 0; i < @_X * size[x]; ++i) res[5 * x + 4][i] = out[x][i] * by[from[x] + i % size[x]];
  }
  return 0;
}
)";

/// Row and column of H.i.k.
std::pair<int, int> place_of(const std::string& element) {
  return {std::stoi(element.substr(2)), std::stoi(element.substr(element.rfind('.') + 1))};
}

/// Where H has entries: the list, and which of the blocks by x, u and dt have some.
struct HessianPattern {
  HessianPattern(const Port& H, const std::vector<int>& sizes) : count(H.elements.size()) {
    const auto part = [&](int k) { return k < sizes[0] ? 0 : k < sizes[0] + sizes[1] ? 1 : 2; };
    for (const std::string& element : H.elements) {
      const auto [i, k] = place_of(element);
      entries += (entries.empty() ? "{" : ", {") + std::to_string(i) + ", " + std::to_string(k) + "}";
      occupied[part(i)][part(k)] = occupied[part(k)][part(i)] = true;
    }
  }
  std::string text() const {
    std::string blocks;
    for (const auto& row : occupied) {
      std::string of_row;
      for (const bool block : row) of_row += (of_row.empty() ? "" : ", ") + std::string(block ? "1" : "0");
      blocks += (blocks.empty() ? "{" : ", {") + of_row + "}";
    }
    return "static const short @_entries[][2] = {" + (entries.empty() ? "{0, 0}" : entries) +
           "};\nstatic const char @_occupied[3][3] = {" + blocks + "};\n";
  }
  std::size_t count;
  std::string entries;
  bool occupied[3][3] = {};
};

}  // namespace
}  // namespace casadi_text

std::string why_no_casadi_stage(const Model& model, const std::string& integrator) {
  if (integrator != "semi-implicit") return "derivatives for CasADi are of semi-implicit steps";
  return model.nv == 0 ? "no joint moves" : "";
}

CasadiDerivatives casadi_stage(const Model& model, const std::string& integrator, const std::string& name,
                               const std::vector<std::string>& forces) {
  if (const std::string why = why_no_casadi_stage(model, integrator); !why.empty()) throw std::invalid_argument(why);
  using namespace casadi_text;
  const auto kernel = [&](const std::vector<std::string>& outputs) {
    return VectorisedProgram{stage_by_coordinates(model, outputs, forces), nullptr};
  };
  const VectorisedProgram first = kernel({"A", "B", "T"}), gradient = kernel({"g"}), second = kernel({"A", "B", "T", "H"});
  const std::vector<Port>& inputs = first.program.inputs();
  const int n = static_cast<int>(inputs[0].elements.size()), u = static_cast<int>(inputs[1].elements.size());
  const std::vector<int> sizes{n, u, 1};
  const HessianPattern pattern(second.program.outputs().back(), sizes);
  Shapes state, with_lambda, gradients, jacobians, adjoint, hessians, all;
  for (const int size : sizes) state.push_back({size, 1, true});
  state.push_back({n, 1, false});  // the result, which is not read
  with_lambda = state, with_lambda.push_back({n, 1, true});
  adjoint = with_lambda;
  for (std::size_t x = 0; x < 3; ++x) {
    adjoint.push_back({sizes[x], 1, false});
    gradients.push_back({sizes[x], 1, true});
    jacobians.push_back({n, sizes[x], true});
    for (std::size_t y = 0; y < 3; ++y) hessians.push_back({sizes[x], sizes[y], pattern.occupied[x][y]});
    hessians.push_back({sizes[x], n, false});
    hessians.push_back({sizes[x], n, true});
  }
  for (const Shapes* part : {&adjoint, &gradients, &jacobians, &hessians})
    for (const Shape& shape : *part)
      if (std::find(all.begin(), all.end(), shape) == all.end()) all.push_back(shape);
  const std::string text =
      "\n/* What CasADi differentiates by: exact Jacobians, products with them, and Hessians of these. */\n" +
      declarations({"jac_@", "adj1_@", "jac_adj1_@"}) + "#define @_X " + std::to_string(n) + "\n#define @_Q @_X\n#define @_U " +
      std::to_string(u) + "\n#define @_Z (@_X + @_U + 1)\n" + "#define @_ENTRIES " + std::to_string(pattern.count) + "\n" +
      sparsities(all) + pattern.text() + at_norm_one(model) + stage_functions +
      interface("jac_@", state, jacobians, "@_X * @_Z", all) + interface("adj1_@", with_lambda, gradients, "@_Z", all) +
      interface("jac_adj1_@", adjoint, hessians, "@_X * @_Z + @_ENTRIES + @_Z * @_Z + @_Z", all);
  const std::string own = named(text, name), by_first = within(first, name + "_first"),
                    by_gradient = within(gradient, name + "_gradient"), by_second = within(second, name + "_second");
  const std::string call = "(const double **arg, double **res, casadi_int *iw, double *w, int mem);\n";
  std::string declared = "#include <math.h>\n#ifndef casadi_int\n#define casadi_int long long int\n#endif\n";
  for (const char* const ending : {"_first", "_gradient", "_second"}) declared += "int " + name + ending + call;
  long operations = 0;
  for (const VectorisedProgram* program : {&first, &gradient, &second}) operations += program->program.counts().flops();
  return {by_first + by_gradient + by_second + own, {by_first, by_gradient, by_second, declared + own}, operations};
}

}  // namespace sparsedyn
