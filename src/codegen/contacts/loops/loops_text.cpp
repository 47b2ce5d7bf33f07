#include <algorithm>
#include <map>
#include <utility>

#include "codegen/contacts/contact_step.hpp"
#include "codegen/contacts/contact_text.hpp"
#include "codegen/emit/emit_statements.hpp"
#include "codegen/kernel/quaternion_text.hpp"
#include "held_rows.hpp"
#include "loop_rows.hpp"

namespace sparsedyn {
namespace {

const char* const kLoops = R"(
/* Angular rows of a weld, e the vector part and s the scalar of the quaternion of R2'R1: e' = G w, G = (s 1 - [e]x) / 2.
   from: R2'R1, w, its change, R2. In the end `twist` is R2 G', in the world. */
static void @_meet_weld(const double *from, const double *turn, int freedoms, double *E, double *error, double *speed,
                        double *drift, double *twist) {
  double u[4];
  @_quaternion(from, u);
  const double G[3][3] = {{0.5 * u[3], 0.5 * u[2], -0.5 * u[1]}, {-0.5 * u[2], 0.5 * u[3], 0.5 * u[0]}, {0.5 * u[1], -0.5 * u[0], 0.5 * u[3]}};
  const double *const w = from + 9, *const change = from + 12, *const R2 = from + 15;
  const double grows = -0.25 * (w[0] * u[0] + w[1] * u[1] + w[2] * u[2]); /* half the scalar's rate */
  for (int r = 0; r < 3; ++r) {
    error[r] = u[r];
    speed[r] = G[r][0] * w[0] + G[r][1] * w[1] + G[r][2] * w[2];
  }
  for (int r = 0; r < 3; ++r) {
    const int i = (r + 1) % 3, j = (r + 2) % 3;
    drift[r] = G[r][0] * change[0] + G[r][1] * change[1] + G[r][2] * change[2] + grows * w[r] - 0.5 * (speed[i] * w[j] - speed[j] * w[i]);
  }
  for (int f = 0; f < freedoms; ++f) {
    double *const e = E + 6 * f + 3;
    const double raw[3] = {e[0], e[1], e[2]};
    for (int r = 0; r < 3; ++r) e[r] = G[r][0] * raw[0] + G[r][1] * raw[1] + G[r][2] * raw[2];
  }
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      twist[3 * r + c] = 0;
      for (int k = 0; k < 9; ++k) twist[3 * r + c] += turn[3 * r + k / 3] * R2[k] * G[c][k % 3];
    }
}

#endif

/* Rows J, what they aim at, and how firmly: D = 1/R, of hard ones 1/(1e-6 w), the proximal slope. Whether something is not finite. */
static int @_meet_loops(const double *loops, const double *turn, double *E, double *D, double *target, double *twist) {
  (void)turn, (void)twist;
  for (int l = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    const double *const from = loops + is->number;
    double error[6], speed[6], drift[6], size = 0;
    const int linear = is->rows < 3 ? 1 : 3;
    for (int r = 0; r < linear; ++r) error[r] = from[r], speed[r] = from[linear + r], drift[r] = from[2 * linear + r];
#if @_WELDS
    if (is->rows == 6) @_meet_weld(from + 9, turn, is->freedoms, E + is->entry, error + 3, speed + 3, drift + 3, twist + 9 * l);
#endif
    for (int r = 0; r < is->rows; ++r) size += error[r] * error[r];
    const double d = @_impedance(&is->firm, sqrt(size));
    for (int r = 0; r < is->rows; ++r) {
      const double weight = r < 3 ? is->linear : is->angular, K = is->hard ? is->omega * is->omega : is->K * d;
      D[is->row + r] = 1 / (is->hard ? 1e-6 * weight : @_softness(d, weight));
      target[is->row + r] = -(is->hard ? 2 * is->omega : is->B) * speed[r] - K * error[r] - drift[r];
    }
  }
  return @_not_finite(E, @_LOOP_ENTRIES) || @_not_finite(D, @_LOOP_ROWS) || @_not_finite(target, @_LOOP_ROWS);
}

/* push += J' by */
static void @_pull_loops(const double *E, const double *by, double *push) {
  for (int l = 0; l < @_LOOPS; ++l)
    for (int f = 0; f < @_loops[l].freedoms; ++f)
      for (int r = 0; r < @_loops[l].rows; ++r)
        push[@_loop_places[@_loops[l].places + f]] += E[@_loops[l].entry + f * @_loops[l].rows + r] * by[@_loops[l].row + r];
}

/* J x */
static void @_along_loops(const double *E, const double *x, double *to) {
  for (int r = 0; r < @_LOOP_ROWS; ++r) to[r] = 0;
  for (int l = 0; l < @_LOOPS; ++l)
    for (int f = 0; f < @_loops[l].freedoms; ++f)
      for (int r = 0; r < @_loops[l].rows; ++r)
        to[@_loops[l].row + r] += E[@_loops[l].entry + f * @_loops[l].rows + r] * x[@_loop_places[@_loops[l].places + f]];
}

)";

const char* const kTied = R"(/* Their cost is a square all along: M += J'DJ, push += J'D target. */
static void @_tie(const double *E, const double *D, const double *target, double *M, double *push) {
  double pull[@_LOOP_ROWS];
  for (int r = 0; r < @_LOOP_ROWS; ++r) pull[r] = D[r] * target[r];
  @_pull_loops(E, pull, push);
  for (int l = 0, entry = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    const double *const row = E + is->entry;
    for (int f = 0; f < is->freedoms; ++f) {
      double firm[6];
      for (int r = 0; r < is->rows; ++r) firm[r] = D[is->row + r] * row[f * is->rows + r];
      for (int g = 0; g <= f; ++g, ++entry)
        for (int r = 0; r < is->rows; ++r) M[@_tied[entry]] += firm[r] * row[g * is->rows + r];
    }
  }
}
)";

const char* const kHardLoops = R"(
#if @_HELD
/* the largest miss of a hard row beside what it aims at, and whose */
static double @_apart_by(const double *target, const double *miss, double *worst) {
  double most = 0;
  for (int l = 0; l < @_LOOPS; ++l)
    for (int r = @_loops[l].row; @_loops[l].hard && r < @_loops[l].row + @_loops[l].rows; ++r) {
      const double one = r < @_loops[l].row + 3 ? @_loops[l].unit : 1;
      const double beside = fabs(miss[r]) / (fabs(target[r]) > one ? fabs(target[r]) : one);
      if (!(beside <= most)) most = beside, *worst = @_loops[l].name;
    }
  return most;
}

/* Multipliers of hard rows take over what the proximal slope holds. */
static void @_take_over(const double *E, const double *D, const double *miss, double *pull, double *push) {
  double taken[@_LOOP_ROWS] = {0};
  for (int r = 0; r < @_LOOP_ROWS; ++r)
    if (@_hard[r]) taken[r] = -D[r] * miss[r], pull[r] += taken[r];
  @_pull_loops(E, taken, push);
}

/* A step from where the equations themselves miss, push + J'(pull - D miss) + contacts - M x: the last digits of what is held by
   slopes of 1e6, and what the multipliers have just changed; turned: the links' accelerations at x. M with J'DJ, untied without;
   `by`: the factor of the hard rows, where it holds them. Returns by how much cones miss, and `size`. */
static double @_refine(const @_basis *by, const double *untied, const double *push_of_all, const double *M, const double *S, const double *E,
                       const double *D, const double *target, double *pull, double *x, double *turned, double *miss, @_rows *all,
                       double *size) {
  double push[@_MOVED], force[@_LOOP_ROWS], K[@_ROOM(48 * @_BODIES)] = {0}, pressed[@_ROOM(8 * @_BODIES)] = {0};
  double dh[@_ROOM(@_PLACES)] = {0}, dt[@_ROOM(@_PLACES)] = {0}, reached[@_MOVED], y[@_ROOM(6 * @_BODIES)], pivots[2 * @_MOVED];
  double left = 0, lacks[@_LOOP_ROWS], held[@_LOOP_ROWS] = {0};
  @_along_loops(E, x, miss);
  for (int r = 0; r < @_LOOP_ROWS; ++r) miss[r] -= target[r], force[r] = pull[r] - D[r] * miss[r];
  for (int k = 0; k < @_MOVED; ++k) push[k] = push_of_all[k];
  @_pull_loops(E, force, push);
  for (int e = 0; e < @_ENTRIES; ++e) {
    const int i = @_entry_rows[e], j = @_entry_columns[e];
    push[i] -= untied[e] * x[j];
    if (i != j) push[j] -= untied[e] * x[i];
  }
  if (by) {
    for (int r = 0; r < @_LOOP_ROWS; ++r) lacks[r] = -miss[r];
    @_push_held(by, lacks, push);
  }
  (void)all;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) @_press(all->touch + c, K + 48 * all->touch[c].is->body, pressed + 8 * all->touch[c].is->body);
  for (int k = 0; k < 8 * @_BODIES; ++k) pressed[k] = 0;
  for (int c = 0; c < all->touches; ++c)
    for (int k = 0; k < @_N(all->touch + c); ++k) @_ADD(pressed + 8 * all->touch[c].is->body, all->touch[c].f[k], all->touch[c].row[k]);
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_row *const t = all->row + r;
    dh[t->is->place] += t->is->slope * t->is->slope * t->h, dt[t->is->place] += t->is->slope * t->f;
  }
#endif
  @_STEP;
  if (by) {
    @_hold(by, lacks, M, S, K, dh, reached, y, held);
    for (int r = 0; r < @_LOOP_ROWS; ++r) pull[r] += held[r];
  }
  for (int k = 0; k < @_MOVED; ++k) x[k] += reached[k];
  for (int k = 0; k < 6 * @_BODIES; ++k) turned[k] += y[k];
  @_along_loops(E, reached, force);
  *size = 0;
  for (int r = 0; r < @_LOOP_ROWS; ++r) {
    miss[r] += force[r];
    const double held = fabs(pull[r] - D[r] * miss[r]);
    if (!(held <= *size)) *size = held;
  }
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    @_touch *const t = all->touch + c;
    const int n = @_N(t);
    for (int k = 0; k < n; ++k) {
      t->dj[k] = 0;
      for (int i = 0; i < 6; ++i) t->dj[k] += t->row[k][i] * y[6 * t->is->body + i];
    }
    for (int k = 0; k < n; ++k) t->j[k] += t->dj[k], t->force[k] = @_next(n, k, t->f, t->h[0], @_MOST, t->dj);
    @_cone(t);
    for (int k = 0; k < n; ++k) {
      if (!(fabs(t->force[k] - t->f[k]) <= left)) left = fabs(t->force[k] - t->f[k]);
      if (!(fabs(t->force[k]) <= *size)) *size = fabs(t->force[k]);
    }
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    @_row *const t = all->row + r;
    t->dj = t->is->slope * reached[t->is->moved], t->force = t->f - t->h * t->dj, t->j += t->dj;
    @_of(t, t->j, &t->f, &t->h);
    if (!(fabs(t->force - t->f) <= left)) left = fabs(t->force - t->f);
    if (!(fabs(t->force) <= *size)) *size = fabs(t->force);
  }
#endif
  return left;
}

#if @_HELD > @_RANK
/* Redundant rows: takes from their forces what moves nothing, J'f = 0, and is rounding times D. What is left is D J z, the least
   of all forces that do the same; D J (M + J'DJ)^-1 J' keeps such a force but for a millionth, where J M^-1 J' is firm. Else the
   rows' own basis tells; untied: M without J'DJ. */
static void @_drop_idle(const double *untied, const double *M, const double *S, const double *E, const double *D, const double *miss,
                        double *pull) {
  double rest[@_LOOP_ROWS], kept[@_LOOP_ROWS] = {0}, part[@_LOOP_ROWS], size = 0, moved;
  for (int r = 0; r < @_LOOP_ROWS; ++r) {
    rest[r] = @_hard[r] ? pull[r] - D[r] * miss[r] : 0;
    if (!(fabs(rest[r]) <= size)) size = fabs(rest[r]);
  }
  moved = size;
  for (int k = 0; k < 10 && moved > 1e-15 * size; ++k) {
    double push[@_MOVED] = {0}, K[@_ROOM(48 * @_BODIES)] = {0}, pressed[@_ROOM(8 * @_BODIES)] = {0};
    double dh[@_ROOM(@_PLACES)] = {0}, dt[@_ROOM(@_PLACES)] = {0}, reached[@_MOVED], y[@_ROOM(6 * @_BODIES)], pivots[2 * @_MOVED];
    @_pull_loops(E, rest, push);
    @_STEP;
    @_along_loops(E, reached, part), moved = 0;
    for (int r = 0; r < @_LOOP_ROWS; ++r) {
      const double seen = @_hard[r] ? D[r] * part[r] : 0;
      kept[r] += seen, rest[r] -= seen;
      if (!(fabs(seen) <= moved)) moved = fabs(seen);
    }
  }
  if (!(moved <= 1e-15 * size)) {
    @_basis by;
    for (int r = 0; r < @_LOOP_ROWS; ++r) kept[r] += rest[r];
    if (@_take(E, D, untied, &by) < 0) @_keep_least(&by, kept);
  }
  for (int r = 0; r < @_LOOP_ROWS; ++r)
    if (@_hard[r]) pull[r] = kept[r] + D[r] * miss[r];
}
#endif
#endif
)";

const char* const kWritten = R"(
static void @_write_loops(const double *D, const double *miss, const double *pull, const double *turn, const double *twist,
                          double *lambda) {
  (void)turn, (void)twist;
  for (int l = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    double force[6], *const to = lambda + is->force, *const linear = to + (is->rows == 6 ? 3 : 0);
    for (int r = 0; r < is->rows; ++r) force[r] = pull[is->row + r] - D[is->row + r] * miss[is->row + r];
    if (is->rows == 1) to[0] = force[0];
    for (int r = 0; r < 3 && is->rows > 1; ++r) linear[r] = turn[3 * r] * force[0] + turn[3 * r + 1] * force[1] + turn[3 * r + 2] * force[2];
#if @_WELDS
    for (int r = 0; r < 3 && is->rows == 6; ++r)
      to[r] = twist[9 * l + 3 * r] * force[3] + twist[9 * l + 3 * r + 1] * force[4] + twist[9 * l + 3 * r + 2] * force[5];
#endif
  }
}

)";

std::string list(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& x : all) text += (text.empty() ? "" : ", ") + x;
  return text;
}

std::string integers(const std::string& name, const std::vector<int>& all) {
  std::string text = "static const int @_" + name + "[] = {";
  for (int x : all) text += std::to_string(x) + ", ";
  return text + "};\n";
}

/// The loops, and where their freedoms stand among those that are moved.
std::string tables(const ContactLayout& layout, const std::vector<int>& names) {
  const std::vector<LoopPlace> places = loop_places(layout);
  std::vector<int> moved;
  int welds = 0;
  std::string loops;
  for (std::size_t l = 0; l < layout.loops.size(); ++l) {
    const RowBlock& b = *layout.loops[l];
    const auto integer = [](auto x) { return std::to_string(static_cast<int>(x)); };
    loops += "  {" +
             list({integer(b.rows), integer(b.hard), integer(places[l].row), integer(places[l].entry),
                   integer(places[l].number), integer(b.freedoms.size()), integer(moved.size()), integer(b.first_force),
                   integer(names[l]), shortest_decimal(b.pull.K), shortest_decimal(b.pull.B), shortest_decimal(b.omega),
                   shortest_decimal(b.linear_weight), shortest_decimal(b.angular_weight), shortest_decimal(b.unit),
                   firmness_text(b)}) +
             "},\n";
    welds += b.type == ConstraintType::weld;
    for (int freedom : b.freedoms) moved.push_back(layout.place[static_cast<std::size_t>(freedom)]);
  }
  const auto count = [](const char* name, int n) { return "#define @_" + std::string(name) + " " + std::to_string(n) + "\n"; };
  return count("LOOP_ROWS", places.back().row) + count("LOOP_ENTRIES", places.back().entry) +
         count("LOOP_NUMBERS", places.back().number) + count("WELDS", welds) + R"(typedef struct {
  int rows, hard, row, entry, number, freedoms, places, force, name;
  double K, B, omega, linear, angular, unit;
  @_firmness firm;
} @_loop;
static const @_loop @_loops[] = {
)" + loops +
         "};\n" + integers("loop_places", moved);
}

/// Where pairs of their freedoms stand among the entries of M, and of hard rows, what refines their forces.
std::string entry_tables(const ContactLayout& layout) {
  std::map<std::pair<int, int>, int> entries;
  std::vector<int> rows, columns, tied, hard;
  for_each_entry(layout, [&](int i, int j) {
    entries.emplace(std::make_pair(i, j), static_cast<int>(rows.size()));
    rows.push_back(layout.place[static_cast<std::size_t>(i)]), columns.push_back(layout.place[static_cast<std::size_t>(j)]);
  });
  for (const RowBlock* loop : layout.loops) {
    hard.insert(hard.end(), static_cast<std::size_t>(loop->rows), loop->hard);
    for (std::size_t f = 0; f < loop->freedoms.size(); ++f)
      for (std::size_t g = 0; g <= f; ++g) tied.push_back(entries.at({loop->freedoms[f], loop->freedoms[g]}));
  }
  return integers("tied", tied) +
         (std::count(hard.begin(), hard.end(), 1) == 0
              ? ""
              : integers("hard", hard) + integers("entry_rows", rows) + integers("entry_columns", columns));
}

}  // namespace

std::string soft_loops_text(const ContactLayout& layout, const std::vector<int>& names) {
  return tables(layout, names) + "\n#if @_WELDS\n" + quaternion_text + kLoops + kWritten;
}

std::string contact_loops_text(const ContactLayout& layout, const std::vector<int>& names, const HardRowMeasure& measure) {
  return soft_loops_text(layout, names) + entry_tables(layout) + held_rows_tables(layout, measure) + kTied + held_rows_text() +
         kHardLoops;
}

const std::vector<std::pair<std::string, std::string>>& loop_lines() {
  static const std::vector<std::pair<std::string, std::string>> all{
      {"$LOOP_BEGIN", R"(
  double E[@_ROOM(@_LOOP_ENTRIES)], loops[@_LOOP_NUMBERS], turn[9], twist[9 * @_LOOPS], D[@_LOOP_ROWS], target[@_LOOP_ROWS];
  double pull[@_LOOP_ROWS] = {0}, loop_miss[@_LOOP_ROWS] = {0}, missed[@_LOOP_ROWS], apart = 0;
  @_basis basis; /* holds the hard rows where `exact` */
  int exact = 0;
#if @_HELD
  double untied[@_ENTRIES], free_push[@_MOVED], held[@_LOOP_ROWS] = {0}, before[4] = {0};
  int again = 0, before_steps = 0, before_code = 0;
#endif
  (void)basis, (void)exact;)"},
      {"$LOOP_MEET", R"(
  if (@_meet_loops(loops, turn, E, D, target, twist)) return 1;
#if @_HELD
  memcpy(untied, M, sizeof untied), memcpy(free_push, push, sizeof free_push);
  exact = @_weak(E);
  const int given = code;
  while (1) { /* by multipliers; where rows are weak or these do not settle, by their factor */
  if (exact && code == 3) {
    const int lost = @_take(E, D, untied, &basis);
    if (lost >= 0) {
      worst = lost;
      break;
    }
    for (int h = 0; h < @_HELD; ++h) D[@_held_rows[h]] *= 1e-6; /* E beside M, then none: the forces are multipliers */
    memcpy(M, untied, sizeof untied), memcpy(push, free_push, sizeof free_push);
  }
#endif
  @_tie(E, D, target, M, push);
#if @_HELD
  for (int h = 0; h < @_HELD && exact; ++h) D[@_held_rows[h]] = 0;
#endif)"},
      {"$LOOP_COLD", " && !@_AGAIN"},
      {"$LOOP_HELD", R"(
#if @_HELD
    if (exact) @_hold(&basis, target, M, S, K, dh, reached, y, held);
#endif)"},
      {"$LOOP_STEP", "\n    @_along_loops(E, reached, missed), apart = 0;"},
      {"$LOOP_KEEP", R"(
    for (int r = 0; r < @_LOOP_ROWS; ++r) {
      missed[r] -= target[r], loop_miss[r] = first ? missed[r] : loop_miss[r] + alpha * (missed[r] - loop_miss[r]);
#if @_HELD
      if (exact && @_hard[r]) pull[r] = first ? held[r] : pull[r] + alpha * (held[r] - pull[r]);
#endif
      const double force = fabs(pull[r] - D[r] * loop_miss[r]);
      if (!(force <= size)) size = force;
    })"},
      {"$LOOP_HOLD", R"(
#if @_HELD
    if (settled) {
      const double most = 2 * left > @_TOLERANCE * size ? 2 * left : @_TOLERANCE * size;
      int done = 0;
      apart = exact ? 1 : @_apart_by(target, loop_miss, &worst);
      for (int k = 0; k < 3 && exact && !(k > 1 && apart <= 1e-11); ++k) {
        left = @_refine(&basis, untied, free_push, M, S, E, D, target, pull, x, turned, loop_miss, &all, &size);
        apart = @_apart_beside(E, x, target, loop_miss, &worst), settled = left <= most;
      }
      for (int k = 0; settled && !exact && k < 4 && apart > 0 && !done; ++k) {
        done = apart <= 1e-11;
        @_take_over(E, D, loop_miss, pull, push);
        left = @_refine(0, untied, free_push, M, S, E, D, target, pull, x, turned, loop_miss, &all, &size);
        apart = @_apart_by(target, loop_miss, &worst), settled = left <= most;
      }
      if (!(apart <= 1e-11)) settled = 0;
      if (settled) apart = 0;
      else best = -1, stalled = 0;
#if @_HELD > @_RANK
      if (settled && !exact) @_drop_idle(untied, M, S, E, D, loop_miss, pull);
#endif
      if (!settled && exact) break;
    }
#endif)"},
      {"$LOOP_AGAIN", R"(
#if @_HELD
    if (!settled && again) /* what multipliers have come to */
      code = before_code, left = before[0], size = before[1], apart = before[2], worst = before[3], steps = before_steps;
    if (settled || exact || given != 3) break;
    before_code = code, before[0] = left, before[1] = size, before[2] = apart, before[3] = worst, before_steps = steps;
    exact = again = 1, code = 3, steps = stalled = 0, best = worst = -1, apart = 0;
    for (int r = 0; r < @_LOOP_ROWS; ++r) pull[r] = 0;
  }
#endif)"},
      {"$LOOP_RESIDUAL", "apart > 0 ? apart : "},
      {"$LOOP_WRITE", "\n  if (lambda) @_write_loops(D, loop_miss, pull, turn, twist, lambda);"}};
  return all;
}

}  // namespace sparsedyn
