// j = J a − a* of every row is what a Newton step from rest reaches at a: rows begin cold, at j = 0, are led to a, and go
// there.
#include "inverse_text.hpp"

#include "codegen/contacts/contact_text.hpp"

namespace sparsedyn {
namespace {

/// The forces of all rows, for one state and for a state in each lane.
const char* const kForces = R"(
/* f(j) as the force of each row, at the accelerations `moved` of the freedoms and y of the links */
LAW_APART void law_press_all(law_rows *all, const LAW_REAL *moved, const LAW_REAL *y) {
  const LAW_REAL whole = LAW_ALL(1.0);
  law_misses m = {LAW_ALL(0.0), LAW_ALL(0.0), LAW_ALL(-1.0)};
  law_lead(all, moved, y);
  law_go(all, 1, &whole, &m);
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c)
    for (int k = 0; k < @_N(all->touch + c); ++k) all->touch[c].force[k] = all->touch[c].f[k];
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) all->row[r].force = all->row[r].f;
#endif
}

/* w: the wrench of the contacts of each link; dt: the pushes of joint rows by place */
LAW_APART void law_sum_forces(const law_rows *all, LAW_REAL *w, LAW_REAL *dt) {
  for (int k = 0; k < 8 * @_BODIES; ++k) w[k] = LAW_ALL(0.0);
  for (int k = 0; k < @_PLACES; ++k) dt[k] = LAW_ALL(0.0);
  (void)all, (void)w, (void)dt;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    const law_touch *const t = all->touch + c;
    for (int k = 0; k < @_N(t); ++k)
      for (int i = 0; i < 6; ++i) w[8 * t->is->body + i] += LAW_ONLY(t->counts, t->force[k]) * t->row[k][i];
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r)
    dt[all->row[r].is->place] += all->row[r].is->slope * LAW_ONLY(all->row[r].counts, all->row[r].force);
#endif
}

)";

const char* const kFunctionBegins = R"(int @(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  static const double zeros[@_LONGEST] = {0};
  (void)iw, (void)w, (void)mem;
  const double *const in_q = arg[0] ? arg[0] : zeros, *const in_dq = arg[1] ? arg[1] : zeros;
  const double *const in_ddq = arg[2] ? arg[2] : zeros;
)";

const char* const kFunction =
    R"(  if (@_not_finite(in_q, @_NQ) || @_not_finite(in_dq, @_NV) || @_not_finite(in_ddq, @_NV)) return 1;
  double id[@_NV], S[@_ROOM(@_COLUMNS)], y[@_ROOM(6 * @_BODIES)], motion[@_ROOM(12 * @_BODIES)], moved[@_ROOM(@_MOVED)];
  double where[@_ROOM(4 * @_CONTACTS)], axes[@_ROOM(9 * @_PLANES)], pressed[@_ROOM(8 * @_BODIES)], dt[@_ROOM(@_PLACES)];
  double tau[@_NV];$LOOP_BEGIN
  @_rows all;
  @_PREPARE;
  for (int k = 0; k < @_MOVED; ++k) moved[@_MOVED - 1 - k] = in_ddq[@_moved_freedoms[k]];$LOOP_MEET
  @_begin_all(&all, in_q, in_dq, zeros, 0, where, axes, motion);
  @_press_all(&all, moved, y);
  @_sum_forces(&all, pressed, dt);
  @_FINISH;$LOOP_PULL
  if (@_not_finite(tau, @_NV)) return 1;
  if (res[0]) memcpy(res[0], tau, sizeof tau);
  @_write(&all, where, res[1], res[2]);$LOOP_WRITE
  return 0;
}
)";

/// Soft rows of connect, weld and joint constraints: λ = −D (J a − a*).
std::string with_soft_loops(std::string text, bool loops) {
  const std::pair<const char*, const char*> lines[] = {
      {"$LOOP_BEGIN", R"(
  double E[@_ROOM(@_LOOP_ENTRIES)], loops[@_LOOP_NUMBERS], turn[9], twist[9 * @_LOOPS], D[@_LOOP_ROWS], target[@_LOOP_ROWS];
  double miss[@_LOOP_ROWS], force[@_LOOP_ROWS], taken[@_MOVED] = {0};
  static const double pull[@_LOOP_ROWS] = {0};)"},
      {"$LOOP_MEET", R"(
  if (@_meet_loops(loops, turn, E, D, target, twist)) return 1;
  @_along_loops(E, moved, miss);
  for (int r = 0; r < @_LOOP_ROWS; ++r) miss[r] -= target[r], force[r] = -D[r] * miss[r];
  @_pull_loops(E, force, taken);)"},
      {"$LOOP_PULL", "\n  for (int k = 0; k < @_MOVED; ++k) tau[@_moved_freedoms[k]] -= taken[@_MOVED - 1 - k];"},
      {"$LOOP_WRITE", "\n  if (res[1]) @_write_loops(D, miss, pull, turn, twist, res[1]);"}};
  for (const auto& [mark, line] : lines) text = substituted(std::move(text), mark, loops ? line : "");
  return text;
}

const char* const kLanesBegin =
    R"(static @_APART @_WIDE long @_lanes(const double *const *arg, double *const *res, long n, long s, int *status) {
  @_ALIGNED_FRAME;
  @_whole bad = {0};
  @_real in_q[@_NQ], in_dq[@_NV], in_ddq[@_NV], cold[@_LEFT] = {{0}};
  @_lanes_read(arg[0], n, s, @_NQ, in_q, &bad), @_lanes_read(arg[1], n, s, @_NV, in_dq, &bad);
  @_lanes_read(arg[2], n, s, @_NV, in_ddq, &bad);
)";

const char* const kLanes =
    R"(  @_real id[@_NV], S[@_ROOM(@_COLUMNS)], y[@_ROOM(6 * @_BODIES)], motion[@_ROOM(12 * @_BODIES)], moved[@_ROOM(@_MOVED)];
  @_real where[@_ROOM(4 * @_CONTACTS)], axes[@_ROOM(9 * @_PLANES)], pressed[@_ROOM(8 * @_BODIES)], dt[@_ROOM(@_PLACES)];
  @_real tau[@_NV];
  @_lanes_rows all;
  @_LANES_PREPARE;
  for (int k = 0; k < @_MOVED; ++k) moved[@_MOVED - 1 - k] = in_ddq[@_moved_freedoms[k]];
  @_lanes_begin_all(&all, in_q, in_dq, cold, (@_whole){0}, where, axes, motion);
  @_lanes_press_all(&all, moved, y);
  @_lanes_sum_forces(&all, pressed, dt);
  @_LANES_FINISH;
  @_whole fine = ~bad;
  for (int k = 0; k < @_NV; ++k) fine &= (@_whole)(((@_whole)tau[k] & 0x7ff0000000000000ull) != 0x7ff0000000000000ull);
  long failed = 0;
  for (long j = 0; j < @_LANES && s + j < n; ++j) {
    if (status) status[s + j] = fine[j] ? 0 : 1;
    failed += fine[j] == 0;
  }
  for (int k = 0; k < @_NV; ++k) @_lanes_write(res[0], n, s, k, tau[k], fine, NAN);
  @_lanes_forces(&all, where, res, n, s, &fine);
  return failed;
}

)";

}  // namespace

std::string inverse_function(bool wrenches, bool loops) {
  const char* const fx = "  const double *const in_fx = arg[3] ? arg[3] : zeros;\n  if (@_not_finite(in_fx, @_NX)) return 1;\n";
  return one_state_again(kForces) + kFunctionBegins + (wrenches ? fx : "") + with_soft_loops(kFunction, loops);
}

std::string inverse_lanes(bool wrenches) {
  const char* const fx = "  @_real in_fx[@_NX];\n  @_lanes_read(arg[3], n, s, @_NX, in_fx, &bad);\n";
  return state_in_each_lane_again(kForces) + kLanesBegin + (wrenches ? fx : "") + kLanes;
}

}  // namespace sparsedyn
