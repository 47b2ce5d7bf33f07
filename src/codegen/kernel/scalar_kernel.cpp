#include "scalar_kernel.hpp"

#include <utility>

#include "codegen/single/single_precision.hpp"

namespace sparsedyn {
namespace {

// In doubles, and by in_single_precision in floats; what stands between $ is a number's.
const char* const steps = R"(
static inline int @_sincos(const double *angle, double *sine, double *cosine, long n) {
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0 /* no rounding that the steps below stand on */
  for (long i = 0; i < n; ++i) sine[i] = sin(angle[i]), cosine[i] = cos(angle[i]);
  return 1;
#else
  double far = 0;
  for (long i = 0; i < n; ++i) {
    const double x = angle[i], shifted = x * $quarters$ + $shift$, k = shifted - $shift$;
    const double r = $rest$, z = r * r; /* x = k pi/2 + r */
    const double p = $sine$;
    const double u = $cosine$;
    const double s = r + r * z * p, c = 1 + z * u;
    unsigned long long bits;
    memcpy(&bits, &shifted, sizeof bits);
    const double along = bits & 1 ? c : s, across = bits & 1 ? s : c;
    sine[i] = bits & 2 ? -along : along;
    cosine[i] = (bits + 1) & 2 ? -across : across;
    far += x * x;
  }
  return far <= $farthest$;
#endif
}
)";

struct Numbers {
  const char *quarters, *shift, *rest, *sine, *cosine, *farthest;
};

// Coefficients and errors are those of the vectors' kernels (emit_kernel.cpp, single_kernel.cpp).
constexpr Numbers in_doubles{"0.6366197723675814",
                             "6755399441055744.0",
                             "(x - k * 1.5707963267341256) - k * 6.077100506506192e-11",
                             "-0.16666666666666632 + z * (0.00833333333332241 + z * (-0.00019841269829805116 + z * "
                             "(2.7557313690943047e-06 + z * (-2.5050757956596704e-08 + z * 1.5896786127882296e-10))))",
                             "-0.4999999999999948 + z * (0.041666666666503004 + z * (-0.0013888888871709949 + z * "
                             "(2.480157901017088e-05 + z * (-2.7555295336831975e-07 + z * 2.0633527722298288e-09))))",
                             "1e10"};
constexpr Numbers in_floats{"0.63661977f",
                            "12582912.0f",
                            "((x - k * 0x1.92p0f) - k * 0x1.fb4p-12f) - k * 0x1.4442d2p-24f",
                            "-0x1.555546p-3f + z * (0x1.110760p-7f + z * -0x1.994e40p-13f)",
                            "-0.5f + z * (0x1.55554ap-5f + z * (-0x1.6c0c8ap-10f + z * 0x1.9a01f2p-16f))",
                            "1e8f"};

std::string with(std::string text, const Numbers& numbers) {
  const std::pair<const char*, const char*> named[] = {{"$quarters$", numbers.quarters}, {"$shift$", numbers.shift},
                                                       {"$rest$", numbers.rest},         {"$sine$", numbers.sine},
                                                       {"$cosine$", numbers.cosine},     {"$farthest$", numbers.farthest}};
  for (const auto& [name, number] : named)
    for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, std::string(name).size(), number);
  return text;
}

}  // namespace

std::string scalar_kernel(bool single) {
  return single ? with(in_single_precision(steps), in_floats) : with(steps, in_doubles);
}

}  // namespace sparsedyn
