#include "codegen/emit/emit_statements.hpp"
#include "constraints/hard_row_factor.hpp"
#include "held_rows.hpp"
#include "loop_rows.hpp"

namespace sparsedyn {
namespace {

const char* const kNone = R"(#define @_HELD 0
#define @_RANK 0
#define @_AGAIN 0
typedef int @_basis;
)";

const char* const kBasis =
    R"(/* Hard rows J with S (H + J'EJ) S of about unit diagonal, E = 1/w: E^1/2 J S = V Sigma U' says, as firmly in all directions,
   (S^-1 U)' x = Sigma^-1 V' E^1/2 aim. U here is S^-1 U. */
typedef struct {
  double U[@_HELD][@_MOVED], V[@_HELD][@_HELD], sigma[@_HELD], firm[@_HELD], scale[@_MOVED]; /* firm: E^1/2; scale: S^2 */
} @_basis;
)";

const char* const kHelpers = R"(
static double @_product(const double *a, const double *b, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

static void @_hard_rows(const double *E, double (*J)[@_MOVED]) {
  for (int h = 0; h < @_HELD; ++h)
    for (int k = 0; k < @_MOVED; ++k) J[h][k] = 0;
  for (int l = 0, h = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    for (int f = 0; f < is->freedoms && is->hard; ++f)
      for (int r = 0; r < is->rows; ++r) J[h + r][@_loop_places[is->places + f]] += E[is->entry + f * is->rows + r];
    if (is->hard) h += is->rows;
  }
}

/* Whether the rows say some direction less than a hundredth as firmly as at other postures: by pivots of their products, each
   beside where it is largest. */
static int @_weak(const double *E) {
  double J[@_HELD][@_MOVED], G[@_HELD][@_HELD];
  int said = 0;
  @_hard_rows(E, J);
  for (int i = 0; i < @_HELD; ++i)
    for (int k = 0; k <= i; ++k) {
      const double sizes = @_held_sizes[i] * @_held_sizes[k];
      G[i][k] = G[k][i] = sizes > 0 ? @_product(J[i], J[k], @_MOVED) / sizes : 0;
    }
  for (; said < @_FIRM_ROWS; ++said) {
    int best = said;
    for (int i = said + 1; i < @_HELD; ++i)
      if (G[i][i] > G[best][best]) best = i;
    if (!(G[best][best] > @_FIRM)) break;
    for (int c = 0; c < @_HELD; ++c) {
      const double other = G[said][c];
      G[said][c] = G[best][c], G[best][c] = other;
    }
    for (int r = 0; r < @_HELD; ++r) {
      const double other = G[r][said];
      G[r][said] = G[r][best], G[r][best] = other;
    }
    for (int i = said + 1; i < @_HELD; ++i)
      for (int c = said + 1; c < @_HELD; ++c) G[i][c] -= G[i][said] / G[said][said] * G[said][c];
  }
  return said < @_FIRM_ROWS;
}

static void @_rotate_two(double *a, double *b, double c, double s, int n) {
  for (int k = 0; k < n; ++k) {
    const double first = a[k];
    a[k] = c * first + s * b[k], b[k] = c * b[k] - s * first;
  }
}

/* U Sigma = A V by rotations of A's columns (Hestenes 1958), the largest first; A stands in U. */
static void @_rotate(@_basis *b) {
  int turned = 1;
  for (int i = 0; i < @_HELD; ++i)
    for (int k = 0; k < @_HELD; ++k) b->V[i][k] = i == k;
  for (int sweep = 0; turned && sweep < 60; ++sweep) {
    turned = 0;
    for (int i = 0; i < @_HELD; ++i)
      for (int k = i + 1; k < @_HELD; ++k) {
        double *const u = b->U[i], *const v = b->U[k];
        const double uu = @_product(u, u, @_MOVED), vv = @_product(v, v, @_MOVED), uv = @_product(u, v, @_MOVED);
        if (uu >= vv * (1 - 1e-14) && !(fabs(uv) > 1e-15 * sqrt(uu * vv))) continue;
        const double phi = 0.5 * atan2(2 * uv, uu - vv), c = cos(phi), s = sin(phi);
        turned = 1;
        @_rotate_two(u, v, c, s, @_MOVED), @_rotate_two(b->V[i], b->V[k], c, s, @_HELD);
      }
  }
  for (int k = 0; k < @_HELD; ++k) {
    b->sigma[k] = sqrt(@_product(b->U[k], b->U[k], @_MOVED));
    for (int i = 0; i < @_MOVED && b->sigma[k] > 0; ++i) b->U[k][i] /= b->sigma[k];
  }
}

/* Of the rows at this state, their slopes D = 1e6 E, and M. -1, or the loop, among the constraints, of a row that
   follows from others at this state alone. */
static int @_take(const double *E, const double *D, const double *M, @_basis *b) {
  double root[@_MOVED] = {0};
  @_hard_rows(E, b->U);
  for (int e = 0; e < @_ENTRIES; ++e)
    if (@_entry_rows[e] == @_entry_columns[e]) root[@_entry_rows[e]] = M[e];
  for (int h = 0; h < @_HELD; ++h) {
    b->firm[h] = sqrt(1e-6 * D[@_held_rows[h]]);
    for (int i = 0; i < @_MOVED; ++i) b->U[h][i] *= b->firm[h], root[i] += b->U[h][i] * b->U[h][i];
  }
  for (int i = 0; i < @_MOVED; ++i) root[i] = root[i] > 0 ? sqrt(root[i]) : 1, b->scale[i] = 1 / (root[i] * root[i]);
  for (int h = 0; h < @_HELD; ++h)
    for (int i = 0; i < @_MOVED; ++i) b->U[h][i] /= root[i];
  @_rotate(b);
  if (@_RANK > 0 && !(b->sigma[@_LAST] > @_LOST * b->sigma[0])) {
    int most = 0; /* of what is said no more the row that has most part in it */
    for (int h = 1; h < @_HELD; ++h)
      if (fabs(b->V[@_LAST][h]) > fabs(b->V[@_LAST][most])) most = h;
    for (int l = 0; l < @_LOOPS; ++l)
      if (@_held_rows[most] < @_loops[l].row + @_loops[l].rows) return @_loops[l].name;
  }
  for (int k = 0; k < @_RANK; ++k)
    for (int i = 0; i < @_MOVED; ++i) b->U[k][i] *= root[i];
  return -1;
}

#if @_HELD > @_RANK
/* Of forces in place, those that do the same of the least sum of squares beside E: of E^-1/2 force what lies in the range of E^1/2 J. */
static void @_keep_least(const @_basis *b, double *force) {
  double along[@_ROOM(@_RANK)] = {0};
  for (int k = 0; k < @_RANK; ++k)
    for (int h = 0; h < @_HELD; ++h) along[k] += b->V[k][h] / b->firm[h] * force[@_held_rows[h]];
  for (int h = 0; h < @_HELD; ++h) {
    double sum = 0;
    for (int k = 0; k < @_RANK; ++k) sum += b->V[k][h] * along[k];
    force[@_held_rows[h]] = b->firm[h] * sum;
  }
}
#endif

/* Sigma^-1 V' E^1/2 aim */
static void @_said(const @_basis *b, const double *aim, double *c) {
  for (int k = 0; k < @_RANK; ++k) {
    c[k] = 0;
    for (int h = 0; h < @_HELD; ++h) c[k] += b->V[k][h] * b->firm[h] * aim[@_held_rows[h]];
    c[k] /= b->sigma[k];
  }
}

/* push += J'E aim */
static void @_push_held(const @_basis *b, const double *aim, double *push) {
  double c[@_RANKS];
  @_said(b, aim, c);
  for (int k = 0; k < @_RANK; ++k)
    for (int i = 0; i < @_MOVED; ++i) push[i] += b->sigma[k] * b->sigma[k] * c[k] * b->U[k][i];
}

/* T = L L' in place, of the lower triangle */
static void @_lower(double (*T)[@_RANKS]) {
  for (int j = 0; j < @_RANK; ++j) {
    T[j][j] = sqrt(T[j][j] - @_product(T[j], T[j], j));
    for (int i = j + 1; i < @_RANK; ++i) T[i][j] = (T[i][j] - @_product(T[i], T[j], j)) / T[j][j];
  }
}

static void @_by_lower(double (*L)[@_RANKS], double *c) {
  for (int i = 0; i < @_RANK; ++i) c[i] = (c[i] - @_product(L[i], c, i)) / L[i][i];
  for (int i = @_RANK - 1; i >= 0; --i) {
    c[i] /= L[i][i];
    for (int k = 0; k < i; ++k) c[k] -= L[i][k] * c[i];
  }
}

/* x and y, which a step with J'EJ in M has reached, with what U'x lacks of `aim`: x + W mu, W = K^-1 U, U'W mu = c - U'x.
   held: forces of the rows, E^1/2 V Sigma^-1 mu. */
static void @_hold(const @_basis *b, const double *aim, const double *M, const double *S, const double *K, const double *dh,
                   double *x, double *y_of_x, double *held) {
  double W[@_RANKS][@_MOVED], Y[@_RANKS][@_ROOM(6 * @_BODIES)], T[@_RANKS][@_RANKS], mu[@_RANKS], pivots[2 * @_MOVED];
  double pressed[@_ROOM(8 * @_BODIES)] = {0}, dt[@_ROOM(@_PLACES)] = {0};
  (void)K, (void)dh, (void)pressed, (void)dt;
  @_said(b, aim, mu);
  for (int k = 0; k < @_RANK; ++k) {
    const double *const push = b->U[k];
    double *const reached = W[k], *const y = Y[k];
    @_STEP;
    mu[k] -= @_product(push, x, @_MOVED);
    for (int l = 0; l <= k; ++l) T[k][l] = @_product(b->U[l], reached, @_MOVED);
  }
  @_lower(T), @_by_lower(T, mu);
  for (int k = 0; k < @_RANK; ++k) {
    for (int i = 0; i < @_MOVED; ++i) x[i] += mu[k] * W[k][i];
    for (int i = 0; i < 6 * @_BODIES; ++i) y_of_x[i] += mu[k] * Y[k][i];
    mu[k] /= b->sigma[k];
  }
  for (int h = 0; h < @_HELD; ++h) {
    double sum = 0;
    for (int k = 0; k < @_RANK; ++k) sum += b->V[k][h] * mu[k];
    held[@_held_rows[h]] = b->firm[h] * sum;
  }
}

/* the largest miss of a hard loop's rows beside the terms that they sum, and whose */
static double @_apart_beside(const double *E, const double *x, const double *target, const double *miss, double *worst) {
  double apart = 0;
  for (int l = 0; l < @_LOOPS; ++l) {
    const @_loop *const is = @_loops + l;
    double most = 0, terms = is->rows < 6 || is->unit < 1 ? is->unit : 1; /* at rest accelerations are rounding */
    for (int r = 0; r < is->rows && is->hard; ++r) {
      const int row = is->row + r;
      if (!(fabs(target[row]) <= terms)) terms = fabs(target[row]);
      if (!(fabs(miss[row]) <= most)) most = fabs(miss[row]);
      for (int f = 0; f < is->freedoms; ++f) {
        const double term = fabs(E[is->entry + f * is->rows + r] * x[@_loop_places[is->places + f]]);
        if (!(term <= terms)) terms = term;
      }
    }
    if (!(most <= apart * terms)) apart = most / terms, *worst = is->name;
  }
  return apart;
}
)";

const char* const kColumns = R"(
/* Aims of all columns, rows of @_WIDTH: by column as @_said. */
static void @_said_of(const @_basis *b, const double *gaps, int e, double *c) {
  double aim[@_LOOP_ROWS];
  for (int r = 0; r < @_LOOP_ROWS; ++r) aim[r] = -gaps[r * @_WIDTH + e];
  @_said(b, aim, c);
}

/* At an answer, changes to the basis of the hard rows, whose forces are then multipliers. 0 where the rows have lost rank. */
static int @_hold_by_basis(const double *E, const double *untied, const double *miss, double *D, double *pull, @_basis *b) {
  if (@_take(E, D, untied, b) >= 0) return 0;
  for (int h = 0; h < @_HELD; ++h) {
    const int r = @_held_rows[h];
    pull[r] -= D[r] * miss[r], D[r] = 0;
  }
  return 1;
}

#if @_HELD > @_RANK
/* x: by hard row, of E^1/2 x what the basis says, or what it does not. */
static void @_split(const @_basis *b, int said, double *x) {
  double left[@_HELD];
  for (int h = 0; h < @_HELD; ++h) left[h] = x[h];
  for (int pass = 0; pass < 2; ++pass) /* the first pass leaves rounding of the part that it takes away */
    for (int k = 0; k < @_RANK; ++k) {
      double along = 0;
      for (int h = 0; h < @_HELD; ++h) along += b->V[k][h] * left[h];
      for (int h = 0; h < @_HELD; ++h) left[h] -= along * b->V[k][h];
    }
  for (int h = 0; h < @_HELD; ++h) x[h] = said ? x[h] - left[h] : left[h];
}

/* Of the rows' misses in all columns what a motion can meet: along motions that open a loop, redundant rows contradict each other. */
static void @_keep_said(const @_basis *b, double *miss) {
  for (int e = 0; e < 3 * @_NV; ++e) {
    double x[@_HELD];
    for (int h = 0; h < @_HELD; ++h) x[h] = b->firm[h] * miss[@_held_rows[h] * @_WIDTH + e];
    @_split(b, 1, x);
    for (int h = 0; h < @_HELD; ++h) miss[@_held_rows[h] * @_WIDTH + e] = x[h] / b->firm[h];
  }
}

/* The motion along, of all freedoms, with f = E J along: of redundant rows the least force. */
static void @_motion_of(const @_basis *b, const double *f, double *along) {
  for (int i = 0; i < @_NV; ++i) along[i] = 0;
  for (int k = 0; k < @_RANK; ++k) {
    double said = 0;
    for (int h = 0; h < @_HELD; ++h) said += b->V[k][h] / b->firm[h] * f[@_held_rows[h]];
    for (int i = 0; i < @_MOVED; ++i) along[@_moves[i]] += said / b->sigma[k] * b->scale[i] * b->U[k][i];
  }
}

/* As the rows turn, so does that form: slopes, of J along by q, become the part of E slopes that moves nothing, into `turned`
   (rows of @_NV). */
static void @_turned_forces(const @_basis *b, const double *slopes, double *turned) {
  for (int r = 0; r < @_LOOP_ROWS * @_NV; ++r) turned[r] = 0;
  for (int l = 0, at = 0; l < @_LOOPS; ++l)
    for (int i = 0; i < @_loops[l].freedoms; ++i, at += 2 * @_loops[l].rows + 4)
      for (int r = 0; r < @_loops[l].rows; ++r)
        turned[(@_loops[l].row + r) * @_NV + @_loop_freedoms[@_loops[l].places + i]] = slopes[at + r];
  for (int v = 0; v < @_NV; ++v) {
    double x[@_HELD];
    for (int h = 0; h < @_HELD; ++h) x[h] = b->firm[h] * turned[@_held_rows[h] * @_NV + v];
    @_split(b, 0, x);
    for (int r = 0; r < @_LOOP_ROWS; ++r) turned[r * @_NV + v] = 0;
    for (int h = 0; h < @_HELD; ++h) turned[@_held_rows[h] * @_NV + v] = b->firm[h] * x[h];
  }
}
#endif

/* step: what pushes, of all columns, += J'E (-gaps) */
static void @_push_all(const @_basis *b, const double *gaps, double *step) {
  for (int e = 0; e < 3 * @_NV; ++e) {
    double c[@_RANKS];
    @_said_of(b, gaps, e, c);
    for (int k = 0; k < @_RANK; ++k)
      for (int i = 0; i < @_MOVED; ++i) step[@_moves[i] * @_WIDTH + e] += b->sigma[k] * b->sigma[k] * c[k] * b->U[k][i];
  }
}

/* step, by factors of H + J'EJ, with what U'step lacks of -gaps, as @_hold; held: += forces of the rows */
static void @_hold_all(const @_basis *b, const double *factors, const double *gaps, double *step, double *held) {
  double W[@_NV * @_WIDTH] = {0}, T[@_RANKS][@_RANKS];
  for (int k = 0; k < @_RANK; ++k)
    for (int i = 0; i < @_MOVED; ++i) W[@_moves[i] * @_WIDTH + k] = b->U[k][i];
  @_solve(factors, W);
  for (int k = 0; k < @_RANK; ++k)
    for (int l = 0; l <= k; ++l) {
      T[k][l] = 0;
      for (int i = 0; i < @_MOVED; ++i) T[k][l] += b->U[l][i] * W[@_moves[i] * @_WIDTH + k];
    }
  @_lower(T);
  for (int e = 0; e < 3 * @_NV; ++e) {
    double mu[@_RANKS];
    @_said_of(b, gaps, e, mu);
    for (int k = 0; k < @_RANK; ++k)
      for (int i = 0; i < @_MOVED; ++i) mu[k] -= b->U[k][i] * step[@_moves[i] * @_WIDTH + e];
    @_by_lower(T, mu);
    for (int i = 0; i < @_NV; ++i)
      for (int k = 0; k < @_RANK; ++k) step[i * @_WIDTH + e] += mu[k] * W[i * @_WIDTH + k];
    for (int h = 0; h < @_HELD; ++h)
      for (int k = 0; k < @_RANK; ++k) held[@_held_rows[h] * @_WIDTH + e] += b->firm[h] * b->V[k][h] * mu[k] / b->sigma[k];
  }
}
)";

std::string row_of(const std::string& type, const std::string& name, const std::vector<std::string>& all) {
  std::string text = "static const " + type + " @_" + name + "[] = {";
  for (const std::string& x : all) text += x + ", ";
  return text + "};\n";
}

}  // namespace

std::string held_rows_tables(const ContactLayout& layout, const HardRowMeasure& measure) {
  const std::vector<LoopPlace> places = loop_places(layout);
  std::vector<std::string> rows, sizes;
  for (std::size_t l = 0; l < layout.loops.size(); ++l)
    for (int r = 0; layout.loops[l]->hard && r < layout.loops[l]->rows; ++r) rows.push_back(std::to_string(places[l].row + r));
  if (rows.empty()) return kNone;
  for (double size : measure.sizes) sizes.push_back(shortest_decimal(size));
  const auto count = [](const char* name, int n) { return "#define @_" + std::string(name) + " " + std::to_string(n) + "\n"; };
  const int rank = measure.rank;
  return count("HELD", static_cast<int>(rows.size())) + "#define @_AGAIN again\n" + count("FIRM_ROWS", measure.firm_rows) +
         count("RANK", rank) + count("RANKS", rank > 0 ? rank : 1) + count("LAST", rank > 0 ? rank - 1 : 0) +
         "#define @_FIRM " + shortest_decimal(HardRowLimits::firm) + "\n#define @_LOST " +
         shortest_decimal(HardRowLimits::lost) + "\n" + row_of("int", "held_rows", rows) +
         row_of("double", "held_sizes", sizes) + kBasis;
}

std::string held_rows_text() { return "#if @_HELD" + std::string(kHelpers) + "#endif\n"; }
std::string held_columns_text(const ContactLayout& layout) {
  std::vector<std::string> moved;
  for (int freedom : layout.moved) moved.push_back(std::to_string(freedom));
  return "#if @_HELD\n" + row_of("int", "moves", moved) + kColumns + "#endif\n";
}

}  // namespace sparsedyn
