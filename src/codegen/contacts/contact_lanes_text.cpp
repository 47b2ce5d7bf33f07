#include "contact_text.hpp"

namespace sparsedyn {
namespace {

const char* const kPress = R"(#if @_CONTACTS
/* what the step reads of K, the triangle above the diagonal, and w */
static @_APART @_WIDE void @_lanes_press(const @_lanes_touch *restrict t, @_real *restrict K, @_real *restrict w) {
  const int n = @_N(t);
  if (!@_any((@_whole)(t->h[0][0] != 0.0))) return; /* open in all */
  for (int k = 0; k < n; ++k) {
    const @_real push = @_lanes_push(n, k, t->f, t->h[0], @_MOST, t->j, t->aim);
    @_real hG[6] = {{0}};
    for (int l = 0; l < n; ++l)
      for (int c = 0; c < 6; ++c) hG[c] += t->h[k][l] * t->row[l][c];
    for (int r = 0; r < 6; ++r)
      for (int c = r; c < 6; ++c) K[8 * r + c] += t->row[k][r] * hG[c];
    for (int c = 0; c < 6; ++c) w[c] += push * t->row[k][c];
  }
}
#endif

)";

const char* const kBegins = R"(/* element e of samples s and on to lane after lane; past the last sample its copy */
static @_APART @_WIDE void @_lanes_read(const double *from, long n, long s, long elements, @_real *to, @_whole *bad) {
  for (long e = 0; e < elements; ++e) {
    if (!from) {
      to[e] = (@_real){0};
    } else if (s + @_LANES <= n) {
      to[e] = *(const @_loose *)(from + e * n + s);
    } else {
      for (long j = 0; j < @_LANES; ++j) to[e][j] = from[e * n + (s + j < n ? s + j : n - 1)];
    }
    *bad |= (@_whole)(((@_whole)to[e] & 0x7ff0000000000000ull) == 0x7ff0000000000000ull);
  }
}

/* where `mask` is not set, another number: 0, or NAN for lanes without results */
static @_APART @_WIDE void @_lanes_write(double *to, long n, long s, long e, @_real x, @_whole mask, double other) {
  if (!to) return;
  x = @_pick(mask, x, (@_real){0} + other);
  if (s + @_LANES <= n) *(@_loose *)(to + e * n + s) = x;
  else
    for (long j = 0; s + j < n; ++j) to[e * n + s + j] = x[j];
}

/* lambda and gap, res[1] and res[2], of lanes that are done; NAN elsewhere */
static @_APART @_WIDE void @_lanes_forces(const @_lanes_rows *all, const @_real *where, double *const *res, long n, long s, const @_whole *done) {
  @_real lambda[@_ROOM(@_FORCES)];
  for (int k = 0; k < @_FORCES; ++k) lambda[k] = (@_real){0};
  (void)all, (void)where;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    const @_lanes_touch *const t = all->touch + c;
    const double *const plane = @_planes[t->is->plane];
    for (int k = 0; k < @_N(t); ++k)
      for (int i = 0; i < 3; ++i)
        lambda[t->is->force + (k < 3 ? 0 : 3) + i] += @_only(t->counts, t->force[k]) * plane[3 * (k % 3) + i];
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_lanes_row *const t = all->row + r;
    lambda[t->is->force] += t->is->sign * @_only(t->counts, t->force);
  }
#endif
  for (int k = 0; k < @_FORCES; ++k) @_lanes_write(res[1], n, s, k, lambda[k], *done, NAN);
  for (int c = 0; c < @_CONTACTS; ++c) @_lanes_write(res[2], n, s, c, where[4 * c + 3], *done, NAN);
}

)";

const char* const kIteration =
    R"(/* `which` lanes fail by this code; worst: the first number of the list whose pivot, the diagonal beside it, has no mass */
static void @_lanes_fail(@_whole which, const @_real *pivots, const int *freedoms, int count, int *code, @_real *worst) {
  for (int j = 0; j < @_LANES; ++j) {
    int k = 0;
    if (!which[j]) continue;
    while (k + 1 < count && pivots[2 * k][j] > 1e-14 * pivots[2 * k + 1][j]) ++k;
    code[j] = 2, (*worst)[j] = freedoms[k];
  }
}

@_EACH_INLINE @_whole @_lanes_sound(const @_real *pivots, int count) {
  @_whole sound = ~(@_whole){0};
  for (int k = 0; k < count; ++k) sound &= (@_whole)(pivots[2 * k] > 1e-14 * pivots[2 * k + 1]);
  return sound;
}

/* what all rows add to the step's matrix and right side */
static @_APART @_WIDE void @_lanes_gather(const @_lanes_rows *all, @_real *K, @_real *pressed, @_real *dh, @_real *dt) {
  for (int b = 0; b < @_BODIES; ++b)
    for (int r = 0; r < 6; ++r)
      for (int c = r; c < 6; ++c) K[48 * b + 8 * r + c] = (@_real){0};
  for (int k = 0; k < 8 * @_BODIES; ++k) pressed[k] = (@_real){0};
  @_lanes_gather_joints(all, dh, dt);
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c)
    @_lanes_press(all->touch + c, K + 48 * all->touch[c].is->body, pressed + 8 * all->touch[c].is->body);
#endif
}

/* next, as forces are written */
static @_APART @_WIDE void @_lanes_hand_on(const @_lanes_rows *all, double *to, long n, long s, const @_whole *done) {
  @_real next[@_ROOM(@_LEFT)];
  for (int k = 0; k < @_LEFT; ++k) next[k] = (@_real){0};
  next[0] += 1.0;
  (void)all;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    const @_lanes_touch *const t = all->touch + c;
    @_real *const of = next + 1 + t->number * (1 + @_MOST);
    of[0] = @_only(t->counts, (@_real){0} + 1.0);
    for (int k = 0; k < @_N(t); ++k) of[1 + k] = @_only(t->counts, t->j[k]);
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_lanes_row *const t = all->row + r;
    @_real *const of = next + 1 + @_CONTACTS * (1 + @_MOST) + 2 * t->number;
    of[0] = @_only(t->counts, (@_real){0} + 1.0), of[1] = @_only(t->counts, t->j);
  }
#endif
  for (int k = 0; k < @_LEFT; ++k) @_lanes_write(to, n, s, k, next[k], *done, NAN);
}

)";

const char* const kFunctionBegins =
    R"(static @_APART @_WIDE long @_lanes(const double *const *arg, double *const *res, long n, long s, int *status) {
  @_ALIGNED_FRAME;
  @_whole bad = {0}, running = ~(@_whole){0};
  @_real in_q[@_NQ], in_dq[@_NV], in_tau[@_NV], start[@_LEFT];
  @_lanes_read(arg[0], n, s, @_NQ, in_q, &bad), @_lanes_read(arg[1], n, s, @_NV, in_dq, &bad);
  @_lanes_read(arg[2], n, s, @_NV, in_tau, &bad), @_lanes_read(arg[@_START], n, s, @_LEFT, start, &bad);
)";

const char* const kFunction =
    R"(  @_real M[@_ROOM(@_ENTRIES)], push[@_ROOM(@_MOVED)], S[@_ROOM(@_COLUMNS)], motion[@_ROOM(12 * @_BODIES)];
  @_real where[@_ROOM(4 * @_CONTACTS)], axes[@_ROOM(9 * @_PLANES)], rest[@_ROOM(@_REST)], fixed_pivots[@_ROOM(2 * @_OTHERS)];
  @_real K[@_ROOM(48 * @_BODIES)], pressed[@_ROOM(8 * @_BODIES)], dh[@_ROOM(@_PLACES)], dt[@_ROOM(@_PLACES)];
  @_real x[@_ROOM(@_MOVED)], reached[@_ROOM(@_MOVED)], y[@_ROOM(6 * @_BODIES)], pivots[@_ROOM(2 * @_MOVED)], ddq[@_NV];
  @_real taken = {0}, best = (@_real){0} - 1.0, stalled = {0}, worst = (@_real){0} - 1.0, beside = {0};
  @_whole settled = {0};
  int steps = 0, code[@_LANES];
  @_lanes_rows all;
  for (int j = 0; j < @_LANES; ++j) {
    code[j] = bad[j] ? 1 : 3;
    if (s + j >= n) bad[j] = ~0ull; /* a copy: nobody asks for it */
  }
  running &= ~bad;
  @_LANES_PREPARE;
  const @_whole fixed = @_lanes_sound(fixed_pivots, @_OTHERS);
  if (@_any(running & ~fixed)) @_lanes_fail(running & ~fixed, fixed_pivots, @_others, @_OTHERS, code, &worst);
  running &= fixed;
  @_lanes_begin_all(&all, in_q, in_dq, start, (@_whole)(start[0] != 0.0), where, axes, motion);
  for (int k = 0; k < @_MOVED; ++k) x[k] = (@_real){0};
  while (@_any(running) && steps < @_ITERATIONS) {
    const int first = steps++ == 0;
    @_lanes_misses m = {{0}, {0}, (@_real){0} - 1.0};
    @_real alpha = (@_real){0} + 1.0;
    taken = @_pick(running, taken + 1.0, taken);
    @_lanes_gather(&all, K, pressed, dh, dt);
    @_LANES_STEP;
    const @_whole sound = @_lanes_sound(pivots, @_MOVED);
    if (@_any(running & ~sound)) @_lanes_fail(running & ~sound, pivots, @_moved_freedoms, @_MOVED, code, &worst);
    running &= sound;
    @_lanes_lead(&all, reached, y);
    if (!first) {
      @_real ahead[4];
      @_lanes_look(&all, ahead);
      @_lanes_length(&all, ahead, running & (@_whole)(beside > @_NEAR), steps < 7 ? 1e-1 : steps < 15 ? 1e-4 : 1e-10, &alpha);
    }
    alpha = @_only(running, alpha);
    for (int k = 0; k < @_MOVED; ++k) x[k] = first ? reached[k] : x[k] + alpha * (reached[k] - x[k]);
    @_lanes_go(&all, first, &alpha, &m);
    const @_real now = @_only((@_whole)(m.size > 0.0), m.left / m.size);
    const @_whole slow = (@_whole)(best >= 0.0) & (@_whole)(now >= 0.5 * best), least = (@_whole)(best < 0.0) | (@_whole)(now < best);
    stalled = @_only(slow, stalled + 1.0), best = @_pick(least, now, best);
    beside = @_pick(running, now, beside), worst = @_pick(running, m.worst, worst);
    const @_whole rounding = (@_whole)(stalled >= 4.0) & (@_whole)(now <= 1e4 * @_TOLERANCE); /* no step helps */
    const @_whole done = running & ((@_whole)(m.left <= @_TOLERANCE * m.size) | rounding);
    settled |= done, running &= ~done;
  }
  worst = @_pick(settled, (@_real){0} - 1.0, worst);
  @_LANES_FINISH;
  @_whole finite = ~(@_whole){0};
  for (int k = 0; k < @_NV; ++k) finite &= (@_whole)(((@_whole)ddq[k] & 0x7ff0000000000000ull) != 0x7ff0000000000000ull);
  long failed = 0;
  for (long j = 0; j < @_LANES && s + j < n; ++j) {
    if (settled[j]) code[j] = finite[j] ? 0 : 1;
    if (status) status[s + j] = code[j];
    failed += code[j] != 0;
  }
  settled &= finite;
  const @_whole every = ~(@_whole){0};
  for (int k = 0; k < @_NV; ++k) @_lanes_write(res[0], n, s, k, ddq[k], settled, NAN);
  @_lanes_forces(&all, where, res, n, s, &settled), @_lanes_hand_on(&all, res[3], n, s, &settled);
  @_lanes_write(res[4], n, s, 0, taken, every, 0), @_lanes_write(res[4], n, s, 1, beside, every, 0);
  @_lanes_write(res[4], n, s, 2, worst, every, 0);
  return failed;
}

)";

}  // namespace

std::string contact_lanes_helpers() { return contact_rows(true) + kBegins; }

std::string contact_lanes(bool wrenches, bool parameters) {
  const char* const fx = "  @_real in_fx[@_NX];\n  @_lanes_read(arg[3], n, s, @_NX, in_fx, &bad);\n";
  const char* const pi = "  @_real in_pi[@_PARAMETERS];\n  @_lanes_read(arg[@_START - 1], n, s, @_PARAMETERS, in_pi, &bad);\n";
  return contact_lanes_helpers() + kPress + kIteration + kFunctionBegins + (wrenches ? fx : "") + (parameters ? pi : "") +
         kFunction;
}

}  // namespace sparsedyn
