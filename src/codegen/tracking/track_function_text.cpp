#include "codegen/tracking/track_text.hpp"

namespace sparsedyn {

const char* track_function_text() {
  return R"c(/* What broke the estimate is left behind: the next row starts it anew where it was last sound. */
static void @_start_again(double *S) {
  S[@_STARTED] = 0, S[@_AGAIN] = 1, S[@_GIVEN] = 1, S[@_MOVING] = 0;
  for (int k = 0; k < 3; ++k) S[@_FROM_W + k] = S[@_FROM_V + k] = 0;
}

static int @_sound(const double *S) {
  double sum = 0;
  for (int k = @_R; k < @_RATE; ++k) sum += S[k] * 0;
  for (int k = 0; k < @_ERRORS * @_ERRORS; ++k) sum += S[@_COV + k] * 0;
  for (int i = 0; i < @_ERRORS; ++i)
    if (!(S[@_COV + i * (@_ERRORS + 1)] >= 0)) return 0;
  return sum == 0;
}

/* The root link. */
static void @_place_base(const double *S, double *R, double *d) {
  @_multiply(S + @_R, @_BASE_R, R), @_apply(S + @_R, @_BASE_D, d);
  for (int k = 0; k < 3; ++k) d[k] += S[@_P + k];
}

static void @_remember(double *S) { @_place_base(S, S + @_FROM_R, S + @_FROM_D); }

/* loose: by how much each standing point misses its place beyond what it may; and how long each contact has missed, and all that
   stood: a slip does not last. */
static void @_judge_slips(double *S, const double *before, const @_motion *m, const double *point, const double *variance, double dt,
                          double *loose) {
  int any_stands = 0, all_miss = 1;
  for (int c = 0; c < @_CONTACTS; ++c) {
    const int stands = before[c] * S[@_STANDS + c] > 0.5;
    int misses = 0;
    for (int i = @_CONTACT_POINT[c]; i < @_CONTACT_POINT[c + 1]; ++i) {
      double x[3], seen[3];
      loose[i] = 0;
      if (!@_SLIPS || !stands || !(@_SLIP[c] > 0)) continue;
      for (int k = 0; k < 3; ++k) x[k] = S[@_D + 3 * i + k] - m->p[k];
#if @_ROLLING > 0
      for (int k = 0; k < 3 && @_ROLLS[i] >= 0; ++k) x[k] += m->moved[i][k];
#endif
      @_apply_transposed(m->R, x, seen);
      for (int k = 0; k < 3; ++k) seen[k] -= point[3 * i + k];
      loose[i] = fmax(0, sqrt(@_dot(seen, seen)) - @_SLIP[c] - 2 * sqrt(variance[i]));
      misses = misses || loose[i] > 0;
    }
    S[@_MISSED + c] = stands && misses ? S[@_MISSED + c] + dt : 0;
    any_stands = any_stands || stands, all_miss = all_miss && (misses || !stands);
  }
  if (any_stands) S[@_ALL_MISSED] = all_miss ? S[@_ALL_MISSED] + dt : 0;
}

static int @_step(double *S, const double *y, double dt) {
  if (S[@_STARTED] == 0) {
    if (@_begin(S, y)) return 1;
    @_remember(S);
    return 0;
  }
  if (!(dt > 0) || dt - dt != 0) return 1;
  const int gap = S[@_TYPICAL] > 0 && dt > fmax(0.1, 10 * S[@_TYPICAL]);
  if (gap && dt > 1) {
    @_start_again(S);
    return @_step(S, y, dt);
  }
  if (!gap) S[@_TYPICAL] = S[@_TYPICAL] > 0 ? S[@_TYPICAL] + 0.1 * (dt - S[@_TYPICAL]) : dt;
  double before[@_CONTACTS + 1], q[@_JOINTS > 0 ? @_JOINTS : 1], point[3 * @_POINTS + 1], variance[@_POINTS + 1], white[@_WHITE + 1],
      turned[9 * @_ROLLING + 1], foothold[@_POINTS + 1], loose[@_POINTS + 1], mean[@_ERRORS], sum = 0;
  int read[@_JOINTS > 0 ? @_JOINTS : 1], over[@_JOINTS > 0 ? @_JOINTS : 1], counts[@_POINTS + 1], rows = 0;
  for (int c = 0; c < @_CONTACTS; ++c) before[c] = S[@_STANDS + c];
  @_move_joints(S, y, dt, over, &sum, &rows), @_read_encoders(S, y, over, q, read), @_read_flags(S, y);
  @_reading r;
  @_motion m;
  @_read_imu(S, y, dt, gap, &r, &sum, &rows), @_judge_turn(S, &r, &sum, &rows);
  @_place_feet(S, q, point, variance, white, turned);
  @_move(S, &r, turned, &m);
  if (!gap) @_judge_slips(S, before, &m, point, variance, dt, loose);
  for (int c = 0; c < @_CONTACTS; ++c) {
    const double g = gap ? 0 : before[c] * S[@_STANDS + c], walk = g * @_WALK[c] + (1 - g) * @_SWING_WALK;
    const int may_slip = !gap && S[@_MISSED + c] <= @_LONGEST_SLIP && S[@_ALL_MISSED] <= @_LONGEST_SLIP;
    for (int i = @_CONTACT_POINT[c]; i < @_CONTACT_POINT[c + 1]; ++i) {
      const double by = may_slip ? loose[i] : 0;
      counts[i] = g > 0.5, foothold[i] = walk * walk * dt + by * by;
    }
  }
  @_carry(S, &m, &r, foothold);
  for (int k = 0; k < 9; ++k) S[@_R + k] = m.R[k];
  for (int k = 0; k < 3; ++k) S[@_V + k] = m.v[k], S[@_P + k] = m.p[k];
#if @_ROLLING > 0
  for (int i = 0; i < @_POINTS; ++i)
    for (int k = 0; k < 3 && @_ROLLS[i] >= 0; ++k) S[@_D + 3 * i + k] += m.moved[i][k];
#endif
  for (int k = 0; k < @_ERRORS; ++k) mean[k] = 0;
  const double *w = white;
  for (int g = 0; g < @_GROUPS; ++g) {
    const int size = 3 * (@_GROUP_START[g + 1] - @_GROUP_START[g]);
    int all = 1;
    for (int k = @_GROUP_JOINT_START[g]; k < @_GROUP_JOINT_START[g + 1]; ++k) all = all && read[@_GROUP_JOINT[k]];
    if (all) @_take_group(S, mean, g, point, w, counts, &sum, &rows);
    w += size * (size + 1) / 2;
  }
  const int far = !(@_dot(mean, mean) <= @_LONGEST_STEP * @_LONGEST_STEP);
  @_settle(S, mean);
  if (far || !@_sound(S)) {
    @_start_again(S);
    return 2;
  }
  if (r.turn_read) {
    double rate[3], most = 0;
    @_turn_rate(S, &r, rate);
    for (int k = 0; k < 3; ++k) most = fmax(most, fabs(rate[k] - S[@_RATE + k]) / @_THETA);
    @_take_rate(S, rate, fmax(fmax(r.turn_variance[0], r.turn_variance[1]), r.turn_variance[2]) + @_RATE_INSIDE * most * @_RATE_INSIDE * most, dt);
  } else {
    S[@_RATE_VARIANCE] += @_RATE_CHANGE * dt * @_RATE_CHANGE * dt;
  }
  @_remember(S);
  S[@_NIS] = rows > 0 ? sum / rows : NAN;
  return 0;
}

static void @_write(const double *S, double *x) {
  double R[9], d[3], u[4], turned[3], v[3];
  @_place_base(S, R, d), @_quaternion(R, u);
  for (int k = 0; k < 3; ++k) *x++ = d[k];
  for (int k = 0; k < 4; ++k) *x++ = u[k];
  for (int j = 0; j < @_JOINTS; ++j)
    if (@_POSITION_INPUT[j] >= 0) *x++ = S[@_JOINT + 5 * j];
  @_apply_transposed(@_BASE_R, S + @_RATE, v);
  for (int k = 0; k < 3; ++k) *x++ = v[k];
  @_cross(S + @_RATE, @_BASE_D, turned), @_apply_transposed(@_BASE_R, turned, v), @_apply_transposed(R, S + @_V, turned);
  for (int k = 0; k < 3; ++k) *x++ = v[k] + turned[k];
  for (int j = 0; j < @_JOINTS; ++j)
    if (@_JOINT_MOVES[j]) *x++ = S[@_JOINT + 5 * j + 1];
  for (int k = 0; k < 3 && @_GYRO_BIAS >= 0; ++k) *x++ = S[@_BG + k];
  for (int k = 0; k < 3 && @_ACC_BIAS >= 0; ++k) *x++ = S[@_BA + k];
  for (int k = 0; k < 3 * @_POINTS; ++k) *x++ = S[@_D + k];
  for (int c = 0; c < @_CONTACTS; ++c) *x++ = S[@_STANDS + c];
  *x = S[@_NIS];
}

int @(const double **arg, double **res, long long int *iw, double *w, int mem) {
  static const double zero[@_COV + @_ERRORS * @_ERRORS];
  double own[@_COV + @_ERRORS * @_ERRORS], none[@_INPUTS > 0 ? @_INPUTS : 1];
  const double *const state = arg[0] ? arg[0] : zero;
  double *const S = res[0] ? res[0] : own;
  (void)iw, (void)w, (void)mem;
  for (int k = 0; k < @_INPUTS; ++k) none[k] = NAN;
  for (int k = 0; k < @_COV + @_ERRORS * @_ERRORS; ++k) S[k] = state[k];
  const int code = @_step(S, arg[1] ? arg[1] : none, arg[2] ? *arg[2] : 0);
  if (code == 0 && res[1]) @_write(S, res[1]);
  return code;
}
)c";
}

}  // namespace sparsedyn
