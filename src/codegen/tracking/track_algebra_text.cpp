#include "codegen/tracking/track_text.hpp"

namespace sparsedyn {

const char* track_algebra_text() {
  return R"c(
/* Places in the state. */
enum {
  @_STARTED, @_AGAIN, @_GIVEN, @_MOVING, @_FROM_R, @_FROM_D = @_FROM_R + 9, @_FROM_W = @_FROM_D + 3, @_FROM_V = @_FROM_W + 3,
  @_R = @_FROM_V + 3, @_P = @_R + 9, @_V = @_P + 3, @_BG = @_V + 3, @_BA = @_BG + 3, @_D = @_BA + 3, @_RATE = @_D + 3 * @_POINTS,
  @_RATE_VARIANCE = @_RATE + 3, @_TYPICAL, @_NIS, @_STANDS, @_FORCE_ON = @_STANDS + @_CONTACTS,
  @_MISSED = @_FORCE_ON + @_CONTACTS, @_ALL_MISSED = @_MISSED + @_CONTACTS, @_DOUBT,
  @_DROPPED = @_DOUBT + 2 * @_JOINT_READINGS, @_LEAP = @_DROPPED + 6, @_JOINT = @_LEAP + 5, @_LINK = @_JOINT + 5 * @_JOINTS,
  @_COV = @_LINK + 9 * @_ROLLING
};
/* Errors: turn, place, velocity, offsets, footholds. */
enum { @_E_TURN = 0, @_E_PLACE = 3, @_E_VELOCITY = 6 };

static double @_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void @_multiply(const double *A, const double *B, double *C) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) C[3 * i + k] = A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k];
}
static void @_apply(const double *A, const double *x, double *y) {
  for (int i = 0; i < 3; ++i) y[i] = @_dot(A + 3 * i, x);
}
static void @_apply_transposed(const double *A, const double *x, double *y) {
  for (int i = 0; i < 3; ++i) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}
static void @_hat(const double *w, double *W) {
  const double all[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  for (int k = 0; k < 9; ++k) W[k] = all[k];
}
static void @_cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}
static double @_series(double x, double first, int from) {
  double sum = 0, term = first;
  for (int k = 1; k < 9; ++k) sum += term, term *= -x / ((2 * k + from - 1) * (2 * k + from));
  return sum;
}
/* exp [w]x into R, and where J is not 0 its right Jacobian. */
static void @_exponential(const double *w, double *R, double *J) {
  const double x = @_dot(w, w);
  double sinc, versine, rest, W[9], WW[9];
  if (x < 0.04) {
    sinc = @_series(x, 1, 1), versine = @_series(x, 0.5, 2), rest = @_series(x, 1.0 / 6, 3);
  } else {
    const double angle = sqrt(x), h = sin(0.5 * angle), s = 2 * h * cos(0.5 * angle);
    sinc = s / angle, versine = 2 * h * h / x, rest = (angle - s) / (x * angle);
  }
  @_hat(w, W), @_multiply(W, W, WW);
  for (int k = 0; k < 9; ++k) {
    R[k] = (k % 4 == 0) + sinc * W[k] + versine * WW[k];
    if (J) J[k] = (k % 4 == 0) - versine * W[k] + rest * WW[k];
  }
}
/* The rotation next to R. */
static void @_orthonormal(double *R) {
  double u[4];
  @_quaternion(R, u);
  const double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
  for (int k = 0; k < 4; ++k) u[k] /= length;
  const double x = u[0], y = u[1], z = u[2], w = u[3];
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}
/* The shortest rotation that takes z to a, a unit vector. */
static void @_shortest(const double *a, double *R) {
  const double x = a[0], y = a[1], z = a[2];
  double c = x, s = y, k = 1 / (1 + z);
  R[2] = x, R[5] = y, R[6] = -x, R[7] = -y, R[8] = z;
  if (z < 0) {
    const double largest = fmax(fabs(x), fabs(y));
    if (largest == 0) {
      R[0] = 1, R[4] = -1, R[1] = R[3] = 0;
      return;
    }
    c = x / largest, s = y / largest, k = (1 - z) / (c * c + s * s);
  }
  R[0] = 1 - k * c * c, R[1] = R[3] = -k * c * s, R[4] = 1 - k * s * s;
}
)c";
}

}  // namespace sparsedyn
