#include "curvature_text.hpp"

#include "codegen/contacts/contact_text.hpp"
#include "force_curvature_text.hpp"

namespace sparsedyn {
namespace {

const char* const kSteepening = R"(
#if @_CONTACTS || @_JOINTS || @_LOOPS
/* by how much the steepness of the impedance grows with r */
static double @_steepening(const @_firmness *f, double r) {
  const double x = fabs(r) * f->per_width, base = x <= f->middle ? x : 1 - x;
  double power = f->power * (f->power - 1) * (x <= f->middle ? f->below : -f->above);
  for (int k = 2; k < f->power; ++k) power *= base;
  return x < 1 ? power * (f->dw - f->d0) * f->per_width * f->per_width : 0;
}
#endif

)";

const char* const kBends = R"(
#if @_CONTACTS || @_JOINTS
static @_grip @_grip_of(const @_firmness *f, double K, double r) {
  return @_grip_at(K, r, @_impedance(f, r), @_steepness(f, r), @_steepening(f, r));
}
#endif

#if @_CONTACTS
static void @_touch_bend(const @_touch *t, double r, const double *w, @_bend *to) {
  const @_grip grip = @_grip_of(&t->is->firm, t->is->K, r);
  const double *const friction = t->is->pyramid ? 0 : t->is->friction;
  @_bend_of(@_N(t), friction, t->mu, t->Dm, t->j, t->force, t->h[0], @_MOST, &grip, w, to);
}

/* G -= ds' psi_ss ds, s of a contact as rows: w and p of each direction, r */
static void @_add_bend(const @_touch *t, const @_bend *b, const double *s, double *G) {
  const int n = @_N(t);
  const double *const p = s + n * @_WIDTH, *const r = p + n * @_WIDTH;
  double by_r[@_WIDTH] = {0};
  for (int k = 0; k < n; ++k) {
    double by_w[@_WIDTH] = {0}, by_p[@_WIDTH] = {0};
    for (int e = 0; e < @_WIDTH; e += 8) {
      for (int l = 0; l < n; ++l) {
        @_ADD(by_w + e, t->h[k][l], p + l * @_WIDTH + e);
        @_ADD(by_p + e, t->h[k][l], s + l * @_WIDTH + e);
        if (b->turns) @_ADD(by_p + e, -b->pp[k][l], p + l * @_WIDTH + e);
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
static void @_bend_joint(const @_row *t, const double *q, double mu,$TERM double *G) {
  const @_joint *const is = t->is;
  const int by_q = is->v, by_v = @_NV + is->v, by_a = 2 * @_NV + is->v;
  if (!is->stop || t->h == 0) return; /* its force is linear, or zero */
  const double past = is->slope * q[is->q] + is->offset - is->margin, square = is->slope * is->slope;
  const @_grip grip = @_grip_of(&is->firm, is->K, past);
  double pr, rr;
  @_stop_bend(t->force, t->h, &grip, is->slope * mu$LESS, &pr, &rr);
  pr *= square;
  G[by_q * @_WIDTH + by_q] -= square * rr;
  G[by_q * @_WIDTH + by_v] -= is->B * pr, G[by_v * @_WIDTH + by_q] -= is->B * pr;
  G[by_q * @_WIDTH + by_a] -= pr, G[by_a * @_WIDTH + by_q] -= pr;
}
#endif

)";

const char* const kCurve =
    R"(/* H: the lower triangle of lambda' d2a by (q, v, tau), row by row; sides: da/d(q, v, tau) in rows of @_WIDTH */
static void @_curve(const double *in_q, const double *in_dq,$FX const double *ddq, const double *lambda,$ETA const double *where,
                    const @_rows *all, const double *sides,$LOOPS double *H) {
  double mu[@_NV] = {0}, on_w[@_ROOM(@_DIRECTIONS)] = {0}, on_p[@_ROOM(@_DIRECTIONS)] = {0}, on_r[@_ROOM(@_CONTACTS)] = {0};
  double w[@_ROOM(@_DIRECTIONS)], touch_slopes[@_ROOM((2 * @_DIRECTIONS + @_CONTACTS) * @_WIDTH)];
  double qq[@_NV * (@_NV + 1) / 2], vv[@_NV * (@_NV + 1) / 2], vq[@_NV * @_NV], aq[@_NV * @_NV];
  double G[3 * @_NV * @_WIDTH] = {0}, W[2 * @_NV * @_WIDTH] = {0}, Q[3 * @_NV * @_WIDTH] = {0};
  int turns = 0;
  (void)where, (void)all;
  for (int i = 0; i < @_NV; ++i)
    for (int k = 0; k < @_NV; ++k) mu[k] -= lambda[i] * sides[i * @_WIDTH + 2 * @_NV + k];
$MOVED#if @_CONTACTS
  @_bend bend[@_CONTACTS];
  @_TOUCH_SLOPES;
  for (int c = 0; c < all->touches; ++c) {
    const @_touch *const t = all->touch + c;
    const int at = @_directions[t->number];
$TESTED    @_touch_bend(t, where[4 * t->number + 3] - t->is->margin, w + at, bend + c), turns |= bend[c].turns;
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
    @_add_bend(t, bend + c, touch_slopes + (2 * @_directions[t->number] + t->number) * @_WIDTH, G);
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) @_bend_joint(all->row + r, in_q, mu[all->row[r].is->v],$OF G);
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
  const int open = size > least && !@_at_kink(&is->firm, size);
  @_loop_bend(is->hard, is->omega, is->K, size, open, @_impedance(&is->firm, size), @_steepness(&is->firm, size),
              @_steepening(&is->firm, size), P, to);
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
$ADJOINTS  for (int l = 0, at = 0; l < @_LOOPS; at += @_loops[l].rows == 6 ? 9 : 5, ++l) {
    const @_loop *const is = @_loops + l;
    double P = 0;
    for (int f = 0; f < is->freedoms; ++f)
      for (int r = 0; r < is->rows; ++r)
        loop_w[is->row + r] += E[is->entry + f * is->rows + r] * mu[@_loop_freedoms[is->places + f]];
$LOOP_TESTED    for (int r = 0; r < is->rows; ++r) P += loop_w[is->row + r] * loop_force[is->row + r];
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

std::string contact_curvature_text(bool wrenches, bool loops, bool forces) {
  std::string text = substituted(kCurve, "$FX", wrenches ? " const double *in_fx," : "");
  text = substituted(text, "$LOOPS", loops ? kLoopArguments : "");
  text = substituted(text, "$BENDS", loops ? kLoopNumbers : "");
  text = substituted(text, "$FORCES", loops ? std::string(kLoopForces) + (forces ? loop_forces_call(wrenches) : "") : "");
  text = with_force_multipliers(text, forces, loops);
  const std::string law = std::string("#if @_CONTACTS || @_JOINTS\n") + contact_bend_text() + "#endif\n";
  return kSpread + std::string(kSteepening) + one_state_again(law + (loops ? loop_bend_text() : "")) +
         with_force_multipliers(kBends, forces, loops) + (loops ? kLoopBends : "") +
         (forces ? force_multipliers_text(wrenches, loops) : "") + text;
}

}  // namespace sparsedyn
