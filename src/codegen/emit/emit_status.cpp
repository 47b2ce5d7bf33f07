#include "emit_status.hpp"

namespace sparsedyn {
namespace {

/// One line for each port: `before`, its number in brackets, its number of elements, `after`.
std::string each(const std::vector<Port>& ports, const std::string& before, const std::string& after) {
  std::string text;
  for (std::size_t k = 0; k < ports.size(); ++k)
    text += before + "[" + std::to_string(k) + "], " + std::to_string(ports[k].elements.size()) + after;
  return text;
}

}  // namespace

std::string emit_batch_status(const Program& program) {
  return R"(
static void @_mark(const double *x, long elements, long n, int *status) {
  for (long e = 0; x && e < elements; ++e)
    for (long s = 0; s < n; ++s) {
      unsigned long long bits;
      memcpy(&bits, x + e * n + s, sizeof bits);
      status[s] |= (bits & 0x7ff0000000000000u) == 0x7ff0000000000000u;
    }
}

static void @_blank(double *x, long elements, long n, const int *status) {
  for (long e = 0; x && e < elements; ++e)
    for (long s = 0; s < n; ++s)
      if (status[s]) x[e * n + s] = NAN;
}

long @_batch_status(const double *const *arg, double *const *res, long n, int *status) {
  long bad = 0;
  for (long s = 0; s < n; ++s) status[s] = 0;
)" + each(program.inputs(), "  @_mark(arg", ", n, status);\n") +
         "  @_batch(arg, res, n);\n"
         "  for (long s = 0; s < n; ++s) bad += status[s];\n"
         "  if (bad == 0) return 0;\n" +
         each(program.outputs(), "  @_blank(res", ", n, status);\n") + "  return bad;\n}\n";
}

}  // namespace sparsedyn
