#include "emit_kernel.hpp"

#include <algorithm>
#include <cstring>

#include "codegen/single/single_precision.hpp"
#include "io/number.hpp"
#include "io/printable.hpp"
#include "scalar_kernel.hpp"

namespace sparsedyn {
namespace {

const char* const kDeclarations = R"(#ifndef @_H
#define @_H
/* integers of CasADi's interface; callers that have others compile with -Dcasadi_int=int, this text and their own alike */
#ifndef casadi_int
#define casadi_int long long int
#endif
#ifdef __cplusplus
extern "C" {
#endif

int @(const double **arg, double **res, casadi_int *iw, double *w, int mem);
casadi_int @_n_in(void);
casadi_int @_n_out(void);
const char *@_name_in(casadi_int i);
const char *@_name_out(casadi_int i);
const casadi_int *@_sparsity_in(casadi_int i);
const casadi_int *@_sparsity_out(casadi_int i);
int @_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w);
)";

const char* const kBatchDeclarations =
    R"(/* n samples, structure of arrays: element e of sample s at arg[k][e * n + s]; results must not overlap inputs. As with
   one sample, a null of arg is a vector of zeros and a null of res is not written, but not in lanes, which takes longer. */
void @_batch(const double *const *arg, double *const *res, long n);
/* the same; status[s]: 1 where an input of sample s is not finite (its results are then NaN), else 0; returns how many are 1 */
long @_batch_status(const double *const *arg, double *const *res, long n, int *status);
)";

const char* const kEnd = R"(
#ifdef __cplusplus
}
#endif
#endif
)";

// Coefficients: minimax polynomials in z = r² by the exchange algorithm of Remez (1934) on |r| <= 0.7855: of (sin r / r − 1) /
// z, relative error 3.4e-18, and of (cos r − 1) / z, absolute error 5.2e-17. On |r| <= pi/16 of four terms, for which the
// largest error of the result is least, with the table's errors (up to 0.44 ulp) and bounds of all roundings: 1.8 ulp.
const char* const kVectors = R"(
#if defined(__GNUC__) && !defined(__FAST_MATH__) && \
  (defined(@_LANES) || defined(__SSE2__) || defined(__aarch64__) || defined(__VSX__) || defined(__wasm_simd128__))
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

/* A sine and a cosine on the way: what steps leave to later ones. */
typedef struct {
  @_real shifted, k, r, z, cube, p, u, s, c;
} @_turning;

#if defined(__AVX512F__) && @_LANES == 8
static const double __attribute__((aligned(64))) @_sines[] = {/* of k pi/8 */
  0, 0.3826834323650898, 0.7071067811865476, 0.9238795325112867, 1, 0.9238795325112867, 0.7071067811865476, 0.3826834323650898,
  0, -0.3826834323650898, -0.7071067811865476, -0.9238795325112867,
  -1, -0.9238795325112867, -0.7071067811865476, -0.3826834323650898};
static const double __attribute__((aligned(64))) @_cosines[] = {
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
   to 2^-88 k. In units of 2^-51, to which 8 / pi and both parts are scaled, adding M = 2 + 2^18 units leaves k in the last
   bits of y, and all bits before the last 19 are those of 2.0 just where -2^18 <= k < 2^18 (|x| < 1.029e5). Of these one is set:
   several y joined by "or" show any that is out of range. For if y is larger, negative, infinite or no number, others are set;
   if smaller, some of the exponent's; and y, rounded once, is not 0, since no double is -M / (8 / pi).
   Errors: below 1.8 ulp for |x| <= 100, where c sin r is not rounded before s (cos r - 1) is added, which compilers do not
   promise; 3 ulp for |x| <= 1e5; next to a zero, where r is all that is left, 2^-88 k + 3 ulp. */
static inline __attribute__((always_inline)) void @_step(int step, const @_real *angle, @_turning *t, @_real *sine,
                                                         @_real *cosine, @_real *far) {
  switch (step) {
    case 0:
      t->shifted = (@_real){0} + 0x1.45f306dc9c883p-50;
      __asm__("vfmadd213pd %[m], %[x], %[y]" : [y] "+v"(t->shifted) : [x] "v"(*angle), [m] "v"((@_real){0} + 0x1.000000004p1));
      break;
    case 1: t->k = t->shifted - 0x1.000000004p1; break;
    case 2: t->r = *angle - t->k * 0x1.921fb544p49; break;
    case 3: t->r -= t->k * 0x1.0b4611a626331p15; break;
    case 4: t->z = t->r * t->r; break;
    case 5: t->p = -0.00019841282894672541 + t->z * 2.756460809763252e-06; break;
    case 6: t->u = -0.001388887948557972 + t->z * 2.4774663232361236e-05; break;
    case 7: t->cube = t->r * t->z; break;
    case 8: t->p = 0.008333333336394102 + t->z * t->p; break;
    case 9: t->u = 0.04166666665291789 + t->z * t->u; break;
    case 10: t->p = -0.1666666666666849 + t->z * t->p; break;
    case 11: t->u = -0.49999999999993233 + t->z * t->u; break;
    case 12: t->r += t->cube * t->p; break; /* sin r */
    case 13: t->u *= t->z; break;           /* cos r - 1 */
    case 14: t->s = @_chosen(@_sines, t->shifted); break;
    case 15: t->c = @_chosen(@_cosines, t->shifted); break;
    case 16: *sine = t->s * t->u; break;
    case 17: *cosine = t->c * t->u; break;
    case 18: __asm__("vfmadd231pd %[r], %[c], %[a]" : [a] "+v"(*sine) : [r] "v"(t->r), [c] "v"(t->c)); break;
    case 19: __asm__("vfnmadd231pd %[r], %[s], %[a]" : [a] "+v"(*cosine) : [r] "v"(t->r), [s] "v"(t->s)); break;
    case 20: *sine = t->s + *sine; break;
    case 21: *cosine = t->c + *cosine; break;
    case 22: *far = (@_real)((@_whole)*far | (@_whole)t->shifted);
  }
}

/* whether one of the y that were joined is out of range */
static inline __attribute__((always_inline)) int @_beyond(@_real far) {
  int beyond = 0;
  for (int j = 0; j < @_LANES; ++j) beyond |= (((@_whole)far)[j] & 0xfffffffffff80000ull) != 0x4000000000000000ull;
  return beyond;
}

#else
/* From s = sin r and c = cos r those of r + k pi/2: they change places where k is odd, signs come from the second bit of k, and
   for the cosine of k + 1. */
static inline __attribute__((always_inline)) @_real @_quarter(@_whole k, @_real s, @_real c, @_whole second) {
  const @_whole change = ((@_whole)s ^ (@_whole)c) & -(k & 1), sign = (@_whole)(@_real){0} + 0x8000000000000000ull;
  return (@_real)((@_whole)s ^ change ^ ((second << 62) & sign));
}

/* x = k pi/2 + r with |r| <= pi/4. pi/2 is split into 33 + 53 bits (Cody and Waite, 1980), so that k times the first part is
   exact for |k| < 2^20 and r is known to 2^-86 k. Adding 1.5 * 2^52 leaves k in the last bits. Errors: below 2 ulp for
   |x| <= 100, 3 ulp for |x| <= 1e5; next to a zero, where r is all that is left, 2^-86 k + 3 ulp. */
static inline __attribute__((always_inline)) void @_step(int step, const @_real *angle, @_turning *t, @_real *sine,
                                                         @_real *cosine, @_real *far) {
  switch (step) {
    case 0: t->shifted = *angle * 0.6366197723675814 + 6755399441055744.0; break;
    case 1: t->k = t->shifted - 6755399441055744.0; break;
    case 2: t->r = *angle - t->k * 1.5707963267341256; break;
    case 3: t->r -= t->k * 6.077100506506192e-11; break;
    case 4: t->z = t->r * t->r; break;
    case 5: t->p = -2.5050757956596704e-08 + t->z * 1.5896786127882296e-10; break;
    case 6: t->u = -2.7555295336831975e-07 + t->z * 2.0633527722298288e-09; break;
    case 7: t->cube = t->r * t->z; break;
    case 8: t->p = -0.00019841269829805116 + t->z * (2.7557313690943047e-06 + t->z * t->p); break;
    case 9: t->u = -0.0013888888871709949 + t->z * (2.480157901017088e-05 + t->z * t->u); break;
    case 10: t->p = -0.16666666666666632 + t->z * (0.00833333333332241 + t->z * t->p); break;
    case 11: t->u = -0.4999999999999948 + t->z * (0.041666666666503004 + t->z * t->u); break;
    case 12: t->s = t->r + t->cube * t->p; break;
    case 13: t->c = 1.0 + t->z * t->u; break;
    case 20: *sine = @_quarter((@_whole)t->shifted, t->s, t->c, (@_whole)t->shifted); break;
    case 21: *cosine = @_quarter((@_whole)t->shifted, t->c, t->s, (@_whole)t->shifted + 1); break;
    case 22: *far += *angle * *angle;
  }
}

/* of a sum of squares of angles: whether one may exceed 1e5, or is no number */
static inline __attribute__((always_inline)) int @_beyond(@_real far) {
  int beyond = 0;
  for (int j = 0; j < @_LANES; ++j) beyond |= !(far[j] <= 1e10);
  return beyond;
}

#endif

static inline __attribute__((always_inline)) void @_turn(const @_real *angle, @_real *sine, @_real *cosine, @_real *far) {
  @_turning t;
#define @_NEXT(step) @_step(step, angle, &t, sine, cosine, far)
  @_NEXT(0), @_NEXT(1), @_NEXT(2), @_NEXT(3), @_NEXT(4), @_NEXT(5), @_NEXT(6), @_NEXT(7), @_NEXT(8), @_NEXT(9), @_NEXT(10);
  @_NEXT(11), @_NEXT(12), @_NEXT(13), @_NEXT(14), @_NEXT(15), @_NEXT(16), @_NEXT(17), @_NEXT(18), @_NEXT(19), @_NEXT(20), @_NEXT(21), @_NEXT(22);
#undef @_NEXT
}

/* each array has room for the next multiple of 8; 0 if an angle is too large */
static inline int @_sincos(const double *angle, double *sine, double *cosine, long n) {
  @_real far = {0};
  for (long i = 0; i < n; i += @_LANES) {
    @_real x, s, c;
    memcpy(&x, angle + i, sizeof x);
    @_turn(&x, &s, &c, &far);
    memcpy(sine + i, &s, sizeof s);
    memcpy(cosine + i, &c, sizeof c);
  }
  return !@_beyond(far);
}

#define @_EACH(function)                                                          \
  static __attribute__((unused)) inline @_real @_lanes_##function(@_real x) {     \
    for (int j = 0; j < @_LANES; ++j) x[j] = function(x[j]);                      \
    return x;                                                                     \
  }
#if defined(__x86_64__) && (@_LANES == 2 || (@_LANES == 4 && defined(__AVX__)) || (@_LANES == 8 && defined(__AVX512F__)))
/* in one instruction, where sqrt, which may have to set errno, would be called lane by lane */
static __attribute__((unused)) inline @_real @_lanes_sqrt(@_real x) {
#if defined(__AVX512F__)
  __asm__("vsqrtpd %1, %0" : "=v"(x) : "v"(x));
#elif defined(__AVX__)
  __asm__("vsqrtpd %1, %0" : "=x"(x) : "x"(x));
#else
  __asm__("sqrtpd %1, %0" : "=x"(x) : "x"(x));
#endif
  return x;
}
#else
@_EACH(sqrt)
#endif
@_EACH(sin)
@_EACH(cos)

static __attribute__((unused)) inline @_real @_lanes_fabs(@_real x) { return (@_real)((@_whole)x & 0x7fffffffffffffffull); }
static __attribute__((unused)) inline @_real @_lanes_smaller(@_real a, @_real b) {
  const @_whole less = (@_whole)(b < a);
  return (@_real)((less & (@_whole)b) | (~less & (@_whole)a));
}

#else
)";

/// Everything between NAME_KERNEL and its end: one angle after the other without vectors, and of a float's single call.
std::string kernel(bool single, bool vectors) {
  const std::string begin = R"(
#ifdef @_KERNEL /* for @.c alone: sines and cosines, all at once */
#include <float.h>
#include <math.h>
#include <string.h>

static inline double @_smaller(double a, double b) { return b < a ? b : a; }
)";
  const std::string one_by_one = scalar_kernel(single), end = "#endif\n";
  if (single) return in_single_precision(begin) + (vectors ? single_vectors : "") + one_by_one + end;
  return vectors ? begin + kVectors + one_by_one + end + end : begin + one_by_one + end;
}

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

const std::vector<std::vector<int>>& turn_steps() {
  static const std::vector<std::vector<int>> needs{{},       {0},      {1},          {2},          {3},     {4},  {4}, {4},
                                                   {5},      {6},      {8},          {9},          {7, 10}, {11}, {0}, {0},
                                                   {13, 14}, {13, 15}, {12, 15, 16}, {12, 14, 17}, {18},    {19}, {0}};
  return needs;
}

std::string comment(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || std::strchr("*\\@?", c)) c = ' ';
  text = printable(text);  // a bidirectional control would show code in another order than compilers read
  std::replace(text.begin(), text.end(), '\\', ' ');
  return text;
}

const char* const compiler_macros = R"(#if defined(__GNUC__)
#define @_APART __attribute__((noinline)) /* parts stay apart: that bounds the compiler's time */
#define @_SETTLED(pointer) __asm__("" : "+r"(pointer)) /* given or not: clang would choose again at each element */
#else
#define @_APART
#define @_SETTLED(pointer) ((void)0)
#endif

)";

const char* const finiteness_check = R"(static int @_not_finite(const double *x, long n) {
  int bad = 0;
  for (long i = 0; i < n; ++i) {
    unsigned long long bits;
    memcpy(&bits, x + i, sizeof bits);
    bad |= (bits & 0x7ff0000000000000u) == 0x7ff0000000000000u;
  }
  return bad;
}

)";

/// Values of inputs, for callers that start from them.
std::string nominal_arrays(const std::vector<std::pair<std::string, std::vector<double>>>& nominal) {
  std::string text;
  for (const auto& [port, values] : nominal) {
    text += "/* the robot's own values of " + port + " */\nstatic const double @_" + port + "_nominal[" +
            std::to_string(std::max<std::size_t>(1, values.size())) + "] = {";
    for (std::size_t k = 0; k < values.size(); ++k) text += (k % 8 ? ", " : k ? ",\n  " : "\n  ") + number_text(values[k]);
    text += values.empty() ? "0};\n" : "};\n";
  }
  return text;
}

std::string emit_header(const std::string& name, const std::string& usage, const EmitOptions& options) {
  const bool single = options.single_precision;
  std::string declarations =
      std::string(kDeclarations) + (options.batch ? kBatchDeclarations : "") + nominal_arrays(options.nominal);
  if (single) declarations = in_single_precision(declarations);
  return "/* " + comment(options.description) + " */\n" + usage +
         named(declarations + kEnd + kernel(single, options.vectors), name);
}

}  // namespace sparsedyn
