#include "codegen/contacts/contact_slopes.hpp"
#include "codegen/contacts/contact_text.hpp"
#include "held_rows.hpp"
#include "loop_rows.hpp"
#include "loop_slopes.hpp"

namespace sparsedyn {
namespace {

const char* const kSlopeHelpers = R"(/* H, its lower triangle row by row; -1, or the freedom whose pivot is not positive */
static int @_factor(double *H) {
  double diagonal[@_NV];
  for (int k = 0; k < @_NV; ++k) diagonal[k] = H[k * @_NV + k];
  for (int k = @_NV - 1; k >= 0; --k) {
    double *const row = H + k * @_NV;
    if (!(row[k] > 1e-14 * diagonal[k])) return k;
    for (int b = @_before_begins[k + 1] - 1; b >= @_before_begins[k]; --b) { /* from the base on: row stays what it was above */
      const int i = @_before[b];
      const double l = row[i] / row[k];
      for (int c = b; c < @_before_begins[k + 1]; ++c) H[i * @_NV + @_before[c]] -= l * row[@_before[c]];
    }
    for (int b = @_before_begins[k]; b < @_before_begins[k + 1]; ++b) row[@_before[b]] /= row[k];
  }
  return -1;
}

/* x <- H^-1 x, of all columns */
static void @_solve(const double *H, double *x) {
  for (int k = @_NV - 1; k >= 0; --k)
    for (int b = @_before_begins[k]; b < @_before_begins[k + 1]; ++b)
      for (int e = 0; e < @_WIDTH; e += 8) @_ADD(x + @_before[b] * @_WIDTH + e, -H[k * @_NV + @_before[b]], x + k * @_WIDTH + e);
  for (int k = 0; k < @_NV; ++k) {
    for (int e = 0; e < @_WIDTH; ++e) x[k * @_WIDTH + e] /= H[k * @_NV + k];
    for (int b = @_before_begins[k]; b < @_before_begins[k + 1]; ++b)
      for (int e = 0; e < @_WIDTH; e += 8) @_ADD(x + k * @_WIDTH + e, -H[k * @_NV + @_before[b]], x + @_before[b] * @_WIDTH + e);
  }
}

/* whether a loop is closed but for rounding, where a power of 1 has a kink: the law's slopes have no direction there */
static int @_at_kink(const @_firmness *f, double size) { return f->power == 1 && size * f->per_width < 1e-9; }

/* How a loop's law is at this state: K of the error, by how much that grows with error . d error, likewise ln D; the quaternion. */
static void @_laws_of(const double *loops, double *laws) {
  for (int l = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    const double *const from = loops + is->number;
    double *const to = laws + @_laws[l], size = 0;
    for (int r = 0; r < 3 && r < is->rows; ++r) size += from[r] * from[r];
#if @_WELDS
    double u[4];
    if (is->rows == 6) {
      @_quaternion(from + 9, u);
      for (int k = 0; k < 3; ++k) size += u[k] * u[k];
      memcpy(to + 3, u, sizeof u);
    }
#endif
    size = sqrt(size);
    const int bends = size > 0 && !is->hard && !@_at_kink(&is->firm, size);
    const double d = @_impedance(&is->firm, size), steep = bends ? @_steepness(&is->firm, size) / size : 0;
    to[0] = is->hard ? is->omega * is->omega : is->K * d, to[1] = is->K * steep, to[2] = steep / (d * (1 - d));
  }
}

/* to += J x of all columns */
static void @_add_along(const double *E, const double *x, double *to) {
  for (int l = 0; l < @_LOOPS; ++l)
    for (int f = 0; f < @_loops[l].freedoms; ++f)
      for (int r = 0; r < @_loops[l].rows; ++r)
        for (int e = 0; e < @_WIDTH; e += 8)
          @_ADD(to + (@_loops[l].row + r) * @_WIDTH + e, E[@_loops[l].entry + f * @_loops[l].rows + r],
                x + @_loop_freedoms[@_loops[l].places + f] * @_WIDTH + e);
}

/* to += J' f */
static void @_add_pull(const double *E, const double *f, double *to) {
  for (int l = 0; l < @_LOOPS; ++l)
    for (int g = 0; g < @_loops[l].freedoms; ++g)
      for (int r = 0; r < @_loops[l].rows; ++r)
        for (int e = 0; e < @_WIDTH; e += 8)
          @_ADD(to + @_loop_freedoms[@_loops[l].places + g] * @_WIDTH + e, E[@_loops[l].entry + g * @_loops[l].rows + r],
                f + (@_loops[l].row + r) * @_WIDTH + e);
}

/* Whether a loop's misses in a column are rounding: beside what they are sums of, or in the forces beside those, or beside the
   largest of all columns, where the column's own are nothing. */
static int @_is_rounding(const @_loop *is, const double *E, const double *D, const double *x, const double *miss, const double *held,
                         int e, double largest) {
  double most = 0, size = 0, gained = 0, pulls = 0;
  for (int r = 0; r < is->rows; ++r) {
    const int at = (is->row + r) * @_WIDTH + e;
    double of_row = 0;
    for (int f = 0; f < is->freedoms; ++f)
      of_row += fabs(E[is->entry + f * is->rows + r] * x[@_loop_freedoms[is->places + f] * @_WIDTH + e]);
    if (!(of_row <= size)) size = of_row;
    if (!(fabs(miss[at]) <= most)) most = fabs(miss[at]);
    if (!(D[is->row + r] * fabs(miss[at]) <= gained)) gained = D[is->row + r] * fabs(miss[at]);
    if (!(fabs(held[at]) <= pulls)) pulls = fabs(held[at]);
  }
  return most <= 1e-12 * size || gained <= 1e-9 * pulls || gained <= 1e-13 * largest;
}

/* Whether a step was large in some column: beside what it leads to, beside rounding of the largest column, and beside rounding
   of what the side would do to a robot without loops, of inertias `own` at most, since a robot that loops hold still has columns
   of zeros. A step leaves about this part of what it was. */
static int @_large_step(const double *step, const double *x, const double *sides, const double *own) {
  double heaviest = 0;
  for (int k = 0; k < @_NV; ++k)
    if (!(own[k] <= heaviest)) heaviest = own[k];
  for (int by = 0; by < 3; ++by) {
    double largest = 0;
    for (int k = 0; k < @_NV; ++k)
      for (int c = 0; c < @_NV; ++c)
        if (!(fabs(x[k * @_WIDTH + by * @_NV + c]) <= largest)) largest = fabs(x[k * @_WIDTH + by * @_NV + c]);
    for (int e = by * @_NV; e < (by + 1) * @_NV; ++e) {
      double most = 0, size = 1e-7 * largest;
      for (int k = 0; k < @_NV; ++k) {
        const double free = 1e-7 * fabs(sides[k * @_WIDTH + e]) / heaviest;
        if (!(fabs(step[k * @_WIDTH + e]) <= most)) most = fabs(step[k * @_WIDTH + e]);
        if (!(fabs(x[k * @_WIDTH + e]) <= size)) size = fabs(x[k * @_WIDTH + e]);
        if (free > size) size = free;
      }
      if (!(most <= 1e-6 * size)) return 1;
    }
  }
  return 0;
}

/* The first hard loop whose misses are not rounding in some column, its place among the constraints, or -1. */
static int @_loose_loop(const double *E, const double *D, const double *x, const double *miss, const double *held) {
  for (int by = 0; by < 3; ++by) {
    double largest = 0;
    for (int r = 0; r < @_LOOP_ROWS; ++r)
      for (int c = 0; c < @_NV; ++c)
        if (!(fabs(held[r * @_WIDTH + by * @_NV + c]) <= largest)) largest = fabs(held[r * @_WIDTH + by * @_NV + c]);
    for (int l = 0; l < @_LOOPS; ++l)
      for (int c = 0; c < @_NV && @_loops[l].hard; ++c)
        if (!@_is_rounding(@_loops + l, E, D, x, miss, held, by * @_NV + c, largest)) return @_loops[l].name;
  }
  return -1;
}

)";

const char* const kSolution =
    R"(  double H[@_FACTORS + @_NV], loop_slopes[@_LOOP_SLOPES], laws[@_LAWS], pulled[@_LOOP_ROWS], dense[@_NV * @_NV] = {0};
  double x[@_NV * @_WIDTH] = {0}, step[@_NV * @_WIDTH], start[@_LOOP_ROWS * @_WIDTH] = {0}, held[@_LOOP_ROWS * @_WIDTH] = {0};
  double gap_of[@_LOOP_ROWS * @_WIDTH], force[@_LOOP_ROWS * @_WIDTH], own[@_NV]; /* own: the diagonal of H without loops */
  double tie[@_LOOP_ROWS], grip[@_LOOP_ROWS]; /* what ties the rows into H, and the slopes of misses that are rounding */
#if @_HELD > @_RANK
  double met[@_LOOP_ROWS * @_WIDTH]; /* of misses what rows of full rank would miss */
#endif
  int loose = -1;
  for (int r = 0; r < @_LOOP_ROWS; ++r) pulled[r] = pull[r] - D[r] * loop_miss[r], tie[r] = grip[r] = D[r];
  (void)by;
#if @_HELD
  for (int h = 0; h < @_HELD && by; ++h) {
    tie[@_held_rows[h]] = by->firm[h] * by->firm[h], grip[@_held_rows[h]] = 1e6 * tie[@_held_rows[h]];
  }
#endif
  @_laws_of(loops, laws);
#if @_HELD > @_RANK
  double turned_by_q[@_LOOP_ROWS * @_NV];
  if (by && res[8]) { /* of a robot at rest with the accelerations `along`, misses change as J along does, and by multiples of J */
    double along[@_NV], rest[@_NV] = {0};
    @_motion_of(by, pulled, along);
    @_SLOPES_OF(rest, along);
    @_turned_forces(by, loop_slopes, turned_by_q);
  }
#endif
  @_SLOPES;
  for (int k = 0, at = 0; k < @_NV; ++k) {
    own[k] = dense[k * @_NV + k] = H[at++];
    for (int b = @_before_begins[k]; b < @_before_begins[k + 1]; ++b) dense[k * @_NV + @_before[b]] = H[at++];
  }
  /* held: what the forces change by in themselves, then also what multipliers have taken over */
  for (int l = 0, at = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    for (int i = 0; i < is->freedoms; ++i, at += 2 * is->rows + 4) {
      const int v = @_loop_freedoms[is->places + i];
      for (int r = 0; r < is->rows; ++r) {
        double *const of_row = start + (is->row + r) * @_WIDTH;
        const double firm = tie[is->row + r] * E[is->entry + i * is->rows + r];
        of_row[v] = loop_slopes[at + r], of_row[@_NV + v] = loop_slopes[at + is->rows + r];
        held[(is->row + r) * @_WIDTH + v] = pulled[is->row + r] * loop_slopes[at + 2 * is->rows];
        for (int g = 0; g <= i; ++g) dense[v * @_NV + @_loop_freedoms[is->places + g]] += firm * E[is->entry + g * is->rows + r];
      }
    }
  }
#if @_HELD > @_RANK
  if (by) @_keep_said(by, start);
#endif
  const int still = @_factor(dense);
  if (still >= 0) return still;
  for (int again = 0; again < 30; ++again) {
    /* against what the equations themselves miss, H without loops */
    memcpy(gap_of, start, sizeof gap_of);
    @_add_along(E, x, gap_of);
    const double *missed = gap_of;
#if @_HELD > @_RANK
    if (by) { /* no force acts on what contradicts, whose rows may be rounding throughout */
      memcpy(met, gap_of, sizeof met);
      @_keep_said(by, met);
      missed = met;
    }
#endif
    loose = again > 0 ? @_loose_loop(E, grip, x, missed, held) : @_HARD_LOOPS ? 0 : -1;
    for (int r = 0; r < @_LOOP_ROWS; ++r)
      for (int e = 0; e < @_WIDTH; ++e) {
        const int at = r * @_WIDTH + e;
        force[at] = held[at] - D[r] * gap_of[at];
      }
    memcpy(step, sides, sizeof step);
    @_add_pull(E, force, step);
    for (int k = 0, at = 0; k < @_NV && again > 0; ++k) {
      for (int e = 0; e < @_WIDTH; e += 8) @_ADD(step + k * @_WIDTH + e, -H[at], x + k * @_WIDTH + e);
      ++at;
      for (int b = @_before_begins[k]; b < @_before_begins[k + 1]; ++b, ++at)
        for (int e = 0; e < @_WIDTH; e += 8) {
          @_ADD(step + k * @_WIDTH + e, -H[at], x + @_before[b] * @_WIDTH + e);
          @_ADD(step + @_before[b] * @_WIDTH + e, -H[at], x + k * @_WIDTH + e);
        }
    }
#if @_HELD
    if (by) @_push_all(by, gap_of, step);
#endif
    @_solve(dense, step);
#if @_HELD
    if (by) @_hold_all(by, dense, gap_of, step, held);
#endif
    for (int k = 0; k < @_NV * @_WIDTH; ++k) x[k] += step[k];
    if (@_HARD_LOOPS && loose < 0 && !(by && again > 4) && @_large_step(step, x, sides, own)) loose = @_loops[0].name;
    @_add_along(E, step, gap_of);
    for (int r = 0; r < @_LOOP_ROWS; ++r)
      for (int e = 0; e < @_WIDTH; ++e) {
        const int at = r * @_WIDTH + e;
        force[at] = held[at] - D[r] * gap_of[at];
#if @_HELD
        if (@_hard[r]) held[at] = force[at];
#endif
      }
    if (loose < 0) break;
  }
  if (loose >= 0) return -2 - loose;
  memcpy(sides, x, sizeof sides);
#if @_HELD > @_RANK
  for (int r = 0; r < @_LOOP_ROWS && by && res[8]; ++r)
    for (int v = 0; v < @_NV; ++v) force[r * @_WIDTH + v] += turned_by_q[r * @_NV + v];
#endif
)";

const char* const kSlopeForces = R"(  for (int l = 0, at = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    const double *const of_rows = force + is->row * @_WIDTH;
    const int linear = is->force + (is->rows == 6 ? 3 : 0);
    for (int by = 0; by < 3; ++by)
      for (int c = 0; c < @_NV && res[8 + by]; ++c) {
        const int e = by * @_NV + c;
        double *const to = res[8 + by] + c;
        if (is->rows == 1) to[linear * @_NV] = of_rows[e];
        for (int r = 0; r < 3 && is->rows > 1; ++r)
          for (int k = 0; k < 3; ++k) {
            to[(linear + r) * @_NV] += turn[3 * r + k] * of_rows[k * @_WIDTH + e];
            if (is->rows == 6) to[(is->force + r) * @_NV] += twist[9 * l + 3 * r + k] * of_rows[(3 + k) * @_WIDTH + e];
          }
      }
    for (int i = 0; i < is->freedoms; ++i, at += 2 * is->rows + 4)
      for (int r = 0; r < 3 && is->rows == 6 && res[8]; ++r)
        for (int k = 0; k < 3; ++k)
          res[8][(is->force + r) * @_NV + @_loop_freedoms[is->places + i]] += turn[3 * r + k] * loop_slopes[at + 2 * is->rows + 1 + k];
  }
)";

}  // namespace

std::string loop_slopes_text(const ContactLayout& layout) {
  std::string freedoms = "static const int @_loop_freedoms[] = {", places = "static const int @_laws[] = {";
  int laws = 0, numbers = 0, hard = 0;
  for (const RowBlock* loop : layout.loops) {
    for (int f : loop->freedoms) freedoms += std::to_string(f) + ", ";
    places += std::to_string(laws) + ", ";
    laws += laws_of(*loop), numbers += slopes_of(*loop) * static_cast<int>(loop->freedoms.size()), hard += loop->hard;
  }
  const auto count = [](const char* name, int n) { return "#define @_" + std::string(name) + " " + std::to_string(n) + "\n"; };
  return count("LAWS", laws) + count("LOOP_SLOPES", numbers) + count("HARD_LOOPS", hard) + freedoms + "};\n" + places + "};\n" +
         kSlopeHelpers + held_columns_text(layout);
}

std::string loop_slopes_solution() { return kSolution; }
std::string loop_slopes_forces() { return kSlopeForces; }

}  // namespace sparsedyn
