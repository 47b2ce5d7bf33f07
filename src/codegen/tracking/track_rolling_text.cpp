#include "codegen/tracking/track_text.hpp"

namespace sparsedyn {

const char* track_rolling_text() {
  return R"c(
#if @_ROLLING > 0
/* The shortest w with exp [w]x = R. */
static void @_logarithm(const double *R, double *w) {
  double u[4];
  @_quaternion(R, u);
  const double sine = sqrt(@_dot(u, u)), factor = sine > 1e-9 ? 2 * atan2(sine, u[3]) / sine : 2;
  for (int k = 0; k < 3; ++k) w[k] = factor * u[k];
}
/* A foot that rolls while the tracked frame turns from R to `next` and its link in that frame by `turned`: with f the turn in the
   world and n the vertical its foothold moves by r f x n; by_turn is r [f]x [n]x, by_end -r [n]x / V(f). */
static void @_roll(const double *R, const double *next, const double *turned, double radius, double *moved, double *by_turn,
                   double *by_end) {
  double E[9], T[9], f[3], F[9], FF[9], N[9];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) T[3 * i + k] = @_dot(turned + 3 * i, R + 3 * k);
  @_multiply(next, T, E), @_logarithm(E, f);
  const double x = @_dot(f, f);
  double c = 1.0 / 12 + x * (1.0 / 720 + x * (1.0 / 30240 + x / 1209600));
  if (x >= 0.01) {
    const double angle = sqrt(x), h = sin(0.5 * angle);
    c = (1 - 0.5 * angle * cos(0.5 * angle) / h) / x;
  }
  @_cross(f, @_UP, moved), @_hat(f, F), @_hat(@_UP, N), @_multiply(F, F, FF), @_multiply(F, N, by_turn);
  for (int k = 0; k < 9; ++k) T[k] = (k % 4 == 0) - 0.5 * F[k] + c * FF[k];
  @_multiply(N, T, by_end);
  for (int k = 0; k < 9; ++k) by_turn[k] *= radius, by_end[k] *= -radius;
  for (int k = 0; k < 3; ++k) moved[k] *= radius;
}
#endif
)c";
}

const char* track_feet_text() {
  return R"c(
/* Feet where encoders say; turned: how links of those that roll have turned in the tracked frame since the row before. */
static void @_place_feet(double *S, const double *q, double *point, double *variance, double *white, double *turned) {
#if @_ROLLING > 0
  double up[3], link[9 * @_ROLLING];
  @_apply_transposed(S + @_R, @_UP, up);
  @_feet(q, up, point, variance, white, link);
  for (int p = 0; p < @_ROLLING; ++p) {
    double *const before = S + @_LINK + 9 * p;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) turned[9 * p + 3 * i + k] = @_dot(link + 9 * p + 3 * i, before + 3 * k);
    for (int k = 0; k < 9; ++k) before[k] = link[9 * p + k];
  }
#else
  (void)S, (void)turned;
  @_feet(q, point, variance, white);
#endif
}
)c";
}

}  // namespace sparsedyn
