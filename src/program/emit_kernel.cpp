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
/* the same; status[s]: 1 where an input of sample s is not finite (its results are then NaN), else 0; returns how many are 1 */
long @_batch_status(const double *const *arg, double *const *res, long n, int *status);

#ifdef __cplusplus
}
#endif
#endif
)";

// Coefficients: minimax polynomials in z = r² by the exchange algorithm of Remez (1934) on |r| <= 0.7855: of (sin r / r − 1) /
// z, relative error 3.4e-18, and of (cos r − 1) / z, absolute error 5.2e-17. On |r| <= pi/16 of four terms, for which the
// largest error of the result is least, with the table's errors (up to 0.44 ulp) and bounds of all roundings: 1.8 ulp.
const char* const kKernel = R"(
#ifdef @_KERNEL /* for @.c alone: sines and cosines, all at once */
#include <math.h>
#include <string.h>

static inline double @_smaller(double a, double b) { return b < a ? b : a; }

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
#if defined(__clang__) /* which else would halve the vectors of a function that is not handed any */
#define @_WIDE __attribute__((min_vector_width(64 * @_LANES)))
#else
#define @_WIDE
#endif
typedef double @_real __attribute__((vector_size(8 * @_LANES)));
typedef double @_loose __attribute__((vector_size(8 * @_LANES), aligned(8), may_alias));
typedef unsigned long long @_whole __attribute__((vector_size(8 * @_LANES)));
/* A local vector that stays in memory makes the compiler align the frame, and so the vectors that it keeps there. Clang aligns
   no frame for these alone, and half of them, by chance all or none, would lie across two lines of the cache. */
#define @_ALIGNED_FRAME \
  @_real frame;         \
  __asm__ volatile("" : "=m"(frame))

#if defined(__AVX512F__) && @_LANES == 8
static const double @_sines[] = {0, 0.3826834323650898, 0.7071067811865476, 0.9238795325112867, /* of k pi/8 */
                                 1, 0.9238795325112867, 0.7071067811865476, 0.3826834323650898,
                                 0, -0.3826834323650898, -0.7071067811865476, -0.9238795325112867,
                                 -1, -0.9238795325112867, -0.7071067811865476, -0.3826834323650898,
                                 0, 0.3826834323650898, 0.7071067811865476, 0.9238795325112867};

/* The last four bits of each lane of k choose one of 16 numbers: an instruction that no portable C asks for. */
static inline __attribute__((always_inline)) @_real @_chosen(const double *of, @_real k) {
  @_real low, high;
  memcpy(&low, of, sizeof low);
  memcpy(&high, of + 8, sizeof high);
  __asm__("vpermi2pd %[high], %[low], %[k]" : [k] "+v"(k) : [low] "v"(low), [high] "v"(high));
  return k;
}

/* x = k pi/8 + r with |r| <= pi/16, and from s and c, those of k pi/8: sin x = s + (c sin r + s (cos r - 1)), and likewise cos x.
   pi/8 is split into 33 + 53 bits (Cody and Waite, 1980), so that k times the first part is exact for |k| < 2^20 and r is known
   to 2^-88 k. Adding 1.5 * 2^52 leaves k in the last bits. Errors: below 1.8 ulp for |x| <= 100, where c sin r is not rounded
   before s (cos r - 1) is added, which compilers do not promise; 3 ulp for |x| <= 1e5. */
static inline __attribute__((always_inline)) void @_turn(const @_real *angle, @_real *sine, @_real *cosine) {
  const @_real shifted = *angle * 2.5464790894703255 + 6755399441055744.0;
  const @_real k = shifted - 6755399441055744.0;
  const @_real r = (*angle - k * 0.3926990816835314) - k * 1.519275126626548e-11;
  const @_real z = r * r;
  const @_real p = -0.1666666666666849 + z * (0.008333333336394102 + z * (-0.00019841282894672541 + z * 2.756460809763252e-06));
  const @_real u = -0.49999999999993233 + z * (0.04166666665291789 + z * (-0.001388887948557972 + z * 2.4774663232361236e-05));
  const @_real sr = r + r * z * p, less = z * u;
  const @_real s = @_chosen(@_sines, shifted), c = @_chosen(@_sines + 4, shifted);
  @_real ds = s * less, dc = c * less;
  __asm__("vfmadd231pd %[sr], %[c], %[ds]" : [ds] "+v"(ds) : [sr] "v"(sr), [c] "v"(c));
  __asm__("vfnmadd231pd %[sr], %[s], %[dc]" : [dc] "+v"(dc) : [sr] "v"(sr), [s] "v"(s));
  *sine = s + ds;
  *cosine = c + dc;
}

#else
/* From s = sin r and c = cos r those of r + k pi/2: they change places where k is odd, signs come from its second bit. */
static inline __attribute__((always_inline)) void @_quarters(@_whole k, @_real s, @_real c, @_real *sine, @_real *cosine) {
  const @_whole second = k << 62, sign = (@_whole)(@_real){0} + 0x8000000000000000ull;
  const @_whole odd = -(k & 1), change = ((@_whole)s ^ (@_whole)c) & odd;
  *sine = (@_real)((@_whole)s ^ change ^ (second & sign));
  *cosine = (@_real)((@_whole)c ^ change ^ ((second ^ odd) & sign));
}

/* x = k pi/2 + r with |r| <= pi/4. pi/2 is split into 33 + 53 bits (Cody and Waite, 1980), so that k times the first part is
   exact for |k| < 2^20 and r is known to 2^-86 k. Adding 1.5 * 2^52 leaves k in the last bits. Errors: below 2 ulp for
   |x| <= 100, 3 ulp for |x| <= 1e5. */
static inline __attribute__((always_inline)) void @_turn(const @_real *angle, @_real *sine, @_real *cosine) {
  const @_real shifted = *angle * 0.6366197723675814 + 6755399441055744.0;
  const @_real k = shifted - 6755399441055744.0;
  const @_real r = (*angle - k * 1.5707963267341256) - k * 6.077100506506192e-11;
  const @_real z = r * r;
  const @_real p = -0.16666666666666632 +
                   z * (0.00833333333332241 +
                        z * (-0.00019841269829805116 +
                             z * (2.7557313690943047e-06 + z * (-2.5050757956596704e-08 + z * 1.5896786127882296e-10))));
  const @_real u = -0.4999999999999948 +
                   z * (0.041666666666503004 +
                        z * (-0.0013888888871709949 +
                             z * (2.480157901017088e-05 + z * (-2.7555295336831975e-07 + z * 2.0633527722298288e-09))));
  @_quarters((@_whole)shifted, r + r * z * p, 1.0 + z * u, sine, cosine);
}
#endif

/* of sums of squares of angles: whether an angle may exceed 1e5, or is no number */
static inline __attribute__((always_inline)) int @_beyond(@_real squares) {
  int beyond = 0;
  for (int j = 0; j < @_LANES; ++j) beyond |= !(squares[j] <= 1e10);
  return beyond;
}

/* n, the room in each array, is a multiple of 8; 0 if an angle is too large */
static inline int @_sincos(const double *angle, double *sine, double *cosine, long n) {
  @_real squares = {0};
  for (long i = 0; i < n; i += @_LANES) {
    @_real x, s, c;
    memcpy(&x, angle + i, sizeof x);
    @_turn(&x, &s, &c);
    memcpy(sine + i, &s, sizeof s);
    memcpy(cosine + i, &c, sizeof c);
    squares += x * x;
  }
  return !@_beyond(squares);
}

#define @_EACH(function)                                                          \
  static __attribute__((unused)) inline @_real @_lanes_##function(@_real x) {     \
    for (int j = 0; j < @_LANES; ++j) x[j] = function(x[j]);                      \
    return x;                                                                     \
  }
@_EACH(sqrt)
@_EACH(sin)
@_EACH(cos)

static __attribute__((unused)) inline @_real @_lanes_fabs(@_real x) { return (@_real)((@_whole)x & 0x7fffffffffffffffull); }
static __attribute__((unused)) inline @_real @_lanes_smaller(@_real a, @_real b) {
  const @_whole less = (@_whole)(b < a);
  return (@_real)((less & (@_whole)b) | (~less & (@_whole)a));
}

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
