#include "single_precision.hpp"

namespace sparsedyn {

// Coefficients: of (sin r / r − 1) / z, relative error 3.6e-9, and of (cos r − 1 + z / 2) / z², absolute error 1e-10, z = r²,
// |r| <= 0.7855, by least squares whose weights were moved to the largest errors (Lawson 1961), then rounded to floats.
const char* const single_vectors = R"(
#if defined(__GNUC__) && !defined(__FAST_MATH__) && \
  (defined(@_LANES) || defined(__SSE2__) || defined(__ARM_NEON) || defined(__ALTIVEC__) || defined(__wasm_simd128__))
#define @_VECTORS 1
#ifndef @_LANES
#if defined(__AVX512F__)
#define @_LANES 16
#elif defined(__AVX__)
#define @_LANES 8
#else
#define @_LANES 4
#endif
#endif
#if defined(__clang__) /* which else would halve the vectors of a function that is not handed any */
#define @_WIDE __attribute__((min_vector_width(32 * @_LANES)))
#else
#define @_WIDE
#endif
typedef float @_real __attribute__((vector_size(4 * @_LANES)));
typedef float @_loose __attribute__((vector_size(4 * @_LANES), aligned(4), may_alias));
typedef unsigned @_whole __attribute__((vector_size(4 * @_LANES)));
/* A local vector that stays in memory makes the compiler align the frame, and so the vectors that it keeps there. */
#define @_ALIGNED_FRAME \
  @_real frame;         \
  __asm__ volatile("" : "=m"(frame))

/* A sine and a cosine on the way: what steps leave to later ones. */
typedef struct {
  @_real shifted, k, r, z, cube, p, u, s, c;
} @_turning;

/* From s = sin r and c = cos r those of r + k pi/2: they change places where k is odd, signs come from the second bit of k, and
   for the cosine of k + 1. */
static inline __attribute__((always_inline)) @_real @_quarter(@_whole k, @_real s, @_real c, @_whole second) {
  const @_whole change = ((@_whole)s ^ (@_whole)c) & -(k & 1), sign = (@_whole)(@_real){0} + 0x80000000u;
  return (@_real)((@_whole)s ^ change ^ ((second << 30) & sign));
}

/* x = k pi/2 + r with |r| <= pi/4. pi/2 is split into 11 + 11 + 24 bits (Cody and Waite, 1980), so that k times the first two
   parts is exact for |k| < 2^13. Adding 1.5 * 2^23 leaves k in the last bits. Errors: below 1.5 ulp for |x| <= 100, 9e-8 for
   |x| <= 1e4. */
static inline __attribute__((always_inline)) void @_step(int step, const @_real *angle, @_turning *t, @_real *sine,
                                                         @_real *cosine, @_real *far) {
  switch (step) {
    case 0: t->shifted = *angle * 0.63661977f + 12582912.0f; break;
    case 1: t->k = t->shifted - 12582912.0f; break;
    case 2: t->r = *angle - t->k * 0x1.92p0f; break;
    case 3: t->r = (t->r - t->k * 0x1.fb4p-12f) - t->k * 0x1.4442d2p-24f; break;
    case 4: t->z = t->r * t->r; break;
    case 5: t->p = 0x1.110760p-7f + t->z * -0x1.994e40p-13f; break;
    case 6: t->u = -0x1.6c0c8ap-10f + t->z * 0x1.9a01f2p-16f; break;
    case 7: t->cube = t->r * t->z; break;
    case 8: t->p = -0x1.555546p-3f + t->z * t->p; break;
    case 9: t->u = 0x1.55554ap-5f + t->z * t->u; break;
    case 11: t->u = -0.5f + t->z * t->u; break;
    case 12: t->s = t->r + t->cube * t->p; break;
    case 13: t->c = 1.0f + t->z * t->u; break;
    case 20: *sine = @_quarter((@_whole)t->shifted, t->s, t->c, (@_whole)t->shifted); break;
    case 21: *cosine = @_quarter((@_whole)t->shifted, t->c, t->s, (@_whole)t->shifted + 1); break;
    case 22: *far += *angle * *angle;
  }
}

/* of a sum of squares of angles: whether one may exceed 1e4, or is no number */
static inline __attribute__((always_inline)) int @_beyond(@_real far) {
  int beyond = 0;
  for (int j = 0; j < @_LANES; ++j) beyond |= !(far[j] <= 1e8f);
  return beyond;
}

static inline __attribute__((always_inline)) void @_turn(const @_real *angle, @_real *sine, @_real *cosine, @_real *far) {
  @_turning t;
#define @_NEXT(step) @_step(step, angle, &t, sine, cosine, far)
  @_NEXT(0), @_NEXT(1), @_NEXT(2), @_NEXT(3), @_NEXT(4), @_NEXT(5), @_NEXT(6), @_NEXT(7), @_NEXT(8), @_NEXT(9), @_NEXT(11);
  @_NEXT(12), @_NEXT(13), @_NEXT(20), @_NEXT(21), @_NEXT(22);
#undef @_NEXT
}

#define @_EACH(function)                                                          \
  static __attribute__((unused)) inline @_real @_lanes_##function(@_real x) {     \
    for (int j = 0; j < @_LANES; ++j) x[j] = function##f(x[j]);                   \
    return x;                                                                     \
  }
@_EACH(sqrt)
@_EACH(sin)
@_EACH(cos)

static __attribute__((unused)) inline @_real @_lanes_fabs(@_real x) { return (@_real)((@_whole)x & 0x7fffffffu); }
static __attribute__((unused)) inline @_real @_lanes_smaller(@_real a, @_real b) {
  const @_whole less = (@_whole)(b < a);
  return (@_real)((less & (@_whole)b) | (~less & (@_whole)a));
}
#endif
)";

const char* const single_casadi_refusal =
    R"(/* CasADi hands doubles, and these functions take floats: whoever asks for scratch as CasADi does is refused. */
int @_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w) {
  (void)sz_arg, (void)sz_res, (void)sz_iw, (void)sz_w;
  return 1;
}
)";

}  // namespace sparsedyn
