#include "codegen/tracking/track_text.hpp"

namespace sparsedyn {

const char* track_start_text() {
  return R"c(
/* Encoders as read, gaps and what was passed over as predicted; whether each was read. */
static void @_read_encoders(const double *S, const double *y, const int *over, double *q, int *read) {
  for (int j = 0; j < @_JOINTS; ++j) {
    const double reading = @_POSITION_INPUT[j] < 0 ? NAN : y[@_POSITION_INPUT[j]];
    read[j] = fabs(reading) <= @_MOST_POSITION && !over[j], q[j] = read[j] ? reading : S[@_JOINT + 5 * j];
  }
}
static void @_read_flags(double *S, const double *y) {
  for (int c = 0; c < @_CONTACTS; ++c) {
    const double reading = y[@_FLAG[c]];
    double *const on = S + @_FORCE_ON + c;
    if (reading != reading) continue;
    if (@_IS_FORCE[c])
      *on = reading > (*on != 0 ? @_BELOW[c] : @_ABOVE[c]), S[@_STANDS + c] = *on;
    else
      S[@_STANDS + c] = fmin(fmax(reading, 0), 1);
  }
}

/* The errors' mean moves the knot. */
static void @_settle(double *S, double *e) {
  double E[9], J[9], T[9], x[3], moved[3];
  @_exponential(e + @_E_TURN, E, J);
  @_multiply(E, S + @_R, T);
  for (int k = 0; k < 9; ++k) S[@_R + k] = T[k];
  @_orthonormal(S + @_R);
  @_apply(E, S + @_P, x), @_apply_transposed(J, e + @_E_PLACE, moved);
  for (int k = 0; k < 3; ++k) S[@_P + k] = x[k] + moved[k];
  @_apply(E, S + @_V, x), @_apply_transposed(J, e + @_E_VELOCITY, moved);
  for (int k = 0; k < 3; ++k) {
    S[@_V + k] = x[k] + moved[k];
    if (@_GYRO_BIAS >= 0) S[@_BG + k] += e[@_GYRO_BIAS + k];
    if (@_ACC_BIAS >= 0) S[@_BA + k] += e[@_ACC_BIAS + k];
  }
  for (int i = 0; i < @_POINTS; ++i) {
    @_apply(E, S + @_D + 3 * i, x), @_apply_transposed(J, e + @_FIRST_POINT + 3 * i, moved);
    for (int k = 0; k < 3; ++k) S[@_D + 3 * i + k] = x[k] + moved[k];
  }
  for (int k = 0; k < @_ERRORS; ++k) e[k] = 0;
}

/* Rows R'(d - p) = r of a group of points, whitened. counts: by point; sum, rows: of the innovations that count. */
static void @_take_group(double *S, double *mean, int group, const double *point, const double *white, const int *counts,
                         double *sum, int *rows) {
  const int *const points = @_GROUP_POINT + @_GROUP_START[group], size = @_GROUP_START[group + 1] - @_GROUP_START[group];
  double z[3 * @_LARGEST_GROUP];
  for (int p = 0; p < size; ++p) {
    double x[3], seen[3];
    for (int k = 0; k < 3; ++k) x[k] = S[@_D + 3 * points[p] + k] - S[@_P + k];
    @_apply_transposed(S + @_R, x, seen);
    for (int k = 0; k < 3; ++k) z[3 * p + k] = point[3 * points[p] + k] - seen[k];
  }
  const double *row = white;
  for (int i = 0; i < 3 * size; row += ++i) {
    int index[3 * @_LARGEST_GROUP + 3], count = 0;
    double value[3 * @_LARGEST_GROUP + 3], place[3] = {0, 0, 0}, innovation = 0;
    for (int c = 0; c <= i; ++c) innovation += row[c] * z[c];
    for (int p = 0; 3 * p <= i; ++p) {
      double w[3] = {0, 0, 0}, in_world[3];
      for (int k = 0; k < 3 && 3 * p + k <= i; ++k) w[k] = row[3 * p + k];
      @_apply(S + @_R, w, in_world);
      for (int k = 0; k < 3; ++k) {
        place[k] -= in_world[k];
        index[count] = @_FIRST_POINT + 3 * points[p] + k, value[count++] = in_world[k];
      }
    }
    for (int k = 0; k < 3; ++k) index[count] = @_E_PLACE + k, value[count++] = place[k];
    const double square = @_take(S, mean, count, index, value, innovation, 1);
    if (counts[points[i / 3]]) *sum += square, ++*rows;
  }
}

/* P += variance e e'. */
static void @_spread(double *S, double variance, const double *e) {
  for (int i = 0; i < @_ERRORS; ++i)
    if (e[i] != 0) @_add_scaled(variance * e[i], e, S + @_COV + i * @_ERRORS, @_ERRORS);
}
/* The start of the covariance: the base's place, turn and velocity, offsets, and footholds where encoders put them. */
static void @_start_covariance(double *S, const double *d, const double *turn, const double *place, const double *speed,
                               const double *white) {
  double e[@_ERRORS], by_turn[9];
  for (int i = 0; i < @_ERRORS * @_ERRORS; ++i) S[@_COV + i] = 0;
  @_hat(d, by_turn);
  for (int a = 0; a < 3; ++a) {
    for (int i = 0; i < @_ERRORS; ++i) e[i] = 0;
    e[@_E_TURN + a] = 1;
    for (int k = 0; k < 3; ++k) {
      e[@_E_PLACE + k] = by_turn[3 * k + a];
      for (int i = 0; i < @_POINTS; ++i) e[@_FIRST_POINT + 3 * i + k] = by_turn[3 * k + a];
    }
    @_spread(S, turn[a] * turn[a], e);
    for (int i = 0; i < @_ERRORS; ++i) e[i] = 0;
    e[@_E_PLACE + a] = 1;
    for (int i = 0; i < @_POINTS; ++i) e[@_FIRST_POINT + 3 * i + a] = 1;
    @_spread(S, place[a] * place[a], e);
    S[@_COV + (@_E_VELOCITY + a) * (@_ERRORS + 1)] += speed[a] * speed[a];
    if (@_GYRO_BIAS >= 0) S[@_COV + (@_GYRO_BIAS + a) * (@_ERRORS + 1)] = @_GYRO_SIGMA * @_GYRO_SIGMA;
    if (@_ACC_BIAS >= 0) S[@_COV + (@_ACC_BIAS + a) * (@_ERRORS + 1)] = @_ACC_SIGMA * @_ACC_SIGMA;
  }
  for (int g = 0; g < @_GROUPS; ++g) { /* columns of L = 1/W */
    const int *const points = @_GROUP_POINT + @_GROUP_START[g], rows = 3 * (@_GROUP_START[g + 1] - @_GROUP_START[g]);
    for (int c = 0; c < rows; ++c) {
      double L[3 * @_LARGEST_GROUP];
      for (int i = 0; i < rows; ++i) {
        const double *const row = white + i * (i + 1) / 2;
        L[i] = i == c;
        for (int k = c; k < i; ++k) L[i] -= row[k] * L[k];
        L[i] = i < c ? 0 : L[i] / row[i];
      }
      for (int i = 0; i < @_ERRORS; ++i) e[i] = 0;
      for (int p = 0; 3 * p < rows; ++p) @_apply(S + @_R, L + 3 * p, e + @_FIRST_POINT + 3 * points[p]);
      @_spread(S, 1, e);
    }
    white += rows * (rows + 1) / 2;
  }
}

/* The first row. */
static int @_begin(double *S, const double *y) {
  static const double wide[3] = {@_AGAIN_PLACE, @_AGAIN_PLACE, @_AGAIN_PLACE}, fast[3] = {@_AGAIN_SPEED, @_AGAIN_SPEED, @_AGAIN_SPEED},
                      turned_again[3] = {@_AGAIN_TURN, @_AGAIN_TURN, @_AGAIN_TURN};
  double q[@_JOINTS > 0 ? @_JOINTS : 1], point[3 * @_POINTS + 1], variance[@_POINTS + 1], white[@_WHITE + 1], push[3], w[3], x[3], turned[9 * @_ROLLING + 1];
  double sum = 0;
  int read[@_JOINTS > 0 ? @_JOINTS : 1], over[@_JOINTS > 0 ? @_JOINTS : 1], rows = 0;
  for (int j = 0; j < @_JOINTS; ++j)
    if (@_POSITION_INPUT[j] >= 0 && !(fabs(y[@_POSITION_INPUT[j]]) <= @_MOST_POSITION)) return 1;
  for (int j = 0; j < @_JOINTS; ++j) {
    double *const joint = S + @_JOINT + 5 * j;
    over[j] = 0, joint[0] = joint[1] = joint[3] = 0, joint[2] = joint[4] = @_FIRST_OF_JOINT * @_FIRST_OF_JOINT;
  }
  for (int c = 0; c <= @_CONTACTS; ++c) S[@_MISSED + c] = 0;
  for (int k = 0; k < @_JOINT_READINGS; ++k) S[@_DOUBT + 2 * k] = 0, S[@_DOUBT + 2 * k + 1] = @_FIRST_DOUBT;
  for (int k = 0; k < 6; ++k) S[@_DROPPED + k] = 0;
  for (int k = 0; k < 5; ++k) S[@_LEAP + k] = k == 1 ? @_FIRST_DOUBT : 0;
  @_read_encoders(S, y, over, q, read);
  for (int c = 0; c < @_CONTACTS; ++c) if (S[@_AGAIN] == 0) S[@_STANDS + c] = 1, S[@_FORCE_ON + c] = 0;
  @_read_flags(S, y), @_move_joints(S, y, 0, over, &sum, &rows);
  double *const from = S + @_FROM_R;
  if (S[@_GIVEN] == 0) {
    for (int k = 0; k < 9; ++k) from[k] = k % 4 == 0;
    const double g = sqrt(@_dot(@_GRAVITY, @_GRAVITY));
    if (g > 0 && @_read_triad(@_ACC, y, @_MOST_PUSH, push)) {
      double in_tracked[3], up[3], A[9], B[9];
      @_apply(@_ACC_R, push, in_tracked), @_apply_transposed(@_BASE_R, in_tracked, w);
      const double size = sqrt(@_dot(w, w));
      for (int k = 0; k < 3; ++k) up[k] = -@_GRAVITY[k] / g, w[k] /= size;
      if (size > 0) {
        @_shortest(up, A), @_shortest(w, B);
        for (int i = 0; i < 3; ++i)
          for (int k = 0; k < 3; ++k) from[3 * i + k] = @_dot(A + 3 * i, B + 3 * k);
      }
    }
  }
  /* the tracked frame: R = R_b B', p = d_b - R b; the root link's velocity there */
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) S[@_R + 3 * i + k] = @_dot(from + 3 * i, @_BASE_R + 3 * k);
  @_apply(S + @_R, @_BASE_D, x);
  for (int k = 0; k < 3; ++k) S[@_P + k] = S[@_FROM_D + k] - x[k];
  @_place_feet(S, q, point, variance, white, turned);
  double arm[3], moving[3];
  @_apply_transposed(@_BASE_R, @_BASE_D, arm);
  for (int k = 0; k < 3; ++k) arm[k] = -arm[k];
  @_cross(S + @_FROM_W, arm, moving);
  for (int k = 0; k < 3; ++k) x[k] = S[@_FROM_V + k] + moving[k];
  @_apply(from, x, S + @_V), @_apply(@_BASE_R, S + @_FROM_W, S + @_RATE);
  S[@_RATE_VARIANCE] = 1;
  for (int k = 0; k < 3; ++k) S[@_BG + k] = S[@_BA + k] = 0;
  double turn[3], speed[3];
  const double g = sqrt(@_dot(@_GRAVITY, @_GRAVITY));
  const double tilt = S[@_GIVEN] != 0 ? @_FIRST_TILT_GIVEN : @_ACC >= 0 && g > 0 ? @_START_PUSH / g : @_FIRST_TILT;
  for (int k = 0; k < 3; ++k) {
    turn[k] = @_START_TURN[k] >= 0 ? @_START_TURN[k] : k < 2 ? tilt : 0;
    speed[k] = @_START_SPEED[k] >= 0 ? @_START_SPEED[k] : S[@_MOVING] != 0 ? @_FIRST_SPEED_GIVEN : @_FIRST_SPEED;
  }
  const int again = S[@_AGAIN] != 0;
  @_start_covariance(S, S + @_FROM_D, again ? turned_again : turn, again ? wide : @_START_PLACE, again ? fast : speed, white);
  for (int i = 0; i < @_POINTS; ++i) {
    @_apply(S + @_R, point + 3 * i, x);
    for (int k = 0; k < 3; ++k) S[@_D + 3 * i + k] = S[@_P + k] + x[k];
  }
  S[@_STARTED] = 1, S[@_TYPICAL] = 0, S[@_NIS] = NAN;
  return 0;
}

)c";
}

}  // namespace sparsedyn
