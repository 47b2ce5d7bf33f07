#include "codegen/tracking/track_text.hpp"

namespace sparsedyn {

const char* track_filter_text() {
  return R"c(
/* Three rows at a time of matrices of n columns: `to` += M from. */
static void @_add_rows(const double *M, const double *from, double *to, int n) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      for (int c = 0; c < n; ++c) to[i * n + c] += M[3 * i + k] * from[k * n + c];
}
static void @_add_scaled(double s, const double *from, double *to, int n) {
  for (int c = 0; c < n; ++c) to[c] += s * from[c];
}

/* A row of the base's errors: mean and covariance move; returns the innovation's square beside its variance. */
static double @_take(double *S, double *mean, int count, const int *index, const double *value, double z, double noise) {
  double *const P = S + @_COV, column[@_ERRORS], innovation = z, variance = noise;
  for (int i = 0; i < @_ERRORS; ++i) column[i] = 0;
  for (int k = 0; k < count; ++k) {
    @_add_scaled(value[k], P + index[k] * @_ERRORS, column, @_ERRORS);
    innovation -= value[k] * mean[index[k]];
  }
  for (int k = 0; k < count; ++k) variance += value[k] * column[index[k]];
  for (int i = 0; i < @_ERRORS; ++i) {
    const double gain = column[i] / variance;
    @_add_scaled(-gain, column, P + i * @_ERRORS, @_ERRORS);
    mean[i] += gain * innovation;
  }
  return innovation * innovation / variance;
}

/* A joint: q, dq, and their variances qq, qv, vv. */
static void @_predict_joint(double *x, double dt) {
  const double v = dt * @_PRIOR, p = @_THETA * dt * v, inside = @_THETA_INSIDE * dt * v;
  x[0] += dt * x[1];
  x[2] += 2 * dt * x[3] + dt * dt * x[4] + p * p + inside * inside;
  x[3] += dt * x[4] + p * v;
  x[4] += v * v;
}
static void @_read_joint(double *x, double reading, double sigma, int velocity) {
  const double s = fmax(sigma, 1e-9), r = s * s, own = velocity ? x[4] : x[2], variance = own + r;
  const double innovation = reading - x[velocity], along = x[3] / variance, k = own / variance;
  x[velocity] += k * innovation, x[1 - velocity] += along * innovation;
  if (velocity)
    x[2] -= along * x[3], x[4] *= r / variance;
  else
    x[4] -= along * x[3], x[2] *= r / variance;
  x[3] *= r / variance;
}
/* Whether a reading that is far off is passed over. */
static int @_passes_over_far(double *doubt, int far, double dt) {
  const int stays = far && doubt[0] > 0;
  doubt[0] = far ? doubt[0] + dt : 0;
  doubt[1] = far && (doubt[1] > 0 || (stays && doubt[0] > @_LONGEST_SPIKE)) ? @_FIRST_DOUBT : fmax(0, doubt[1] - dt);
  return far && doubt[1] <= 0;
}
/* Beyond a hundred deviations of the state x before this row's. */
static int @_passes_over(double *doubt, const double *x, double reading, double sigma, int velocity, double dt) {
  const double innovation = reading - x[velocity], own = velocity ? x[4] : x[2];
  return @_passes_over_far(doubt, innovation * innovation > @_SPIKE * (own + sigma * sigma), dt);
}
/* over: by joint, whether its encoder's reading was passed over; sum, rows: of the innovations that count. */
static void @_move_joints(double *S, const double *y, double dt, int *over, double *sum, int *rows) {
  double before[5];
  for (int j = 0; j < @_JOINTS; ++j) {
    over[j] = 0;
    if (dt > 0) @_predict_joint(S + @_JOINT + 5 * j, dt);
  }
  for (int k = 0; k < @_JOINT_READINGS; ++k) {
    const int j = @_READING_JOINT[k], first = k == 0 || @_READING_JOINT[k - 1] != j;
    const double reading = y[@_READING_INPUT[k]], sigma = @_READING_SIGMA[k];
    double *const x = S + @_JOINT + 5 * j;
    for (int i = 0; i < 5 && first; ++i) before[i] = x[i];
    if (!(fabs(reading) <= @_MOST_POSITION)) continue;
    if (@_passes_over(S + @_DOUBT + 2 * k, before, reading, sigma, @_READING_VELOCITY[k], dt)) {
      over[j] = over[j] || @_READING_INPUT[k] == @_POSITION_INPUT[j];
      *sum += @_SPIKE, ++*rows;
    } else {
      @_read_joint(x, reading, sigma, @_READING_VELOCITY[k]);
    }
  }
}

/* The angular velocity at the end from its mean over the interval, of variance r an axis. */
static void @_take_rate(double *S, const double *mean, double r, double dt) {
  const double q = @_RATE_CHANGE * dt * @_RATE_CHANGE * dt, v = S[@_RATE_VARIANCE];
  const double s = v + @_THETA * @_THETA * q + r, k = (v + @_THETA * q) / s;
  for (int i = 0; i < 3; ++i) S[@_RATE + i] += k * (mean[i] - S[@_RATE + i]);
  S[@_RATE_VARIANCE] = (v * q * (1 - @_THETA) * (1 - @_THETA) + (v + q) * r) / s;
}

/* The readings of an interval, and what stands in where there are none. */
typedef struct {
  double dt, turn[3], push[3], turn_variance[3], push_variance[3];
  int turn_read, push_read;
} @_reading;

static int @_read_triad(int first, const double *y, double most, double *reading) {
  for (int k = 0; k < 3; ++k) {
    if (first < 0 || !(fabs(y[first + k]) <= most)) return 0;
    reading[k] = y[first + k];
  }
  return 1;
}
/* Whether a sensor reads zeros on all axes where the last reading that counted (dropped[2], its largest axis) was none: no reading. */
static int @_is_dropped(double *dropped, int first, const double *variance, const double *y, double dt, double *sum, int *rows) {
  double size = 0;
  int zeros = 0;
  for (int k = 0; k < 3; ++k) {
    const double x = first < 0 ? NAN : y[first + k];
    if (x - x != 0) return 0;
    zeros += x == 0, size = fmax(size, x * x / variance[k]);
  }
  if (@_passes_over_far(dropped, zeros == 3 && dropped[2] > @_NO_ZERO, dt)) {
    *sum += @_SPIKE, ++*rows;
    return 1;
  }
  dropped[2] = size;
  return 0;
}
/* An accelerometer's reading that leaps from the last one that counted (leap[2] on) may be off by as much as it does. */
static void @_judge_push(double *leap, @_reading *r, double *sum, int *rows) {
  const double *const v = @_ACC_VARIANCE;
  const double beside = @_PUSH_CHANGE * @_PUSH_CHANGE + 2 * fmax(fmax(v[0], v[1]), v[2]);
  double change[3];
  for (int k = 0; k < 3; ++k) change[k] = r->push[k] - leap[2 + k];
  const double square = @_dot(change, change);
  if (!@_passes_over_far(leap, square > @_MOST_CHANGE * @_MOST_CHANGE * beside, r->dt)) {
    for (int k = 0; k < 3; ++k) leap[2 + k] = r->push[k];
    return;
  }
  for (int k = 0; k < 3; ++k) r->push_variance[k] += square;
  *sum += square / beside, *rows += 3;
}
static void @_read_imu(double *S, const double *y, double dt, int gap, @_reading *r, double *sum, int *rows) {
  r->dt = dt;
  r->turn_read = !gap && !@_is_dropped(S + @_DROPPED, @_GYRO, @_GYRO_VARIANCE, y, dt, sum, rows) &&
                 @_read_triad(@_GYRO, y, @_MOST_TURN, r->turn);
  r->push_read = !gap && !@_is_dropped(S + @_DROPPED + 3, @_ACC, @_ACC_VARIANCE, y, dt, sum, rows) &&
                 @_read_triad(@_ACC, y, @_MOST_PUSH, r->push);
  for (int k = 0; k < 3; ++k) {
    r->turn_variance[k] = r->turn_read ? @_GYRO_VARIANCE[k] : @_FREE_TURN * @_FREE_TURN;
    r->push_variance[k] = r->push_read ? @_ACC_VARIANCE[k] : @_FREE_PUSH * @_FREE_PUSH;
    if (!r->turn_read) r->turn[k] = gap ? 0 : S[@_RATE + k];
  }
  if (r->push_read) {
    @_judge_push(S + @_LEAP, r, sum, rows);
    return;
  }
  @_apply_transposed(S + @_R, @_GRAVITY, r->push);
  for (int k = 0; k < 3; ++k) r->push[k] = -r->push[k];
}
static void @_turn_rate(const double *S, const @_reading *r, double *w) {
  double x[3];
  for (int k = 0; k < 3; ++k) x[k] = r->turn[k] - S[@_BG + k], w[k] = r->turn[k];
  if (r->turn_read) @_apply(@_GYRO_R, x, w);
}
/* A mean rate that leaps from the last one counts less by as much as it does. sum, rows: of the innovations that count. */
static void @_judge_turn(const double *S, @_reading *r, double *sum, int *rows) {
  const double *const v = @_GYRO_VARIANCE, q = @_THETA * @_RATE_CHANGE * r->dt;
  double w[3];
  if (!r->turn_read) return;
  @_turn_rate(S, r, w);
  for (int k = 0; k < 3; ++k) w[k] -= S[@_RATE + k];
  const double s = S[@_RATE_VARIANCE] + q * q + fmax(fmax(v[0], v[1]), v[2]), by = sqrt(@_dot(w, w)) - @_MOST_CHANGE * sqrt(s);
  if (!(by > 0)) return;
  for (int k = 0; k < 3; ++k) r->turn_variance[k] += by * by;
  *sum += @_dot(w, w) / s, *rows += 3;
}

/* The derivative of a step, by blocks, and the knot after it. */
typedef struct {
  double R[9], v[3], p[3], turn[9], gravity[9], velocity[9], push[9], place[9], foothold[@_POINTS > 0 ? @_POINTS : 1][9];
#if @_ROLLING > 0
  double moved[@_POINTS][3], by_turn[@_POINTS][9]; /* of feet that roll */
#endif
} @_motion;

static void @_move(const double *S, const @_reading *r, const double *turned, @_motion *m) {
  (void)turned;
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double dt = r->dt, *const Rg = r->turn_read ? @_GYRO_R : one, *const Ra = r->push_read ? @_ACC_R : one;
  double w[3], x[3], pushed[3], a[3], E[9], J[9], H[9], half[9], A[9], A_half[9], K[9], T[9], arm[3];
  @_turn_rate(S, r, w);
  for (int k = 0; k < 3; ++k) x[k] = r->push[k] - S[@_BA + k], pushed[k] = r->push[k];
  if (r->push_read) @_apply(Ra, x, pushed);
  for (int k = 0; k < 3; ++k) x[k] = 0.5 * dt * w[k];
  @_exponential(x, E, H), @_multiply(S + @_R, E, half), @_apply(half, pushed, a);
  for (int k = 0; k < 3; ++k) x[k] = dt * w[k];
  @_exponential(x, E, J), @_multiply(S + @_R, E, m->R), @_orthonormal(m->R);
  for (int k = 0; k < 3; ++k) {
    m->v[k] = S[@_V + k] + dt * (@_GRAVITY[k] + a[k]);
    m->p[k] = S[@_P + k] + 0.5 * dt * (S[@_V + k] + m->v[k]);
  }
  @_multiply(J, Rg, T), @_multiply(m->R, T, A), @_multiply(H, Rg, T), @_multiply(half, T, A_half);
  for (int k = 0; k < 9; ++k) A[k] *= dt, A_half[k] *= 0.5 * dt, m->turn[k] = -A[k];
  @_hat(@_GRAVITY, m->gravity);
  @_hat(m->v, K), @_multiply(K, A, T), @_hat(a, K), @_multiply(K, A_half, m->velocity), @_multiply(half, Ra, m->push);
  for (int k = 0; k < 9; ++k) m->gravity[k] *= dt, m->velocity[k] = dt * m->velocity[k] - T[k], m->push[k] *= -dt;
  for (int k = 0; k < 3; ++k) arm[k] = 0.5 * dt * m->v[k] - m->p[k];
  @_hat(arm, K), @_multiply(K, A, m->place);
  for (int i = 0; i < @_POINTS; ++i) {
    @_hat(S + @_D + 3 * i, K);
#if @_ROLLING > 0
    if (@_ROLLS[i] >= 0) {
      @_roll(S + @_R, m->R, turned + 9 * @_ROLLS[i], @_RADIUS[i], m->moved[i], m->by_turn[i], T);
      for (int k = 0; k < 3; ++k) x[k] = S[@_D + 3 * i + k] + m->moved[i][k];
      @_hat(x, K);
      for (int k = 0; k < 9; ++k) K[k] += T[k];
    }
#endif
    @_multiply(K, A, m->foothold[i]);
    for (int k = 0; k < 9; ++k) m->foothold[i][k] = -m->foothold[i][k];
  }
}

/* The rows of X (n columns) become those of F X. */
static void @_carry_rows(const @_motion *m, const @_reading *r, double *X, int n) {
  const int bg = r->turn_read ? @_GYRO_BIAS : -1, ba = r->push_read ? @_ACC_BIAS : -1;
  double *const v = X + @_E_VELOCITY * n, *const p = X + @_E_PLACE * n;
  for (int i = 0; i < @_POINTS && bg >= 0; ++i) @_add_rows(m->foothold[i], X + bg * n, X + (@_FIRST_POINT + 3 * i) * n, n);
#if @_ROLLING > 0
  for (int i = 0; i < @_POINTS; ++i)
    if (@_ROLLS[i] >= 0) @_add_rows(m->by_turn[i], X + @_E_TURN * n, X + (@_FIRST_POINT + 3 * i) * n, n);
#endif
  @_add_scaled(0.5 * r->dt, v, p, 3 * n);
  if (bg >= 0) @_add_rows(m->place, X + bg * n, p, n);
  @_add_rows(m->gravity, X + @_E_TURN * n, v, n);
  if (bg >= 0) @_add_rows(m->velocity, X + bg * n, v, n);
  if (ba >= 0) @_add_rows(m->push, X + ba * n, v, n);
  @_add_scaled(0.5 * r->dt, v, p, 3 * n);
  if (bg >= 0) @_add_rows(m->turn, X + bg * n, X + @_E_TURN * n, n);
}
static void @_put(double *G, int error, int column, const double *M, double s) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) G[(error + i) * 6 + column + k] += s * M[3 * i + k];
}
/* P becomes F P F' and the interval's noise; foothold: variances by point. */
static void @_carry(double *S, const @_motion *m, const @_reading *r, const double *foothold) {
  double *const P = S + @_COV, G[6 * @_ERRORS], variance[6];
  for (int k = 0; k < 3; ++k) variance[k] = r->turn_variance[k], variance[3 + k] = r->push_variance[k];
  for (int side = 0; side < 2; ++side) {
    @_carry_rows(m, r, P, @_ERRORS);
    for (int i = 0; i < @_ERRORS; ++i)
      for (int k = 0; k < i; ++k) {
        const double x = P[i * @_ERRORS + k];
        P[i * @_ERRORS + k] = P[k * @_ERRORS + i], P[k * @_ERRORS + i] = x;
      }
  }
  for (int i = 0; i < 6 * @_ERRORS; ++i) G[i] = 0;
  @_put(G, @_E_TURN, 0, m->turn, 1), @_put(G, @_E_VELOCITY, 0, m->velocity, 1), @_put(G, @_E_PLACE, 0, m->place, 1);
  @_put(G, @_E_PLACE, 0, m->velocity, 0.5 * r->dt), @_put(G, @_E_VELOCITY, 3, m->push, 1);
  @_put(G, @_E_PLACE, 3, m->push, 0.5 * r->dt);
  for (int i = 0; i < @_POINTS; ++i) @_put(G, @_FIRST_POINT + 3 * i, 0, m->foothold[i], 1);
  for (int i = 0; i < @_ERRORS; ++i)
    for (int j = 0; j < @_ERRORS; ++j)
      for (int k = 0; k < 6; ++k) P[i * @_ERRORS + j] += G[6 * i + k] * variance[k] * G[6 * j + k];
  for (int k = 0; k < 3; ++k) {
    P[(@_E_PLACE + k) * (@_ERRORS + 1)] += @_PLACE_INSIDE * @_PLACE_INSIDE;
    if (@_GYRO_BIAS >= 0) P[(@_GYRO_BIAS + k) * (@_ERRORS + 1)] += @_GYRO_WALK * @_GYRO_WALK * r->dt;
    if (@_ACC_BIAS >= 0) P[(@_ACC_BIAS + k) * (@_ERRORS + 1)] += @_ACC_WALK * @_ACC_WALK * r->dt;
    for (int i = 0; i < @_POINTS; ++i) P[(@_FIRST_POINT + 3 * i + k) * (@_ERRORS + 1)] += foothold[i];
  }
}
)c";
}

}  // namespace sparsedyn
