#include "contact_text.hpp"

namespace sparsedyn {
namespace {

const char* const kHelpers = R"(#ifndef @_TOLERANCE
#define @_TOLERANCE 1e-11 /* of the forces beside the largest one */
#endif
#ifndef @_ITERATIONS
#define @_ITERATIONS 100 /* at most */
#endif
#define @_NEAR 1e-8
#ifndef @_N
#define @_N(touch) (touch)->n
#endif
#define @_ROOM(n) ((n) > 0 ? (n) : 1)

/* to += by * row, eight numbers each */
#if defined(__GNUC__)
typedef double @_eight __attribute__((vector_size(64), aligned(8), may_alias));
#define @_ADD(to, by, row) (*(@_eight *)(to) += (by) * *(const @_eight *)(row))
#else
#define @_ADD(to, by, row) \
  for (int c = 0; c < 8; ++c) (to)[c] += (by) * (row)[c]
#endif

#if @_CONTACTS || @_JOINTS || @_LOOPS
static double @_impedance(const @_firmness *f, double r) {
  const double x = fabs(r) * f->per_width;
  double y = 1, power = 1;
  if (x < 1) {
    const double base = x <= f->middle ? x : 1 - x;
    for (int k = 0; k < f->power; ++k) power *= base;
    y = x <= f->middle ? power * f->below : 1 - power * f->above;
  }
  return f->d0 + y * (f->dw - f->d0);
}

static double @_softness(double d, double weight) {
  const double R = (1 - d) / d * weight;
  return R > 1e-15 ? R : 1e-15;
}
#endif

#if @_CONTACTS
/* A contact that counts. Directions: along the normal, sliding, torsional, rolling. j: what the acceleration misses its aim by;
   f(j) and its slope -h; force: what moves the robot now. dj, next: where the step leads. */
typedef struct {
  const @_contact *is;
  int number, n;
  double row[@_MOST][8]; /* as motions about the origin of the base's frame, angular part first */
  double aim[@_MOST], D[@_MOST], mu;
  double j[@_MOST], dj[@_MOST], f[@_MOST], force[@_MOST], next[@_MOST];
  double h[@_MOST][@_MOST];
} @_touch;

/* edges n + mu t and n - mu t, each of which only presses */
static inline void @_pyramid(const @_touch *t, int n, const double *j, double *f, double (*h)[@_MOST]) {
  for (int k = 0; k < n; ++k) {
    f[k] = 0;
    for (int l = 0; l < n; ++l) h[k][l] = 0;
  }
  for (int k = 1; k < n; ++k)
    for (int side = 0; side < 2; ++side) {
      const double mu = side ? -t->is->friction[k - 1] : t->is->friction[k - 1], edge = j[0] + mu * j[k], D = t->D[0];
      if (edge >= 0) continue;
      f[0] -= D * edge, f[k] -= D * edge * mu;
      h[0][0] += D, h[0][k] += D * mu, h[k][k] += D * mu * mu;
      h[k][0] = h[0][k];
    }
}

/* U = (mu j_n, mu_k j_k), N = U_n, T = |U_t|: open where N >= mu T, sticking where mu N + T <= 0, and between, sliding, half of
   D_m (N - mu T)^2 is the cost */
static inline void @_ellipse(const @_touch *t, int n, const double *j, double *f, double (*h)[@_MOST]) {
  const double mu = t->mu, N = mu * j[0];
  double U[@_MOST], T = 0;
  for (int k = 1; k < n; ++k) U[k] = t->is->friction[k - 1] * j[k], T += U[k] * U[k];
  T = sqrt(T);
  const int open = N >= mu * T || (T <= 0 && N >= 0), sticks = !open && (mu * N + T <= 0 || T <= 0);
  if (open || sticks) {
    for (int k = 0; k < n; ++k) {
      const double D = open ? 0 : t->D[k];
      for (int l = 0; l < n; ++l) h[k][l] = 0;
      f[k] = -D * j[k], h[k][k] = D;
    }
    return;
  }
  const double Dm = t->D[0] / (mu * mu * (1 + mu * mu)), e = N - mu * T, a = mu * N / T;
  f[0] = -Dm * e * mu, h[0][0] = Dm * mu * mu;
  for (int k = 1; k < n; ++k) U[k] /= T;
  for (int k = 1; k < n; ++k) {
    const double scale = t->is->friction[k - 1];
    f[k] = Dm * e * mu * U[k] * scale;
    h[0][k] = h[k][0] = -Dm * mu * mu * U[k] * scale;
    for (int l = 1; l <= k; ++l)
      h[k][l] = h[l][k] = Dm * scale * t->is->friction[l - 1] * (a * U[k] * U[l] + (k == l ? mu * mu - a : 0));
  }
}

static inline void @_cone(const @_touch *t, const double *j, double *f, double (*h)[@_MOST]) {
  const int n = @_N(t);
  if (n == 1)
    f[0] = j[0] < 0 ? -t->D[0] * j[0] : 0, h[0][0] = j[0] < 0 ? t->D[0] : 0;
  else if (t->is->pyramid)
    @_pyramid(t, n, j, f, h);
  else
    @_ellipse(t, n, j, f, h);
}

/* adds the first and second derivative of the cost along j + alpha dj */
static inline void @_along(const @_touch *t, double alpha, double *first, double *second) {
  const int n = @_N(t);
  const double *j = t->j, *dj = t->dj, *D = t->D;
  const double normal = j[0] + alpha * dj[0];
  if (n == 1) {
    if (normal < 0) *first += D[0] * normal * dj[0], *second += D[0] * dj[0] * dj[0];
    return;
  }
  if (t->is->pyramid) {
    for (int k = 1; k < n; ++k)
      for (int side = 0; side < 2; ++side) {
        const double mu = side ? -t->is->friction[k - 1] : t->is->friction[k - 1];
        const double edge = normal + mu * (j[k] + alpha * dj[k]), rate = dj[0] + mu * dj[k];
        if (edge < 0) *first += D[0] * edge * rate, *second += D[0] * rate * rate;
      }
    return;
  }
  const double mu = t->mu, N = mu * normal;
  double T = 0, turn = 0, square = 0;
  for (int k = 1; k < n; ++k) {
    const double scale = t->is->friction[k - 1], U = scale * (j[k] + alpha * dj[k]), dU = scale * dj[k];
    T += U * U, turn += U * dU, square += dU * dU;
  }
  T = sqrt(T);
  if (N >= mu * T || (T <= 0 && N >= 0)) return;
  if (mu * N + T <= 0 || T <= 0) {
    for (int k = 0; k < n; ++k) *first += D[k] * (j[k] + alpha * dj[k]) * dj[k], *second += D[k] * dj[k] * dj[k];
    return;
  }
  const double Dm = D[0] / (mu * mu * (1 + mu * mu)), e = N - mu * T, dT = turn / T, de = mu * (dj[0] - dT);
  *first += Dm * e * de;
  *second += Dm * (de * de - e * mu * (square - dT * dT) / T);
}

/* Rows and numbers of a contact at this state: centre and gap, axes of its plane, velocity and drift of its link. */
static void @_meet(@_touch *t, const double *where, const double *axes, const double *motion) {
  const @_contact *const is = t->is;
  const int n = @_N(t);
  const double r = where[3] - is->margin, d = @_impedance(&is->firm, r), inward = is->radius + 0.5 * where[3];
  double arm[3];
  for (int k = 0; k < 3; ++k) arm[k] = where[k] - inward * axes[k];
  for (int k = 0; k < n; ++k) {
    const double *const e = axes + 3 * (k % 3);
    double *const row = t->row[k];
    const double m[3] = {arm[1] * e[2] - arm[2] * e[1], arm[2] * e[0] - arm[0] * e[2], arm[0] * e[1] - arm[1] * e[0]};
    for (int c = 0; c < 3; ++c) row[c] = k < 3 ? m[c] : e[c], row[3 + c] = k < 3 ? e[c] : 0;
    row[6] = row[7] = 0;
    double speed = 0, drift = 0;
    for (int c = 0; c < 6; ++c) speed += row[c] * motion[c], drift += row[c] * motion[6 + c];
    t->aim[k] = -is->B * speed - drift - (k == 0 ? is->K * d * r : 0);
  }
  t->mu = 0;
  if (is->pyramid) {
    const double mu = is->friction[0];
    const double R = 2 * mu * mu / is->impratio * @_softness(d, is->weight * (1 + mu * mu));
    for (int k = 0; k < n; ++k) t->D[k] = 1 / R;
  } else {
    const double R = @_softness(d, is->weight), sliding = R / is->impratio;
    t->D[0] = 1 / R;
    for (int k = 1; k < n; ++k) {
      const double share = is->friction[0] / is->friction[k - 1];
      t->D[k] = 1 / (sliding * share * share);
    }
    if (n > 1) t->mu = is->friction[0] * sqrt(sliding / R);
  }
}

/* as if the cone stuck at j = 0 */
static void @_stick(@_touch *t) {
  const int n = @_N(t);
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < n; ++l) t->h[k][l] = 0;
    t->j[k] = t->f[k] = 0, t->h[k][k] = t->D[k];
  }
  if (!t->is->pyramid) return;
  t->h[0][0] *= 2 * (n - 1);
  for (int k = 1; k < n; ++k) t->h[k][k] *= 2 * t->is->friction[k - 1] * t->is->friction[k - 1];
}

/* K += G'hG, w += G'(f + h (j + aim)) of its body; of an open contact nothing */
static inline void @_press(const @_touch *restrict t, double *restrict K, double *restrict w) {
  const int n = @_N(t);
  if (t->h[0][0] == 0) return;
  for (int k = 0; k < n; ++k) {
    double hG[8] = {0}, push = t->f[k];
    for (int l = 0; l < n; ++l) {
      push += t->h[k][l] * (t->j[l] + t->aim[l]);
      @_ADD(hG, t->h[k][l], t->row[l]);
    }
    for (int r = 0; r < 6; ++r) @_ADD(K + 8 * r, t->row[k][r], hG);
    @_ADD(w, push, t->row[k]);
  }
}

static inline void @_answer(@_touch *t, const double *y) {
  const int n = @_N(t);
  for (int k = 0; k < n; ++k) {
    double reached = 0;
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
/* a stop that is near, or dry friction: the same with one row */
typedef struct {
  const @_joint *is;
  int number;
  double aim, D, j, dj, f, force, next, h;
} @_row;

static inline void @_law(const @_row *t, double j, double *f, double *h) {
  const double pull = -t->D * j;
  const int linear = t->is->stop ? j < 0 : fabs(pull) < t->is->loss;
  *h = linear ? t->D : 0;
  *f = linear ? pull : t->is->stop ? 0 : j > 0 ? -t->is->loss : t->is->loss;
}
#endif

/* All that counts at a state. */
typedef struct {
  int touches, rows;
#if @_CONTACTS
  @_touch touch[@_CONTACTS];
#endif
#if @_JOINTS
  @_row row[@_JOINTS];
#endif
} @_active;

/* derivatives of the whole along the step: that of M from the forces that hold it, that of the costs */
static void @_slope(const @_active *all, double alpha, double at_zero, double grows, double *first, double *second) {
  *first = at_zero + alpha * grows, *second = grows;
  (void)all;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) @_along(all->touch + c, alpha, first, second);
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_row *const t = all->row + r;
    double f, h;
    @_law(t, t->j + alpha * t->dj, &f, &h);
    *first -= f * t->dj, *second += h * t->dj * t->dj;
  }
#endif
}

/* where the slope along the step vanishes, beside what it is at its start: Newton's method between signs */
static double @_length(const @_active *all, double precision) {
  double at_zero = 0, grows = 0, begin = 0, terms = 0, low = 0, high = -1, alpha = 1, first, second;
  (void)all;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    const @_touch *const t = all->touch + c;
    const int n = @_N(t);
    for (int k = 0; k < n; ++k) {
      const double work = t->force[k] * t->dj[k];
      at_zero += work, terms += fabs(work), grows += (t->next[k] - t->force[k]) * t->dj[k];
      begin += (t->force[k] - t->f[k]) * t->dj[k];
    }
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_row *const t = all->row + r;
    const double work = t->force * t->dj;
    at_zero += work, terms += fabs(work), grows += (t->next - t->force) * t->dj, begin += (t->force - t->f) * t->dj;
  }
#endif
  if (!(fabs(begin) > 2e-15 * terms)) return 1; /* rounding, which knows of no other length */
  for (int k = 0; k < 60; ++k) {
    @_slope(all, alpha, at_zero, grows, &first, &second);
    if (!(fabs(first) > precision * fabs(begin))) break;
    if (first < 0) low = alpha;
    else high = alpha;
    const double newton = alpha - first / second;
    const double before = alpha;
    if (second > 0 && newton > low && (high < 0 || newton < high)) alpha = newton;
    else alpha = high < 0 ? 2 * alpha : 0.5 * (low + high);
    if (alpha == before) break;
  }
  return alpha;
}

)";

const char* const kFunctionBegins = R"(int @(const double **arg, double **res, long long int *iw, double *w, int mem) {
  static const double zeros[@_LONGEST] = {0};
  (void)iw, (void)w, (void)mem;
  const double *const in_q = arg[0] ? arg[0] : zeros, *const in_dq = arg[1] ? arg[1] : zeros;
  const double *const in_tau = arg[2] ? arg[2] : zeros, *const start = arg[@_START] ? arg[@_START] : zeros;
)";

const char* const kFunction =
    R"(  if (@_not_finite(in_q, @_NQ) || @_not_finite(in_dq, @_NV) || @_not_finite(in_tau, @_NV)) return 1;
  if (@_not_finite(start, @_LEFT)) return 1;
  double M[@_ROOM(@_ENTRIES)], push[@_ROOM(@_MOVED)], S[@_ROOM(@_COLUMNS)], motion[@_ROOM(12 * @_BODIES)];
  double where[@_ROOM(4 * @_CONTACTS)], axes[@_ROOM(9 * @_PLANES)], rest[@_ROOM(@_REST)], fixed_pivots[@_ROOM(2 * @_OTHERS)];
  double K[@_ROOM(48 * @_BODIES)] = {0}, pressed[@_ROOM(8 * @_BODIES)] = {0}, dh[@_ROOM(@_PLACES)] = {0}, dt[@_ROOM(@_PLACES)] = {0};
  double x[@_ROOM(@_MOVED)], reached[@_ROOM(@_MOVED)], y[@_ROOM(6 * @_BODIES)], pivots[@_ROOM(2 * @_MOVED)], ddq[@_NV];
  double left = 0, size = 0, best = -1, worst = -1;
  int steps = 0, settled = 0, stalled = 0, code = 3;$BEGIN$LOOP_BEGIN
  @_active all;
  @_PREPARE;
  for (int k = 0; k < @_OTHERS && code == 3; ++k)
    if (!(fixed_pivots[2 * k] > 1e-14 * fixed_pivots[2 * k + 1])) code = 2, worst = @_others[k];
  all.touches = all.rows = 0;$LOOP_MEET
#if @_CONTACTS
  for (int c = 0; c < @_CONTACTS; ++c) {
    const @_contact *const is = @_contacts + c;
    const double *const from = start + 1 + c * (1 + @_MOST);
    if (!(where[4 * c + 3] < is->margin)) continue;
    @_touch *const t = all.touch + all.touches++;
    t->is = is, t->number = c, t->n = is->n;
    @_meet(t, where + 4 * c, axes + 9 * is->plane, motion + 12 * is->body);
    if (start[0] != 0$LOOP_COLD && from[0] != 0) {
      for (int k = 0; k < @_N(t); ++k) t->j[k] = from[1 + k];
      @_cone(t, t->j, t->f, t->h);
    } else {
      @_stick(t);
    }
  }
#endif
#if @_JOINTS
  for (int r = 0; r < @_JOINTS; ++r) {
    const @_joint *const is = @_joints + r;
    const double *const from = start + 1 + @_CONTACTS * (1 + @_MOST) + 2 * r;
    const double gap = is->stop ? is->slope * in_q[is->q] + is->offset : 0, past = gap - is->margin;
    if (is->stop ? !(gap < is->margin) : !(is->loss > 0)) continue;
    const double d = @_impedance(&is->firm, is->stop ? past : 0);
    @_row *const t = all.row + all.rows++;
    t->is = is, t->number = r, t->D = 1 / @_softness(d, is->weight);
    t->aim = -is->B * is->slope * in_dq[is->v] - (is->stop ? is->K * d * past : 0);
    if (start[0] != 0$LOOP_COLD && from[0] != 0) t->j = from[1], @_law(t, t->j, &t->f, &t->h);
    else t->j = t->f = 0, t->h = t->D;
  }
#endif
  while (code == 3 && !settled && steps < @_ITERATIONS) {
    const int first = steps++ == 0;
    for (int k = 0; k < 48 * @_BODIES; ++k) K[k] = 0;
    for (int k = 0; k < 8 * @_BODIES; ++k) pressed[k] = 0;
    for (int k = 0; k < @_PLACES; ++k) dh[k] = dt[k] = 0;
#if @_CONTACTS
    for (int c = 0; c < all.touches; ++c) @_press(all.touch + c, K + 48 * all.touch[c].is->body, pressed + 8 * all.touch[c].is->body);
#endif
#if @_JOINTS
    for (int r = 0; r < all.rows; ++r) {
      const @_row *const t = all.row + r;
      dh[t->is->place] += t->is->slope * t->is->slope * t->h, dt[t->is->place] += t->is->slope * (t->f + t->h * (t->j + t->aim));
    }
#endif
    @_STEP;
    for (int k = 0; k < @_MOVED && code == 3; ++k)
      if (!(pivots[2 * k] > 1e-14 * pivots[2 * k + 1])) code = 2, worst = @_moved_freedoms[k];
    if (code != 3) break;$LOOP_HELD
#if @_CONTACTS
    for (int c = 0; c < all.touches; ++c) @_answer(all.touch + c, y + 6 * all.touch[c].is->body);
#endif
#if @_JOINTS
    for (int r = 0; r < all.rows; ++r) {
      @_row *const t = all.row + r;
      t->dj = t->is->slope * reached[t->is->moved] - t->aim - t->j, t->next = t->f - t->h * t->dj;
    }
#endif$LOOP_STEP
    const int near = first || left <= @_NEAR * size; /* as good as there: the slope along the step is rounding */
    const double alpha = near ? 1 : @_length(&all, steps < 7 ? 1e-2 : 1e-10), kept = first ? 0 : 1 - alpha;
    for (int k = 0; k < @_MOVED; ++k) x[k] = first ? reached[k] : x[k] + alpha * (reached[k] - x[k]);$MOVE
    left = size = 0, worst = -1;
    (void)kept;$LOOP_KEEP
#if @_CONTACTS
    for (int c = 0; c < all.touches; ++c) {
      @_touch *const t = all.touch + c;
      const int n = @_N(t);
      for (int k = 0; k < n; ++k) {
        t->j[k] += alpha * t->dj[k];
        t->force[k] = first ? t->next[k] : t->force[k] + alpha * (t->next[k] - t->force[k]);
      }
      @_cone(t, t->j, t->f, t->h);
      for (int k = 0; k < n; ++k) {
        const double miss = fabs(t->force[k] - t->f[k]), force = fabs(t->force[k]);
        if (!(miss <= left)) left = miss, worst = @_CONTACT_NAMES[t->number];
        if (!(force <= size)) size = force;
      }
    }
#endif
#if @_JOINTS
    for (int r = 0; r < all.rows; ++r) {
      @_row *const t = all.row + r;
      t->j += alpha * t->dj;
      t->force = first ? t->next : t->force + alpha * (t->next - t->force);
      @_law(t, t->j, &t->f, &t->h);
      const double miss = fabs(t->force - t->f), force = fabs(t->force);
      if (!(miss <= left)) left = miss, worst = @_JOINT_NAMES[t->number];
      if (!(force <= size)) size = force;
    }
#endif
    const double beside = size > 0 ? left / size : 0;
    settled = left <= @_TOLERANCE * size;
    stalled = best >= 0 && beside >= 0.5 * best ? stalled + 1 : 0;
    if (best < 0 || beside < best) best = beside;
    if (stalled >= 4 && beside <= 1e4 * @_TOLERANCE) settled = 1; /* rounding: no step helps */$LOOP_HOLD
  }$LOOP_AGAIN
  if (settled) {
    code = 0, worst = -1;
    @_FINISH;
    if (@_not_finite(ddq, @_NV)) code = 1;
  }$END
  double *const solver = res[4];
  if (solver) solver[0] = steps, solver[1] = $LOOP_RESIDUALsize > 0 ? left / size : 0, solver[2] = worst;
  if (code) return code;
  if (res[0]) memcpy(res[0], ddq, sizeof ddq);
  double *const lambda = res[1], *const gap = res[2], *const next = res[3];
  if (lambda)
    for (int k = 0; k < @_FORCES; ++k) lambda[k] = 0;
  if (gap)
    for (int c = 0; c < @_CONTACTS; ++c) gap[c] = where[4 * c + 3];
  if (next) {
    for (int k = 0; k < @_LEFT; ++k) next[k] = 0;
    next[0] = 1;
  }
#if @_CONTACTS
  for (int c = 0; c < all.touches; ++c) {
    const @_touch *const t = all.touch + c;
    const double *const plane = @_planes[t->is->plane];
    double *const to = next ? next + 1 + t->number * (1 + @_MOST) : 0;
    if (to) to[0] = 1;
    for (int k = 0; k < @_N(t); ++k) {
      if (to) to[1 + k] = t->j[k];
      for (int i = 0; lambda && i < 3; ++i) lambda[t->is->force + (k < 3 ? 0 : 3) + i] += t->force[k] * plane[3 * (k % 3) + i];
    }
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all.rows; ++r) {
    const @_row *const t = all.row + r;
    double *const to = next ? next + 1 + @_CONTACTS * (1 + @_MOST) + 2 * t->number : 0;
    if (to) to[0] = 1, to[1] = t->j;
    if (lambda) lambda[t->is->force] += t->is->sign * t->force;
  }
#endif$LOOP_WRITE
  return 0;
}
)";

/// What loops put in at each mark, or nothing.
std::string with_loops(std::string text, bool loops) {
  for (const auto& [mark, line] : loop_lines())
    for (std::size_t at = 0; (at = text.find(mark)) != std::string::npos;) text.replace(at, mark.size(), loops ? line : "");
  return text;
}

}  // namespace

std::string contact_helpers(bool loops) { return with_loops(kHelpers, loops); }

std::string contact_function(bool wrenches, bool slopes, bool loops) {
  const char* const fx = "  const double *const in_fx = arg[3] ? arg[3] : zeros;\n  if (@_not_finite(in_fx, @_NX)) return 1;\n";
  std::string text = with_loops(kFunction, loops);
  const auto put = [&](const std::string& mark, const std::string& line) {
    text.replace(text.find(mark), mark.size(), slopes || (loops && mark != "$END") ? "\n" + line : "");
  };
  put("$BEGIN", "  double turned[@_ROOM(6 * @_BODIES)] = {0}; /* the links' accelerations at x */");
  put("$MOVE", "    for (int k = 0; k < 6 * @_BODIES; ++k) turned[k] = first ? y[k] : turned[k] + alpha * (y[k] - turned[k]);");
  put("$END", std::string("  if (!code && (res[5] || res[6] || res[7] || res[8] || res[9] || res[10])) {\n") +
                  "    const int still = @_derive(in_q, in_dq, " + (wrenches ? "in_fx, " : "") +
                  (loops ? "E, loops, turn, twist, D, pull, loop_miss, exact ? &basis : 0, " : "") +
                  "ddq, where, axes, motion, turned, &all, res);\n    if (still >= 0) code = 2, worst = still;\n" +
                  (loops ? "    else if (still < -1) code = 3, worst = -2 - still;\n" : "") + "  }");
  return std::string(kFunctionBegins) + (wrenches ? fx : "") + text;
}

}  // namespace sparsedyn
