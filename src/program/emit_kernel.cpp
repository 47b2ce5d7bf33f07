#include "emit_kernel.hpp"

namespace sparsedyn {
namespace {

const char* const kDeclarations = R"(#ifndef @_H
#define @_H
#ifdef __cplusplus
extern "C" {
#endif

int @(const double **arg, double **res, long long int *iw, double *w, int mem);
long long int @_n_in(void);
long long int @_n_out(void);
const char *@_name_in(long long int i);
const char *@_name_out(long long int i);
const long long int *@_sparsity_in(long long int i);
const long long int *@_sparsity_out(long long int i);
int @_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w);
/* n samples, structure of arrays: element e of sample s at arg[k][e * n + s]; results must not overlap inputs */
void @_batch(const double *const *arg, double *const *res, long n);

#ifdef __cplusplus
}
#endif
#endif
)";

// Coefficients: minimax polynomials by the exchange algorithm of Remez (1934) on |r| <= 0.7855.
const char* const kKernel = R"(
#ifdef @_KERNEL /* for @.c alone: sines and cosines, all at once */
#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__FAST_MATH__)
#define @_VECTORS 1
#ifndef @_LANES
#if defined(__AVX512F__)
#define @_LANES 8
#elif defined(__AVX__)
#define @_LANES 4
#else
#define @_LANES 2
#endif
#endif
typedef double @_real __attribute__((vector_size(8 * @_LANES)));
typedef double @_loose __attribute__((vector_size(8 * @_LANES), aligned(8), may_alias));
typedef long long @_whole __attribute__((vector_size(8 * @_LANES)));

/* x = k pi/2 + r with |r| <= pi/4. pi/2 is split into 33 + 33 + 53 bits (Cody and Waite, 1980), so that k times the first
   two parts is exact for |k| < 2^20. Adding 1.5 * 2^52 leaves k in the last bits. Errors: below 2 ulp for |x| <= 1e5. */
static inline __attribute__((always_inline)) void @_turn(const @_real *angle, @_real *sine, @_real *cosine) {
  const @_real shifted = *angle * 0.6366197723675814 + 6755399441055744.0;
  const @_real k = shifted - 6755399441055744.0;
  const @_real r = ((*angle - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21;
  const @_real z = r * r;
  const @_real p = -0.16666666666666632 +
                   z * (0.008333333333322411 +
                        z * (-0.00019841269829805235 +
                             z * (2.7557313690971533e-06 + z * (-2.5050757959501147e-08 + z * 1.5896786225833534e-10))));
  const @_real u = 0.0416666666666666 +
                   z * (-0.001388888888887412 +
                        z * (2.4801587289479365e-05 +
                             z * (-2.755731435147151e-07 + z * (2.087572315047823e-09 + z * -1.1359641179471026e-11))));
  const @_real s = r + r * z * p, c = 1.0 + (z * z * u - 0.5 * z);
  const @_whole turns = (@_whole)shifted, odd = -(turns & 1);
  const @_whole sine_bits = (odd & (@_whole)c) | (~odd & (@_whole)s), cosine_bits = (odd & (@_whole)s) | (~odd & (@_whole)c);
  const @_whole sign = (@_whole)(@_real){0} - 0x7fffffffffffffff - 1;
  *sine = (@_real)(sine_bits ^ ((turns << 62) & sign));
  *cosine = (@_real)(cosine_bits ^ (((turns + 1) << 62) & sign));
}

/* the sign bit stays clear while |angle| <= 1e5 (0x40f86a0000000000, as bits) */
static inline __attribute__((always_inline)) @_whole @_beyond(@_real angle) {
  return 0x40f86a0000000000 - ((@_whole)angle & 0x7fffffffffffffff);
}
static inline __attribute__((always_inline)) int @_any_negative(@_whole x) {
  long long any = 0;
  for (int j = 0; j < @_LANES; ++j) any |= x[j];
  return any < 0;
}

/* n, the room in each array, is a multiple of 8; 0 if an angle is too large */
static inline int @_sincos(const double *angle, double *sine, double *cosine, long n) {
  @_whole outside = {0};
  for (long i = 0; i < n; i += @_LANES) {
    @_real x, s, c;
    memcpy(&x, angle + i, sizeof x);
    @_turn(&x, &s, &c);
    memcpy(sine + i, &s, sizeof s);
    memcpy(cosine + i, &c, sizeof c);
    outside |= @_beyond(x);
  }
  return !@_any_negative(outside);
}

#define @_EACH(function)                                                          \
  static __attribute__((unused)) inline @_real @_lanes_##function(@_real x) {     \
    for (int j = 0; j < @_LANES; ++j) x[j] = function(x[j]);                      \
    return x;                                                                     \
  }
@_EACH(sqrt)
@_EACH(sin)
@_EACH(cos)

#else
static inline int @_sincos(const double *angle, double *sine, double *cosine, long n) {
  for (long i = 0; i < n; ++i) {
    sine[i] = sin(angle[i]);
    cosine[i] = cos(angle[i]);
  }
  return 1;
}
#endif
#endif
)";

}  // namespace

std::string named(std::string text, const std::string& name) {
  std::string out;
  out.reserve(text.size() * 2);
  for (char c : text) {
    if (c == '@')
      out += name;
    else
      out += c;
  }
  return out;
}

std::string emit_header(const std::string& name, const std::string& description) {
  return "/* " + description + " */\n" + named(std::string(kDeclarations) + kKernel, name);
}

}  // namespace sparsedyn
