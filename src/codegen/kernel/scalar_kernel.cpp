#include "scalar_kernel.hpp"

namespace sparsedyn {
namespace {

// The steps of the vectors' kernels (emit_kernel.cpp, single_kernel.cpp), with their coefficients and errors.
const char* const in_doubles = R"(
static inline int @_sincos(const double *angle, double *sine, double *cosine, long n) {
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0 /* no rounding that the steps below stand on */
  for (long i = 0; i < n; ++i) sine[i] = sin(angle[i]), cosine[i] = cos(angle[i]);
  return 1;
#else
  double far = 0;
  for (long i = 0; i < n; ++i) {
    const double x = angle[i], shifted = x * 0.6366197723675814 + 6755399441055744.0, k = shifted - 6755399441055744.0;
    const double r = (x - k * 1.5707963267341256) - k * 6.077100506506192e-11, z = r * r;
    const double p = -0.16666666666666632 + z * (0.00833333333332241 + z * (-0.00019841269829805116 + z * (2.7557313690943047e-06 +
                     z * (-2.5050757956596704e-08 + z * 1.5896786127882296e-10))));
    const double u = -0.4999999999999948 + z * (0.041666666666503004 + z * (-0.0013888888871709949 + z * (2.480157901017088e-05 +
                     z * (-2.7555295336831975e-07 + z * 2.0633527722298288e-09))));
    const double s = r + r * z * p, c = 1.0 + z * u; /* of r, x = k pi/2 + r */
    unsigned long long quarter;
    memcpy(&quarter, &shifted, sizeof quarter);
    const double along = quarter & 1 ? c : s, across = quarter & 1 ? s : c;
    sine[i] = quarter & 2 ? -along : along;
    cosine[i] = (quarter + 1) & 2 ? -across : across;
    far += x * x;
  }
  return far <= 1e10;
#endif
}
)";

const char* const in_floats = R"(
static inline int @_sincos(const float *angle, float *sine, float *cosine, long n) {
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0 /* no rounding that the steps below stand on */
  for (long i = 0; i < n; ++i) sine[i] = sinf(angle[i]), cosine[i] = cosf(angle[i]);
  return 1;
#else
  float far = 0;
  for (long i = 0; i < n; ++i) {
    const float x = angle[i], shifted = x * 0.63661977f + 12582912.0f, k = shifted - 12582912.0f;
    const float r = ((x - k * 0x1.92p0f) - k * 0x1.fb4p-12f) - k * 0x1.4442d2p-24f, z = r * r;
    const float p = -0x1.555546p-3f + z * (0x1.110760p-7f + z * -0x1.994e40p-13f);
    const float u = -0.5f + z * (0x1.55554ap-5f + z * (-0x1.6c0c8ap-10f + z * 0x1.9a01f2p-16f));
    const float s = r + r * z * p, c = 1.0f + z * u; /* of r, x = k pi/2 + r */
    unsigned quarter;
    memcpy(&quarter, &shifted, sizeof quarter);
    const float along = quarter & 1 ? c : s, across = quarter & 1 ? s : c;
    sine[i] = quarter & 2 ? -along : along;
    cosine[i] = (quarter + 1) & 2 ? -across : across;
    far += x * x;
  }
  return far <= 1e8f;
#endif
}
)";

}  // namespace

std::string scalar_kernel(bool single) { return single ? in_floats : in_doubles; }

}  // namespace sparsedyn
