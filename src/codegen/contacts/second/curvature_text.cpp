#include "curvature_text.hpp"

#include "codegen/contacts/contact_text.hpp"

namespace sparsedyn {
namespace {

// Of a sliding contact, in U = (mu j_n, mu_k j_k), N = U_n, T = |U_t|, t = U_t/T, P = 1 − t tᵀ and with v = (mu w_n, mu_k w_k),
// the cost is Dm/2 (N − mu T)². Along v, t changes by P v/T and P/T by −(P v tᵀ + t (P v)ᵀ + (t·v) P)/T².
//
// Of the impedance d(r): ln D = ln d − ln(1 − d), so D''/D = d''/(d (1 − d)) + 2 d'²/(d (1 − d)²).
const char* const kBends = R"(
#if @_CONTACTS || @_JOINTS || @_LOOPS
/* by how much the steepness of the impedance grows with r */
static double @_steepening(const @_firmness *f, double r) {
  const double x = fabs(r) * f->per_width, base = x <= f->middle ? x : 1 - x;
  double power = f->power * (f->power - 1) * (x <= f->middle ? f->below : -f->above);
  for (int k = 2; k < f->power; ++k) power *= base;
  return x < 1 ? power * (f->dw - f->d0) * f->per_width * f->per_width : 0;
}
#endif

#if @_CONTACTS || @_JOINTS
/* How D and the aim of a row depend on r: D'/D, D''/D, and the derivatives of K d(r) r. */
typedef struct {
  double firmer, firmest, aim, aims;
} @_grip;

static @_grip @_grip_at(const @_firmness *f, double K, double r) {
  const double d = @_impedance(f, r), steep = @_steepness(f, r), steeper = @_steepening(f, r), soft = d * (1 - d);
  const @_grip grip = {steep / soft, (steeper + 2 * steep * steep / (1 - d)) / soft, K * (d + steep * r),
                       K * (2 * steep + steeper * r)};
  return grip;
}
#endif

#if @_CONTACTS
/* What of a contact's psi(w, p, r) = w f(j) is not zero: first derivatives, by w those of force; second ones, by w and p -h. */
typedef struct {
  double by_p[@_MOST], by_r, wr[@_MOST], pp[@_MOST][@_MOST], pr[@_MOST], rr;
} @_bend;

/* pp: the derivative of -h w by j; only a contact that slides on an elliptic cone has one */
static int @_sliding_bend(const @_touch *t, const double *w, double pp[@_MOST][@_MOST]) {
  const int n = @_N(t);
  double v[@_MOST], u[@_MOST], scale[@_MOST], T = 0, tv = 0;
  for (int k = 0; k < n; ++k)
    for (int l = 0; l < n; ++l) pp[k][l] = 0;
  if (n == 1 || t->is->pyramid) return 0;
  for (int k = 0; k < n; ++k) {
    scale[k] = k ? t->is->friction[k - 1] : t->mu;
    u[k] = scale[k] * t->j[k], v[k] = scale[k] * w[k];
    if (k) T += u[k] * u[k];
  }
  T = sqrt(T);
  int sticks, slides;
  @_kinds(t->mu, u[0], T, &sticks, &slides);
  if (!slides) return 0;
  const double e = u[0] - t->mu * T;
  for (int k = 1; k < n; ++k) u[k] /= T, tv += u[k] * v[k];
  const double de = v[0] - t->mu * tv;
  for (int k = 1; k < n; ++k) {
    const double moved = (v[k] - tv * u[k]) / T;
    pp[0][k] = pp[k][0] = t->Dm * t->mu * moved * scale[0] * scale[k];
    for (int l = 1; l <= k; ++l) {
      const double across = (k == l) - u[k] * u[l], turned = u[k] * (v[l] - tv * u[l]) / T + moved * u[l];
      const double bent = t->mu * turned - de * across / T + e * (turned + tv * across / T) / T;
      pp[k][l] = pp[l][k] = -t->Dm * t->mu * bent * scale[k] * scale[l];
    }
  }
  return 1;
}

static int @_bend_of(const @_touch *t, double r, const double *w, @_bend *to) {
  const int n = @_N(t), turns = @_sliding_bend(t, w, to->pp);
  const @_grip grip = @_grip_at(&t->is->firm, t->is->K, r);
  double power = 0;
  for (int k = 0; k < n; ++k) {
    to->by_p[k] = 0, power += w[k] * t->force[k];
    for (int l = 0; l < n; ++l) to->by_p[k] -= t->h[k][l] * w[l];
    to->wr[k] = grip.firmer * t->force[k] - grip.aim * t->h[k][0];
    to->pr[k] = grip.firmer * to->by_p[k] + grip.aim * to->pp[k][0];
  }
  to->by_r = grip.firmer * power + grip.aim * to->by_p[0];
  to->rr = grip.firmest * power + (2 * grip.firmer * grip.aim + grip.aims) * to->by_p[0] + grip.aim * grip.aim * to->pp[0][0];
  return turns;
}

/* G -= ds' psi_ss ds, s of a contact as rows: w and p of each direction, r */
static void @_add_bend(const @_touch *t, const @_bend *b, int turns, const double *s, double *G) {
  const int n = @_N(t);
  const double *const p = s + n * @_WIDTH, *const r = p + n * @_WIDTH;
  double by_r[@_WIDTH] = {0};
  for (int k = 0; k < n; ++k) {
    double by_w[@_WIDTH] = {0}, by_p[@_WIDTH] = {0};
    for (int e = 0; e < @_WIDTH; e += 8) {
      for (int l = 0; l < n; ++l) {
        @_ADD(by_w + e, t->h[k][l], p + l * @_WIDTH + e);
        @_ADD(by_p + e, t->h[k][l], s + l * @_WIDTH + e);
        if (turns) @_ADD(by_p + e, -b->pp[k][l], p + l * @_WIDTH + e);
      }
      @_ADD(by_w + e, -b->wr[k], r + e);
      @_ADD(by_p + e, -b->pr[k], r + e);
      @_ADD(by_r + e, -b->wr[k], s + k * @_WIDTH + e);
      @_ADD(by_r + e, -b->pr[k], p + k * @_WIDTH + e);
    }
    @_spread(s + k * @_WIDTH, by_w, G), @_spread(p + k * @_WIDTH, by_p, G);
  }
  for (int e = 0; e < @_WIDTH; e += 8) @_ADD(by_r + e, -b->rr, r + e);
  @_spread(r, by_r, G);
}
#endif

#if @_JOINTS
/* the same of a stop, or of dry friction: w = slope mu_v is constant, p = slope (a + B v), r = slope q + offset - margin */
static void @_bend_joint(const @_row *t, const double *q, double mu, double *G) {
  const @_joint *const is = t->is;
  const int by_q = is->v, by_v = @_NV + is->v, by_a = 2 * @_NV + is->v;
  if (!is->stop || t->h == 0) return; /* its force is linear, or zero */
  const double past = is->slope * q[is->q] + is->offset - is->margin, w = is->slope * mu, square = is->slope * is->slope;
  const @_grip grip = @_grip_at(&is->firm, is->K, past);
  const double pr = -grip.firmer * t->h * w * square;
  G[by_q * @_WIDTH + by_q] -=
      square * w * (grip.firmest * t->force - (2 * grip.firmer * grip.aim + grip.aims) * t->h);
  G[by_q * @_WIDTH + by_v] -= is->B * pr, G[by_v * @_WIDTH + by_q] -= is->B * pr;
  G[by_q * @_WIDTH + by_a] -= pr, G[by_a * @_WIDTH + by_q] -= pr;
}
#endif

)";

const char* const kCurve =
    R"(/* H: the lower triangle of lambda' d2a by (q, v, tau), row by row; sides: da/d(q, v, tau) in rows of @_WIDTH */
static void @_curve(const double *in_q, const double *in_dq,$FX const double *ddq, const double *lambda, const double *where,
                    const @_rows *all, const double *sides,$LOOPS double *H) {
  double mu[@_NV] = {0}, on_w[@_ROOM(@_DIRECTIONS)] = {0}, on_p[@_ROOM(@_DIRECTIONS)] = {0}, on_r[@_ROOM(@_CONTACTS)] = {0};
  double w[@_ROOM(@_DIRECTIONS)], touch_slopes[@_ROOM((2 * @_DIRECTIONS + @_CONTACTS) * @_WIDTH)];
  double qq[@_NV * (@_NV + 1) / 2], vv[@_NV * (@_NV + 1) / 2], vq[@_NV * @_NV], aq[@_NV * @_NV];
  double G[3 * @_NV * @_WIDTH] = {0}, W[2 * @_NV * @_WIDTH] = {0}, Q[3 * @_NV * @_WIDTH] = {0};
  int turns = 0;
  (void)where, (void)all;
  for (int i = 0; i < @_NV; ++i)
    for (int k = 0; k < @_NV; ++k) mu[k] -= lambda[i] * sides[i * @_WIDTH + 2 * @_NV + k];
#if @_CONTACTS
  @_bend bend[@_CONTACTS];
  int bent[@_CONTACTS];
  @_TOUCH_SLOPES;
  for (int c = 0; c < all->touches; ++c) {
    const @_touch *const t = all->touch + c;
    const int at = @_directions[t->number];
    bent[c] = @_bend_of(t, where[4 * t->number + 3] - t->is->margin, w + at, bend + c), turns |= bent[c];
    for (int k = 0; k < @_N(t); ++k) on_w[at + k] = t->force[k], on_p[at + k] = bend[c].by_p[k];
    on_r[t->number] = bend[c].by_r;
  }
#else
  (void)w, (void)touch_slopes;
#endif
$BENDS  @_CURVATURE;
  for (int i = 0; i < @_NV; ++i)
    for (int k = 0; k < @_NV; ++k) {
      const int low = i < k ? i : k, high = i < k ? k : i, at = high * (high + 1) / 2 + low;
      G[i * @_WIDTH + k] = qq[at], G[(@_NV + i) * @_WIDTH + @_NV + k] = vv[at];
      G[(@_NV + i) * @_WIDTH + k] = G[k * @_WIDTH + @_NV + i] = vq[i * @_NV + k];
      G[(2 * @_NV + i) * @_WIDTH + k] = G[k * @_WIDTH + 2 * @_NV + i] = aq[i * @_NV + k];
    }
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    const @_touch *const t = all->touch + c;
    @_add_bend(t, bend + c, bent[c], touch_slopes + (2 * @_directions[t->number] + t->number) * @_WIDTH, G);
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) @_bend_joint(all->row + r, in_q, mu[all->row[r].is->v], G);
#endif
  /* with a moving by `sides`: G_xa da + (G_xa da)' + da' G_aa da */
  for (int i = 0; i < 2 * @_NV; ++i)
    for (int k = 0; k < @_NV; ++k) {
      const double by = G[i * @_WIDTH + 2 * @_NV + k];
      for (int e = 0; e < @_WIDTH && by != 0; e += 8) @_ADD(W + i * @_WIDTH + e, by, sides + k * @_WIDTH + e);
    }
$FORCES  for (int k = 0; k < @_NV && turns; ++k) {
    double row[@_WIDTH] = {0};
    for (int l = 0; l < @_NV; ++l) {
      const double by = G[(2 * @_NV + k) * @_WIDTH + 2 * @_NV + l];
      for (int e = 0; e < @_WIDTH && by != 0; e += 8) @_ADD(row + e, by, sides + l * @_WIDTH + e);
    }
    @_spread(sides + k * @_WIDTH, row, Q);
  }
  for (int i = 0; i < 3 * @_NV; ++i)
    for (int k = 0; k <= i; ++k) {
      double entry = Q[i * @_WIDTH + k];
      if (i < 2 * @_NV) entry += G[i * @_WIDTH + k] + W[i * @_WIDTH + k];
      if (k < 2 * @_NV) entry += W[k * @_WIDTH + i];
      *H++ = entry;
    }
}

)";

// Of a loop, s = |phi|: K(s) and R(s) = (1 - d)/d are functions of t = s²/2, and d/dt is (1/s) d/ds. At s = 0 what remains of
// them is the limit of d'/s, which is d''. By the power 1 they have a kink there, which is left out.
const char* const kLoopBends = R"(
/* K of a loop's error and two derivatives by t, P times those of ln R and R''/R; the quaternion of a weld */
static void @_loop_bends_of(const @_loop *is, const double *error, const double *quaternion, double P, double *to) {
  const double least = 1e-100; /* whose square is a number */
  double size = 0;
  for (int r = 0; r < is->rows; ++r) {
    const double e = r < 3 ? error[r] : quaternion[r - 3];
    size += e * e;
  }
  size = sqrt(size);
  const double d = @_impedance(&is->firm, size), soft = d * (1 - d), bent = @_steepening(&is->firm, size);
  const int open = size > least && !@_at_kink(&is->firm, size);
  const double slope = open ? @_steepness(&is->firm, size) / size : bent, rest = open ? (bent - slope) / size / size : 0;
  to[0] = is->hard ? is->omega * is->omega : is->K * d, to[1] = to[2] = to[3] = to[4] = 0;
  if (!is->hard) {
    to[1] = is->K * slope, to[2] = is->K * rest;
    to[3] = -P * slope / soft, to[4] = P * (2 * slope * slope / d - rest) / soft;
  }
  for (int k = 0; k < 4 && is->rows == 6; ++k) to[5 + k] = quaternion[k];
}
)";

const char* const kLoopArguments =
    R"( const double *E, const double *loops, const double *turn, const double *laws, const double *loop_slopes,
                    const double *loop_force, const double *by_force,)";

const char* const kLoopNumbers =
    R"(  double loop_w[@_LOOP_ROWS] = {0}, loop_nu[@_LOOP_ROWS] = {0}, loop_bends[@_LOOP_BENDS], loop_turns[@_LOOP_ENTRIES];
  for (int r = 0; r < @_LOOP_ROWS; ++r)
    for (int i = 0; i < @_NV; ++i) loop_nu[r] += lambda[i] * by_force[r * @_WIDTH + 2 * @_NV + i];
  for (int l = 0, at = 0; l < @_LOOPS; at += @_loops[l].rows == 6 ? 9 : 5, ++l) {
    const @_loop *const is = @_loops + l;
    double P = 0;
    for (int f = 0; f < is->freedoms; ++f)
      for (int r = 0; r < is->rows; ++r)
        loop_w[is->row + r] += E[is->entry + f * is->rows + r] * mu[@_loop_freedoms[is->places + f]];
    for (int r = 0; r < is->rows; ++r) P += loop_w[is->row + r] * loop_force[is->row + r];
    @_loop_bends_of(is, loops + is->number, laws + @_laws[l] + 3, P, loop_bends + at);
  }
  @_LOOP_TURNS;
)";

/// A soft row's ν ∂R is −w ∂ ln D.
const char* const kLoopForces = R"(  for (int l = 0, at = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    for (int f = 0; f < is->freedoms; ++f, at += 2 * is->rows + 4)
      for (int r = 0; r < is->rows; ++r) {
        const double firm = is->hard ? 0 : loop_w[is->row + r] * loop_slopes[at + 2 * is->rows];
        const double by = -loop_turns[is->entry + f * is->rows + r] - firm;
        double *const to = W + @_loop_freedoms[is->places + f] * @_WIDTH;
        for (int e = 0; e < @_WIDTH; e += 8) @_ADD(to + e, by, by_force + (is->row + r) * @_WIDTH + e);
      }
  }
)";

const char* const kSpread = R"(
/* to += x y', rows of @_WIDTH */
static void @_spread(const double *x, const double *y, double *to) {
  for (int i = 0; i < 3 * @_NV; ++i)
    for (int e = 0; e < @_WIDTH && x[i] != 0; e += 8) @_ADD(to + i * @_WIDTH + e, x[i], y + e);
}
)";

}  // namespace

std::string contact_curvature_text(bool wrenches, bool loops) {
  std::string text = substituted(kCurve, "$FX", wrenches ? " const double *in_fx," : "");
  text = substituted(text, "$LOOPS", loops ? kLoopArguments : "");
  text = substituted(text, "$BENDS", loops ? kLoopNumbers : "");
  return kSpread + std::string(kBends) + (loops ? kLoopBends : "") + substituted(text, "$FORCES", loops ? kLoopForces : "");
}

}  // namespace sparsedyn
