#include "force_curvature_text.hpp"

#include <utility>
#include <vector>

#include "codegen/contacts/contact_text.hpp"

namespace sparsedyn {
namespace {

const char* const kPressed = R"(
#if @_CONTACTS
/* multipliers of a contact's force by direction */
static void @_eta_of(const @_touch *t, const double *eta, double *along) {
  const double *const plane = @_planes[t->is->plane];
  for (int k = 0; k < @_N(t); ++k) along[k] = @_dot(plane + 3 * (k % 3), eta + t->is->force + (k < 3 ? 0 : 3), 3);
}
#endif

/* to += (df/da)' eta of contacts, stops and dry friction, f = -h J a */
static void @_press_back(const double *eta, const @_rows *all, const double *columns, double *to) {
  (void)eta, (void)all, (void)columns, (void)to;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    const @_touch *const t = all->touch + c;
    double along[@_MOST], pressed[6] = {0};
    @_eta_of(t, eta, along);
    for (int k = 0; k < @_N(t); ++k)
      for (int l = 0; l < @_N(t); ++l)
        for (int i = 0; i < 6; ++i) pressed[i] -= t->h[l][k] * along[k] * t->row[l][i];
    for (int w = @_way_begins[t->is->body]; w < @_way_begins[t->is->body + 1]; ++w)
      to[@_ways[w].v] += @_ways[w].ratio * @_dot(pressed, columns + 32 * @_ways[w].column, 6);
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_row *const t = all->row + r;
    to[t->is->v] -= t->is->slope * t->h * t->is->sign * eta[t->is->force];
  }
#endif
}
)";

const char* const kLoopPressed = R"(
/* multipliers of the loops' forces by row; `of_moments`: those of welds' moments along the axes of the rows */
static void @_eta_of_loops(const double *eta, const double *turn, const double *twist, double *of_rows, double *of_moments) {
  for (int l = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    const double *const given = eta + is->force;
    double *const to = of_rows + is->row;
    if (is->rows == 1) to[0] = given[0];
    for (int r = 0; r < 3 && is->rows > 1; ++r) {
      to[r] = 0;
      for (int k = 0; k < 3; ++k) to[r] += turn[3 * k + r] * given[(is->rows == 6 ? 3 : 0) + k];
    }
    if (is->rows != 6) continue;
    for (int r = 0; r < 3; ++r, ++of_moments) {
      to[3 + r] = *of_moments = 0;
      for (int k = 0; k < 3; ++k) to[3 + r] += twist[9 * l + 3 * k + r] * given[k], *of_moments += turn[3 * k + r] * given[k];
    }
  }
}

/* What nu has beside (df/dtau) lambda: of a soft row -D (eta + J u), u = (df/dtau)' eta; of a hard one -df/dtau times
   M u + sum of J'h (eta + J u) over all that is not hard, u of the hard rows. H: M with J'hJ of what is no loop; press: as
   @_press_back leaves it. */
static void @_add_adjoints(const double *eta, const double *press, const double *H, const double *E, const double *D,
                           const double *by_force, const double *u, double *nu) {
  double met[@_LOOP_ROWS] = {0}, of_hard[@_LOOP_ROWS] = {0}, hard[@_NV] = {0}, pushed[@_NV];
  for (int l = 0; l < @_LOOPS; ++l)
    for (int r = @_loops[l].row; r < @_loops[l].row + @_loops[l].rows && @_loops[l].hard; ++r)
      for (int i = 0; i < @_NV; ++i) hard[i] += eta[r] * by_force[r * @_WIDTH + 2 * @_NV + i];
  for (int i = 0; i < @_NV; ++i) pushed[i] = -press[i];
  for (int k = 0, at = 0; k < @_NV; ++k) {
    pushed[k] += H[at++] * hard[k];
    for (int b = @_before_begins[k]; b < @_before_begins[k + 1]; ++b, ++at)
      pushed[k] += H[at] * hard[@_before[b]], pushed[@_before[b]] += H[at] * hard[k];
  }
  for (int l = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    for (int r = is->row; r < is->row + is->rows && !is->hard; ++r) met[r] = of_hard[r] = eta[r];
    for (int f = 0; f < is->freedoms && !is->hard; ++f)
      for (int r = 0; r < is->rows; ++r) {
        const double J = E[is->entry + f * is->rows + r];
        met[is->row + r] += J * u[@_loop_freedoms[is->places + f]];
        of_hard[is->row + r] += J * hard[@_loop_freedoms[is->places + f]];
      }
    for (int f = 0; f < is->freedoms && !is->hard; ++f)
      for (int r = 0; r < is->rows; ++r)
        pushed[@_loop_freedoms[is->places + f]] += E[is->entry + f * is->rows + r] * D[is->row + r] * of_hard[is->row + r];
  }
  for (int l = 0; l < @_LOOPS; ++l)
    for (int r = @_loops[l].row; r < @_loops[l].row + @_loops[l].rows; ++r) {
      if (!@_loops[l].hard) nu[r] -= D[r] * met[r];
      for (int i = 0; i < @_NV && @_loops[l].hard; ++i) nu[r] -= by_force[r * @_WIDTH + 2 * @_NV + i] * pushed[i];
    }
}
)";

const char* const kShared = R"(
#if @_HELD > @_RANK
/* d(J x)/dq at the rates mu */
static void @_turns_at(const double *in_q, const double *mu, const double *loops, const double *turn, const double *loop_bends,
                       double *loop_turns) {
  static const double loop_force[@_LOOP_ROWS] = {0}, loop_nu[@_LOOP_ROWS] = {0};
  @_LOOP_TURNS;
}

/* the second derivatives by q and q that the rates mu and the forces loop_force have */
static void @_bend_at(const double *in_q, const double *in_dq,$FX const double *ddq, const double *mu, const double *loops,
                      const double *turn, const double *loop_bends, const double *loop_force, double *qq) {
  static const double on_w[@_ROOM(@_DIRECTIONS)] = {0}, on_p[@_ROOM(@_DIRECTIONS)] = {0}, on_r[@_ROOM(@_CONTACTS)] = {0};
  static const double loop_nu[@_LOOP_ROWS] = {0};
  double vv[@_NV * (@_NV + 1) / 2], vq[@_NV * @_NV], aq[@_NV * @_NV];
  @_CURVATURE;
}

/* Redundant hard rows, whose forces are the least ones, E J y: with g what of E eta moves nothing, H has
   g' (J'' y + J' y' + (J' y')') more, along motions that keep the loops closed. */
static void @_share(const double *in_q, const double *in_dq,$FX const double *ddq, const @_basis *by, const double *loops,
                    const double *turn, const double *bends, const double *eta, const double *f, const double *by_force,
                    double *G, double *W) {
  double x[@_HELD], g[@_LOOP_ROWS] = {0}, none[@_LOOP_ROWS] = {0}, y[@_NV], unit[@_NV] = {0}, C[@_NV * @_NV] = {0};
  double turned[@_LOOP_ENTRIES], of_unit[@_LOOP_ENTRIES], at_rest[@_LOOP_BENDS], column[@_LOOP_ROWS];
  double qq[@_NV * (@_NV + 1) / 2], without[@_NV * (@_NV + 1) / 2];
  memcpy(at_rest, bends, sizeof at_rest);
  for (int l = 0, at = 0; l < @_LOOPS; at += @_loops[l].rows == 6 ? 9 : 5, ++l)
    for (int k = 0; k < 5; ++k) at_rest[at + k] = 0; /* but the quaternion */
  for (int h = 0; h < @_HELD; ++h) x[h] = by->firm[h] * eta[@_held_rows[h]];
  @_split(by, 0, x);
  for (int h = 0; h < @_HELD; ++h) g[@_held_rows[h]] = -by->firm[h] * x[h];
  @_motion_of(by, f, y);
  @_turns_at(in_q, y, loops, turn, bends, turned);
  for (int k = 0; k < @_NV; ++k) {
    unit[k] = 1;
    @_turns_at(in_q, unit, loops, turn, bends, of_unit);
    unit[k] = 0;
    for (int l = 0; l < @_LOOPS; ++l)
      for (int i = 0; i < @_loops[l].freedoms; ++i)
        for (int r = 0; r < @_loops[l].rows; ++r)
          C[@_loop_freedoms[@_loops[l].places + i] * @_NV + k] -=
              g[@_loops[l].row + r] * of_unit[@_loops[l].entry + i * @_loops[l].rows + r];
  }
  for (int e = 0; e < 3 * @_NV; ++e) { /* E J y' = f' - E J' y */
    double change[@_NV];
    for (int r = 0; r < @_LOOP_ROWS; ++r) column[r] = 0;
    for (int l = 0; l < @_LOOPS; ++l)
      for (int i = 0; i < @_loops[l].freedoms; ++i)
        for (int r = 0; r < @_loops[l].rows && @_loop_freedoms[@_loops[l].places + i] == e; ++r)
          column[@_loops[l].row + r] = turned[@_loops[l].entry + i * @_loops[l].rows + r];
    for (int h = 0; h < @_HELD; ++h) {
      const int r = @_held_rows[h];
      column[r] = by_force[r * @_WIDTH + e] - by->firm[h] * by->firm[h] * column[r];
    }
    @_motion_of(by, column, change);
    for (int i = 0; i < @_NV; ++i)
      for (int k = 0; k < @_NV; ++k) W[i * @_WIDTH + e] += C[i * @_NV + k] * change[k];
  }
  @_bend_at(in_q, in_dq,$WITH_FX ddq, y, loops, turn, at_rest, g, qq);
  @_bend_at(in_q, in_dq,$WITH_FX ddq, y, loops, turn, at_rest, none, without); /* of the robot alone */
  for (int i = 0, at = 0; i < @_NV; ++i)
    for (int k = 0; k <= i; ++k, ++at) {
      G[i * @_WIDTH + k] += qq[at] - without[at];
      if (k < i) G[k * @_WIDTH + i] += qq[at] - without[at];
    }
}
#endif
)";

/// u = (∂f/∂τ)ᵀ η, of what is no loop and of loops.
const char* const kMoved = R"(  double press[@_NV] = {0}, moved[@_NV] = {0};
  @_press_back(eta, all, columns, press);
  for (int i = 0; i < @_NV; ++i)
    for (int k = 0; k < @_NV && press[i] != 0; ++k) moved[k] += press[i] * sides[i * @_WIDTH + 2 * @_NV + k];
)";
const char* const kLoopMoved = R"(  double row_eta[@_LOOP_ROWS], loop_eta[3 * @_LOOPS] = {0};
  (void)loop_eta;
  @_eta_of_loops(eta, turn, twist, row_eta, loop_eta);
  for (int r = 0; r < @_LOOP_ROWS; ++r)
    for (int k = 0; k < @_NV; ++k) moved[k] += row_eta[r] * by_force[r * @_WIDTH + 2 * @_NV + k];
)";

/// η of welds' rows turns with q: f ∂²η, and ∂η ∂fᵀ.
const char* const kMoments = R"(#if @_WELDS
  double eta_turns[@_ETA_TURNS], eta_bends[@_NV * (@_NV + 1) / 2];
  @_MOMENTS;
  for (int i = 0, at = 0; i < @_NV; ++i)
    for (int k = 0; k <= i; ++k, ++at) {
      G[i * @_WIDTH + k] += eta_bends[at];
      if (k < i) G[k * @_WIDTH + i] += eta_bends[at];
    }
  for (int l = 0, at = 0; l < @_LOOPS; ++l)
    for (int f = 0; f < @_loops[l].freedoms && @_loops[l].rows == 6; ++f)
      for (int r = @_loops[l].row + 3; r < @_loops[l].row + 6; ++r, ++at) {
        double *const to = W + @_loop_freedoms[@_loops[l].places + f] * @_WIDTH;
        for (int e = 0; e < @_WIDTH; e += 8) @_ADD(to + e, eta_turns[at], by_force + r * @_WIDTH + e);
      }
#endif
)";

}  // namespace

std::string with_force_multipliers(std::string text, bool forces, bool loops) {
  const std::string moved =
      std::string(kMoved) + (loops ? kLoopMoved : "") + "  for (int k = 0; k < @_NV; ++k) mu[k] -= moved[k];\n";
  const std::vector<std::pair<std::string, std::string>> marks{
      {"$TERM", " double term,"},
      {"$LESS", " - term"},
      {"$OF", " all->row[r].is->sign * eta[all->row[r].is->force],"},
      {"$ETA", std::string(" const double *eta, const double *columns,") +
                   (loops ? " const double *untied, const double *twist, const double *D, const @_basis *by," : "")},
      {"$MOVED", moved},
      {"$TESTED",
       "    double along[@_MOST];\n    @_eta_of(t, eta, along);\n"
       "    for (int k = 0; k < @_N(t); ++k) w[at + k] -= along[k];\n"},
      {"$ADJOINTS", "  @_add_adjoints(row_eta, press, untied, E, D, by_force, moved, loop_nu);\n"},
      {"$LOOP_TESTED", "    for (int r = 0; r < is->rows; ++r) loop_w[is->row + r] -= row_eta[is->row + r];\n"}};
  for (const auto& [mark, line] : marks) text = substituted(std::move(text), mark, forces ? line : "");
  return text;
}

std::string force_multipliers_text(bool wrenches, bool loops) {
  if (!loops) return kPressed;
  const std::string shared = substituted(kShared, "$WITH_FX", wrenches ? " in_fx," : "");
  return kPressed + std::string(kLoopPressed) + substituted(shared, "$FX", wrenches ? " const double *in_fx," : "");
}

std::string loop_forces_call(bool wrenches) {
  return std::string(kMoments) + "#if @_HELD > @_RANK\n  if (by) @_share(in_q, in_dq," + (wrenches ? " in_fx," : "") +
         " ddq, by, loops, turn, loop_bends, row_eta, loop_force, by_force, G, W);\n#else\n  (void)by;\n#endif\n";
}

std::string force_multipliers_handed_on(bool loops) {
  return std::string("in_force_multipliers, columns, ") + (loops ? "H, twist, D, by, " : "");
}

}  // namespace sparsedyn
