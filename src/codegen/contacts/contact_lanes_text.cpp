#include "contact_text.hpp"

namespace sparsedyn {
namespace {

const char* const kCones =
    R"(/* A sample in each lane. What a lane does not take part in is multiplied by zero or passed over by a mask, all bits set or
   none; nothing goes from lane to lane, so results do not depend on who stands beside. */
#define @_HERE static __attribute__((always_inline, unused)) inline

@_HERE @_real @_pick(@_whole mask, @_real a, @_real b) { return (@_real)((mask & (@_whole)a) | (~mask & (@_whole)b)); }
@_HERE @_real @_only(@_whole mask, @_real a) { return (@_real)(mask & (@_whole)a); }
@_HERE int @_any(@_whole mask) {
  unsigned long long any = 0;
  for (int j = 0; j < @_LANES; ++j) any |= mask[j];
  return any != 0;
}

#if @_CONTACTS || @_JOINTS
@_HERE @_real @_lanes_impedance(const @_firmness *f, @_real r) {
  const @_real x = @_lanes_fabs(r) * f->per_width;
  const @_whole below = (@_whole)(x <= f->middle);
  const @_real base = @_pick(below, x, 1.0 - x);
  @_real power = (@_real){0} + 1.0;
  for (int k = 0; k < f->power; ++k) power *= base;
  const @_real y = @_pick(below, power * f->below, 1.0 - power * f->above);
  return f->d0 + @_pick((@_whole)(x < 1.0), y, (@_real){0} + 1.0) * (f->dw - f->d0);
}

@_HERE @_real @_lanes_softness(@_real d, double weight) {
  const @_real R = (1.0 - d) / d * weight;
  return @_pick((@_whole)(R > 1e-15), R, (@_real){0} + 1e-15);
}
#endif

#if @_CONTACTS
/* A contact that counts in some lanes; D, and Dm of sliding, are zero in the others. As @_touch otherwise. */
typedef struct {
  const @_contact *is;
  int number, n;
  @_whole counts;
  @_real row[@_MOST][6];
  @_real aim[@_MOST], D[@_MOST], Dm, mu;
  @_real j[@_MOST], dj[@_MOST], f[@_MOST], force[@_MOST], next[@_MOST];
  @_real h[@_MOST][@_MOST];
  @_real u[3], held[2]; /* @_lanes_outlook */
} @_touches;

@_HERE void @_lanes_pyramid(@_touches *t, int n) {
  for (int k = 0; k < n; ++k) {
    t->f[k] = (@_real){0};
    for (int l = 0; l < n; ++l) t->h[k][l] = (@_real){0};
  }
  for (int k = 1; k < n; ++k)
    for (int side = 0; side < 2; ++side) {
      const double mu = side ? -t->is->friction[k - 1] : t->is->friction[k - 1];
      const @_real edge = t->j[0] + mu * t->j[k], D = @_only((@_whole)(edge < 0.0), t->D[0]);
      t->f[0] -= D * edge, t->f[k] -= D * edge * mu;
      t->h[0][0] += D, t->h[0][k] += D * mu, t->h[k][k] += D * (mu * mu);
      t->h[k][0] = t->h[0][k];
    }
}

/* open, sticking, sliding: one mask each */
@_HERE void @_lanes_kinds(@_real mu, @_real N, @_real T, @_whole *sticks, @_whole *slides) {
  const @_whole open = (@_whole)(N >= mu * T), pressed = (@_whole)(mu * N + T <= 0.0) | (@_whole)(T <= 0.0);
  *sticks = ~open & pressed, *slides = ~open & ~pressed;
}

@_HERE void @_lanes_ellipse(@_touches *t, int n) {
  const @_real mu = t->mu, N = mu * t->j[0];
  @_real U[@_MOST], T = {0};
  for (int k = 1; k < n; ++k) U[k] = t->is->friction[k - 1] * t->j[k], T += U[k] * U[k];
  T = @_lanes_sqrt(T);
  @_whole sticks, slides;
  @_lanes_kinds(mu, N, T, &sticks, &slides);
  const @_real per = @_only(slides, 1.0 / T), Dm = @_only(slides, t->Dm), e = N - mu * T, a = mu * N * per;
  const @_real held = @_only(sticks, t->D[0]), turned = mu * mu - a;
  t->f[0] = -Dm * e * mu - held * t->j[0], t->h[0][0] = Dm * mu * mu + held;
  for (int k = 1; k < n; ++k) {
    const double scale = t->is->friction[k - 1];
    const @_real stuck = @_only(sticks, t->D[k]);
    U[k] *= per;
    t->f[k] = Dm * e * mu * U[k] * scale - stuck * t->j[k];
    t->h[0][k] = t->h[k][0] = -Dm * mu * mu * U[k] * scale;
    for (int l = 1; l <= k; ++l) {
      const @_real both = a * U[k] * U[l];
      t->h[k][l] = t->h[l][k] = Dm * (scale * t->is->friction[l - 1]) * (k == l ? both + turned : both);
    }
    t->h[k][k] += stuck;
  }
}

@_HERE void @_lanes_cone(@_touches *t) {
  const int n = @_N(t);
  if (n == 1)
    t->h[0][0] = @_only((@_whole)(t->j[0] < 0.0), t->D[0]), t->f[0] = -t->h[0][0] * t->j[0];
  else if (t->is->pyramid)
    @_lanes_pyramid(t, n);
  else
    @_lanes_ellipse(t, n);
}

/* of the cost's slope along the step, what does not change on the way: |U|^2 / 2 = (u0 + 2 u1 alpha + u2 alpha^2) / 2 of sliding,
   and f = held (0) + held (1) alpha of sticking */
@_HERE void @_lanes_outlook(@_touches *t) {
  const int n = @_N(t);
  t->u[0] = t->u[1] = t->u[2] = t->held[0] = t->held[1] = (@_real){0};
  for (int k = 0; k < n; ++k) {
    const double scale = k ? t->is->friction[k - 1] : 0;
    const @_real U = scale * t->j[k], dU = scale * t->dj[k], firm = t->D[k] * t->dj[k];
    t->u[0] += U * U, t->u[1] += U * dU, t->u[2] += dU * dU;
    t->held[0] += firm * t->j[k], t->held[1] += firm * t->dj[k];
  }
}

@_HERE void @_lanes_along_pyramid(const @_touches *t, int n, @_real alpha, @_real *first, @_real *second) {
  for (int k = 1; k < n; ++k)
    for (int side = 0; side < 2; ++side) {
      const double mu = side ? -t->is->friction[k - 1] : t->is->friction[k - 1];
      const @_real rate = t->dj[0] + mu * t->dj[k], edge = t->j[0] + mu * t->j[k] + alpha * rate;
      const @_real firm = @_only((@_whole)(edge < 0.0), t->D[0]) * rate;
      *first += firm * edge, *second += firm * rate;
    }
}

@_HERE void @_lanes_along(const @_touches *t, @_real alpha, @_real *first, @_real *second) {
  const int n = @_N(t);
  if (n > 1 && t->is->pyramid) {
    @_lanes_along_pyramid(t, n, alpha, first, second);
    return;
  }
  const @_real normal = t->j[0] + alpha * t->dj[0];
  @_whole sticks = (@_whole)(normal < 0.0), slides;
  if (n > 1) {
    const @_real mu = t->mu, N = mu * normal, turn = t->u[1] + alpha * t->u[2];
    const @_real square = t->u[0] + alpha * (t->u[1] + turn), T = @_lanes_sqrt(@_only((@_whole)(square > 0.0), square));
    @_lanes_kinds(mu, N, T, &sticks, &slides);
    const @_real per = @_only(slides, 1.0 / T), Dm = @_only(slides, t->Dm);
    const @_real e = N - mu * T, dT = turn * per, de = mu * (t->dj[0] - dT);
    *first += Dm * e * de;
    *second += Dm * (de * de - e * mu * (t->u[2] - dT * dT) * per);
  }
  *first += @_only(sticks, t->held[0] + alpha * t->held[1]), *second += @_only(sticks, t->held[1]);
}

static @_APART @_WIDE void @_lanes_meet(@_touches *t, const @_real *where, const @_real *axes, const @_real *motion) {
  const @_contact *const is = t->is;
  const int n = @_N(t);
  const @_real r = where[3] - is->margin, d = @_lanes_impedance(&is->firm, r), inward = is->radius + 0.5 * where[3];
  @_real arm[3];
  for (int k = 0; k < 3; ++k) arm[k] = where[k] - inward * axes[k];
  for (int k = 0; k < n; ++k) {
    const @_real *const e = axes + 3 * (k % 3);
    @_real *const row = t->row[k];
    const @_real m[3] = {arm[1] * e[2] - arm[2] * e[1], arm[2] * e[0] - arm[0] * e[2], arm[0] * e[1] - arm[1] * e[0]};
    for (int c = 0; c < 3; ++c) row[c] = k < 3 ? m[c] : e[c], row[3 + c] = k < 3 ? e[c] : (@_real){0};
    @_real speed = {0}, drift = {0};
    for (int c = 0; c < 6; ++c) speed += row[c] * motion[c], drift += row[c] * motion[6 + c];
    t->aim[k] = -is->B * speed - drift;
    if (k == 0) t->aim[k] -= is->K * d * r;
  }
  t->mu = t->Dm = (@_real){0};
  if (is->pyramid) {
    const double mu = is->friction[0], by = 2 * mu * mu / is->impratio;
    const @_real D = 1.0 / (by * @_lanes_softness(d, is->weight * (1 + mu * mu)));
    for (int k = 0; k < n; ++k) t->D[k] = @_only(t->counts, D);
    return;
  }
  const @_real R = @_lanes_softness(d, is->weight), sliding = R / is->impratio;
  t->D[0] = @_only(t->counts, 1.0 / R);
  for (int k = 1; k < n; ++k) {
    const double share = is->friction[0] / is->friction[k - 1];
    t->D[k] = @_only(t->counts, 1.0 / (sliding * (share * share)));
  }
  if (n == 1) return;
  t->mu = is->friction[0] * @_lanes_sqrt(sliding / R);
  t->Dm = t->D[0] / (t->mu * t->mu * (1.0 + t->mu * t->mu));
}

/* From `from`, where it holds j of this contact; else as if the cone stuck at j = 0. */
static @_APART @_WIDE void @_lanes_begin(@_touches *t, const @_real *from, @_whole given) {
  const int n = @_N(t);
  const @_whole warm = given & (@_whole)(from[0] != 0.0);
  for (int k = 0; k < n; ++k) t->j[k] = @_only(warm, from[1 + k]);
  @_lanes_cone(t);
  for (int k = 0; k < n; ++k) {
    const double mu = k ? t->is->friction[k - 1] : 0;
    const double edges = !t->is->pyramid ? 1 : k ? 2 * mu * mu : 2 * (n - 1);
    t->f[k] = @_only(warm, t->f[k]);
    for (int l = 0; l < n; ++l) t->h[k][l] = @_pick(warm, t->h[k][l], k == l ? edges * t->D[k] : (@_real){0});
  }
}

/* what the step reads of K, the triangle above the diagonal, and w */
static @_APART @_WIDE void @_lanes_press(const @_touches *restrict t, @_real *restrict K, @_real *restrict w) {
  const int n = @_N(t);
  if (!@_any((@_whole)(t->h[0][0] != 0.0))) return; /* open in all */
  for (int k = 0; k < n; ++k) {
    @_real hG[6] = {{0}}, push = t->f[k];
    for (int l = 0; l < n; ++l) {
      push += t->h[k][l] * (t->j[l] + t->aim[l]);
      for (int c = 0; c < 6; ++c) hG[c] += t->h[k][l] * t->row[l][c];
    }
    for (int r = 0; r < 6; ++r)
      for (int c = r; c < 6; ++c) K[8 * r + c] += t->row[k][r] * hG[c];
    for (int c = 0; c < 6; ++c) w[c] += push * t->row[k][c];
  }
}

static @_APART @_WIDE void @_lanes_answer(@_touches *t, const @_real *y) {
  const int n = @_N(t);
  for (int k = 0; k < n; ++k) {
    @_real reached = {0};
    for (int c = 0; c < 6; ++c) reached += t->row[k][c] * y[c];
    t->dj[k] = reached - t->aim[k] - t->j[k];
  }
  for (int k = 0; k < n; ++k) {
    t->next[k] = t->f[k];
    for (int l = 0; l < n; ++l) t->next[k] -= t->h[k][l] * t->dj[l];
  }
}
#endif

#if @_JOINTS
typedef struct {
  const @_joint *is;
  int number;
  @_whole counts;
  @_real aim, D, j, dj, f, force, next, h;
} @_rows;

@_HERE void @_lanes_law(const @_rows *t, @_real j, @_real *f, @_real *h) {
  const @_real pull = -t->D * j;
  if (t->is->stop) {
    const @_whole pressed = (@_whole)(j < 0.0);
    *h = @_only(pressed, t->D), *f = @_only(pressed, pull);
    return;
  }
  const @_whole linear = (@_whole)(@_lanes_fabs(pull) < t->is->loss);
  const @_real most = @_pick((@_whole)(j > 0.0), (@_real){0} - t->is->loss, (@_real){0} + t->is->loss);
  *h = @_only(linear, t->D), *f = @_pick(linear, pull, most);
}

@_HERE void @_lanes_row_begin(@_rows *t, @_real past, @_real speed, const @_real *from, @_whole given) {
  const @_whole warm = given & (@_whole)(from[0] != 0.0);
  const @_real d = @_lanes_impedance(&t->is->firm, past);
  t->D = @_only(t->counts, 1.0 / @_lanes_softness(d, t->is->weight));
  t->aim = -t->is->B * t->is->slope * speed - t->is->K * d * past;
  t->j = @_only(warm, from[1]);
  @_lanes_law(t, t->j, &t->f, &t->h);
  t->f = @_only(warm, t->f), t->h = @_pick(warm, t->h, t->D);
}
#endif

/* All that counts in some lane. */
typedef struct {
  int touches, rows;
#if @_CONTACTS
  @_touches touch[@_CONTACTS];
#endif
#if @_JOINTS
  @_rows row[@_JOINTS];
#endif
} @_actives;

static @_APART @_WIDE void @_lanes_slope(const @_actives *all, const @_real *along, @_real alpha, @_real *first, @_real *second) {
  *first = along[0] + alpha * along[1], *second = along[1];
  (void)all;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) @_lanes_along(all->touch + c, alpha, first, second);
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_rows *const t = all->row + r;
    @_real f, h;
    @_lanes_law(t, t->j + alpha * t->dj, &f, &h);
    *first -= f * t->dj, *second += h * t->dj * t->dj;
  }
#endif
}

/* at zero, growth, what the slope is at its start, and the size of the terms that it is summed of */
@_HERE void @_lanes_ahead(@_actives *all, @_real *along) {
  along[0] = along[1] = along[2] = along[3] = (@_real){0};
  (void)all;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    @_touches *const t = all->touch + c;
    const int n = @_N(t);
    @_lanes_outlook(t);
    for (int k = 0; k < n; ++k) {
      const @_real work = t->force[k] * t->dj[k];
      along[0] += work, along[1] += (t->next[k] - t->force[k]) * t->dj[k], along[3] += @_lanes_fabs(work);
      along[2] += (t->force[k] - t->f[k]) * t->dj[k];
    }
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_rows *const t = all->row + r;
    const @_real work = t->force * t->dj;
    along[0] += work, along[1] += (t->next - t->force) * t->dj, along[2] += (t->force - t->f) * t->dj, along[3] += @_lanes_fabs(work);
  }
#endif
}

/* @_length in lanes: the step's length where `search` is set */
static @_APART @_WIDE void @_lanes_length(@_actives *all, @_whole search, double precision, @_real *length) {
  @_real along[4], low = {0}, high = (@_real){0} - 1.0, alpha = (@_real){0} + 1.0, first, second;
  @_lanes_ahead(all, along);
  const @_real enough = precision * @_lanes_fabs(along[2]);
  search &= (@_whole)(@_lanes_fabs(along[2]) > 2e-15 * along[3]); /* else it is rounding, which knows of no length but 1 */
  for (int k = 0; k < 60; ++k) {
    @_lanes_slope(all, along, alpha, &first, &second);
    search &= (@_whole)(@_lanes_fabs(first) > enough);
    if (!@_any(search)) break;
    const @_whole before = (@_whole)(first < 0.0);
    low = @_pick(search & before, alpha, low), high = @_pick(search & ~before, alpha, high);
    const @_real newton = alpha - first / second;
    const @_whole open = (@_whole)(high < 0.0);
    const @_whole between = (@_whole)(second > 0.0) & (@_whole)(newton > low) & (open | (@_whole)(newton < high));
    const @_real next = @_pick(between, newton, @_pick(open, 2.0 * alpha, 0.5 * (low + high)));
    search &= (@_whole)(next != alpha);
    alpha = @_pick(search, next, alpha);
  }
  *length = alpha;
}

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

/* `which` lanes fail by this code; worst: the first number of the list whose pivot, the diagonal beside it, has no mass */
static void @_lanes_fail(@_whole which, const @_real *pivots, const int *freedoms, int count, int *code, @_real *worst) {
  for (int j = 0; j < @_LANES; ++j) {
    int k = 0;
    if (!which[j]) continue;
    while (k + 1 < count && pivots[2 * k][j] > 1e-14 * pivots[2 * k + 1][j]) ++k;
    code[j] = 2, (*worst)[j] = freedoms[k];
  }
}

@_HERE @_whole @_lanes_sound(const @_real *pivots, int count) {
  @_whole sound = ~(@_whole){0};
  for (int k = 0; k < count; ++k) sound &= (@_whole)(pivots[2 * k] > 1e-14 * pivots[2 * k + 1]);
  return sound;
}

static @_APART @_WIDE void @_lanes_all_begin(@_actives *all, const @_real *q, const @_real *dq, const @_real *start, const @_real *where,
                                     const @_real *axes, const @_real *motion) {
  const @_whole given = (@_whole)(start[0] != 0.0);
  (void)given, (void)q, (void)dq, (void)where, (void)axes, (void)motion;
  all->touches = all->rows = 0;
#if @_CONTACTS
  for (int c = 0; c < @_CONTACTS; ++c) {
    const @_contact *const is = @_contacts + c;
    const @_whole counts = (@_whole)(where[4 * c + 3] < is->margin);
    if (!@_any(counts)) continue;
    @_touches *const t = all->touch + all->touches++;
    t->is = is, t->number = c, t->n = is->n, t->counts = counts;
    @_lanes_meet(t, where + 4 * c, axes + 9 * is->plane, motion + 12 * is->body);
    @_lanes_begin(t, start + 1 + c * (1 + @_MOST), given);
  }
#endif
#if @_JOINTS
  for (int r = 0; r < @_JOINTS; ++r) {
    const @_joint *const is = @_joints + r;
    const @_real gap = is->stop ? is->slope * q[is->q] + is->offset : (@_real){0};
    const @_whole counts = is->stop ? (@_whole)(gap < is->margin) : ~(@_whole){0};
    if (is->stop ? !@_any(counts) : !(is->loss > 0)) continue;
    @_rows *const t = all->row + all->rows++;
    t->is = is, t->number = r, t->counts = counts;
    @_lanes_row_begin(t, is->stop ? gap - is->margin : (@_real){0}, dq[is->v], start + 1 + @_CONTACTS * (1 + @_MOST) + 2 * r, given);
  }
#endif
}

/* what all rows add to the step's matrix and right side */
static @_APART @_WIDE void @_lanes_gather(const @_actives *all, @_real *K, @_real *pressed, @_real *dh, @_real *dt) {
  for (int b = 0; b < @_BODIES; ++b)
    for (int r = 0; r < 6; ++r)
      for (int c = r; c < 6; ++c) K[48 * b + 8 * r + c] = (@_real){0};
  for (int k = 0; k < 8 * @_BODIES; ++k) pressed[k] = (@_real){0};
  for (int k = 0; k < @_PLACES; ++k) dh[k] = dt[k] = (@_real){0};
  (void)all;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c)
    @_lanes_press(all->touch + c, K + 48 * all->touch[c].is->body, pressed + 8 * all->touch[c].is->body);
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_rows *const t = all->row + r;
    dh[t->is->place] += t->is->slope * t->is->slope * t->h, dt[t->is->place] += t->is->slope * (t->f + t->h * (t->j + t->aim));
  }
#endif
}

static @_APART @_WIDE void @_lanes_lead(@_actives *all, const @_real *reached, const @_real *y) {
  (void)all, (void)reached, (void)y;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) @_lanes_answer(all->touch + c, y + 6 * all->touch[c].is->body);
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    @_rows *const t = all->row + r;
    t->dj = t->is->slope * reached[t->is->moved] - t->aim - t->j, t->next = t->f - t->h * t->dj;
  }
#endif
}

/* the largest force, the largest miss beside what the cone gives, and whose it is */
typedef struct {
  @_real left, size, worst;
} @_misses;

@_HERE void @_lanes_miss(@_misses *m, @_real force, @_real f, int name) {
  const @_real miss = @_lanes_fabs(force - f), strong = @_lanes_fabs(force);
  const @_whole more = ~(@_whole)(miss <= m->left), larger = ~(@_whole)(strong <= m->size);
  m->left = @_pick(more, miss, m->left), m->worst = @_pick(more, (@_real){0} + (double)name, m->worst);
  m->size = @_pick(larger, strong, m->size);
}

/* goes alpha of the way; a lane whose alpha is 0 stays where it is */
static @_APART @_WIDE void @_lanes_go(@_actives *all, int first, const @_real *by, @_misses *m) {
  const @_real alpha = *by;
  m->left = m->size = (@_real){0}, m->worst = (@_real){0} - 1.0;
  (void)all, (void)first, (void)alpha;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    @_touches *const t = all->touch + c;
    const int n = @_N(t);
    for (int k = 0; k < n; ++k) {
      t->j[k] += alpha * t->dj[k];
      t->force[k] = first ? t->next[k] : t->force[k] + alpha * (t->next[k] - t->force[k]);
    }
    @_lanes_cone(t);
    for (int k = 0; k < n; ++k) @_lanes_miss(m, @_only(t->counts, t->force[k]), @_only(t->counts, t->f[k]), @_CONTACT_NAMES[t->number]);
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    @_rows *const t = all->row + r;
    t->j += alpha * t->dj;
    t->force = first ? t->next : t->force + alpha * (t->next - t->force);
    @_lanes_law(t, t->j, &t->f, &t->h);
    @_lanes_miss(m, @_only(t->counts, t->force), @_only(t->counts, t->f), @_JOINT_NAMES[t->number]);
  }
#endif
}

/* lambda, gap, next of lanes that are done; NAN elsewhere */
static @_APART @_WIDE void @_lanes_results(const @_actives *all, const @_real *where, double *const *res, long n, long s, const @_whole *done) {
  const @_whole every = ~(@_whole){0};
  @_real lambda[@_ROOM(@_FORCES)], next[@_ROOM(@_LEFT)];
  for (int k = 0; k < @_FORCES; ++k) lambda[k] = (@_real){0};
  for (int k = 0; k < @_LEFT; ++k) next[k] = (@_real){0};
  next[0] += 1.0;
  (void)all, (void)where, (void)every;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    const @_touches *const t = all->touch + c;
    const double *const plane = @_planes[t->is->plane];
    @_real *const to = next + 1 + t->number * (1 + @_MOST);
    to[0] = @_only(t->counts, (@_real){0} + 1.0);
    for (int k = 0; k < @_N(t); ++k) {
      to[1 + k] = @_only(t->counts, t->j[k]);
      for (int i = 0; i < 3; ++i)
        lambda[t->is->force + (k < 3 ? 0 : 3) + i] += @_only(t->counts, t->force[k]) * plane[3 * (k % 3) + i];
    }
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_rows *const t = all->row + r;
    @_real *const to = next + 1 + @_CONTACTS * (1 + @_MOST) + 2 * t->number;
    to[0] = @_only(t->counts, (@_real){0} + 1.0), to[1] = @_only(t->counts, t->j);
    lambda[t->is->force] += t->is->sign * @_only(t->counts, t->force);
  }
#endif
  for (int k = 0; k < @_FORCES; ++k) @_lanes_write(res[1], n, s, k, lambda[k], *done, NAN);
  for (int c = 0; c < @_CONTACTS; ++c) @_lanes_write(res[2], n, s, c, where[4 * c + 3], *done, NAN);
  for (int k = 0; k < @_LEFT; ++k) @_lanes_write(res[3], n, s, k, next[k], *done, NAN);
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
  @_actives all;
  for (int j = 0; j < @_LANES; ++j) {
    code[j] = bad[j] ? 1 : 3;
    if (s + j >= n) bad[j] = ~0ull; /* a copy: nobody asks for it */
  }
  running &= ~bad;
  @_LANES_PREPARE;
  const @_whole fixed = @_lanes_sound(fixed_pivots, @_OTHERS);
  if (@_any(running & ~fixed)) @_lanes_fail(running & ~fixed, fixed_pivots, @_others, @_OTHERS, code, &worst);
  running &= fixed;
  @_lanes_all_begin(&all, in_q, in_dq, start, where, axes, motion);
  for (int k = 0; k < @_MOVED; ++k) x[k] = (@_real){0};
  while (@_any(running) && steps < @_ITERATIONS) {
    const int first = steps++ == 0;
    @_misses m;
    @_real alpha = (@_real){0} + 1.0;
    taken = @_pick(running, taken + 1.0, taken);
    @_lanes_gather(&all, K, pressed, dh, dt);
    @_LANES_STEP;
    const @_whole sound = @_lanes_sound(pivots, @_MOVED);
    if (@_any(running & ~sound)) @_lanes_fail(running & ~sound, pivots, @_moved_freedoms, @_MOVED, code, &worst);
    running &= sound;
    @_lanes_lead(&all, reached, y);
    if (!first) @_lanes_length(&all, running & (@_whole)(beside > @_NEAR), steps < 7 ? 1e-1 : steps < 15 ? 1e-4 : 1e-10, &alpha);
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
  @_lanes_results(&all, where, res, n, s, &settled);
  @_lanes_write(res[4], n, s, 0, taken, every, 0), @_lanes_write(res[4], n, s, 1, beside, every, 0);
  @_lanes_write(res[4], n, s, 2, worst, every, 0);
  return failed;
}

)";

}  // namespace

std::string contact_lanes(bool wrenches) {
  const char* const fx = "  @_real in_fx[@_NX];\n  @_lanes_read(arg[3], n, s, @_NX, in_fx, &bad);\n";
  return std::string(kCones) + kBegins + kFunctionBegins + (wrenches ? fx : "") + kFunction;
}

}  // namespace sparsedyn
