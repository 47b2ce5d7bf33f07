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

)";

const char* const kPress = R"(#if @_CONTACTS
/* K += G'hG, w += G'(f + h (j + aim)) of its body; of an open contact nothing */
static inline void @_press(const @_touch *restrict t, double *restrict K, double *restrict w) {
  const int n = @_N(t);
  if (t->h[0][0] == 0) return;
  for (int k = 0; k < n; ++k) {
    const double push = @_push(n, k, t->f, t->h[0], @_MOST, t->j, t->aim);
    double hG[8] = {0};
    for (int l = 0; l < n; ++l) @_ADD(hG, t->h[k][l], t->row[l]);
    for (int r = 0; r < 6; ++r) @_ADD(K + 8 * r, t->row[k][r], hG);
    @_ADD(w, push, t->row[k]);
  }
}
#endif

)";

const char* const kWritten = R"(/* Forces, those of contacts in the axes of the world, and distances; either may be null. */
static void @_write(const @_rows *all, const double *where, double *lambda, double *gap) {
  (void)all, (void)where;
  for (int k = 0; lambda && k < @_FORCES; ++k) lambda[k] = 0;
  for (int c = 0; gap && c < @_CONTACTS; ++c) gap[c] = where[4 * c + 3];
#if @_CONTACTS
  for (int c = 0; lambda && c < all->touches; ++c) {
    const @_touch *const t = all->touch + c;
    const double *const plane = @_planes[t->is->plane];
    for (int k = 0; k < @_N(t); ++k)
      for (int i = 0; i < 3; ++i) lambda[t->is->force + (k < 3 ? 0 : 3) + i] += t->force[k] * plane[3 * (k % 3) + i];
  }
#endif
#if @_JOINTS
  for (int r = 0; lambda && r < all->rows; ++r) lambda[all->row[r].is->force] += all->row[r].is->sign * all->row[r].force;
#endif
}

)";

const char* const kFunctionBegins = R"($FUNCTION(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
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
  @_rows all;
  @_PREPARE;
  for (int k = 0; k < @_OTHERS && code == 3; ++k)
    if (!(fixed_pivots[2 * k] > 1e-14 * fixed_pivots[2 * k + 1])) code = 2, worst = @_others[k];$LOOP_MEET
  @_begin_all(&all, in_q, in_dq, start, start[0] != 0$LOOP_COLD, where, axes, motion);
  while (code == 3 && !settled && steps < @_ITERATIONS) {
    const int first = steps++ == 0;
    for (int k = 0; k < 48 * @_BODIES; ++k) K[k] = 0;
    for (int k = 0; k < 8 * @_BODIES; ++k) pressed[k] = 0;
    @_gather_joints(&all, dh, dt);
#if @_CONTACTS
    for (int c = 0; c < all.touches; ++c) @_press(all.touch + c, K + 48 * all.touch[c].is->body, pressed + 8 * all.touch[c].is->body);
#endif
    @_STEP;
    for (int k = 0; k < @_MOVED && code == 3; ++k)
      if (!(pivots[2 * k] > 1e-14 * pivots[2 * k + 1])) code = 2, worst = @_moved_freedoms[k];
    if (code != 3) break;$LOOP_HELD
    @_lead(&all, reached, y);$LOOP_STEP
    const int near = first || left <= @_NEAR * size; /* as good as there: the slope along the step is rounding */
    double alpha = 1, ahead[4];
    if (!near) @_look(&all, ahead), @_length(&all, ahead, 1, steps < 7 ? 1e-2 : 1e-10, &alpha);
    for (int k = 0; k < @_MOVED; ++k) x[k] = first ? reached[k] : x[k] + alpha * (reached[k] - x[k]);$MOVE
    size = 0;$LOOP_KEEP
    @_misses m = {0, size, -1};
    @_go(&all, first, &alpha, &m);
    left = m.left, size = m.size, worst = m.worst;
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
  double *const lambda = res[1], *const next = res[3];
  @_write(&all, where, lambda, res[2]);
  if (next) {
    for (int k = 0; k < @_LEFT; ++k) next[k] = 0;
    next[0] = 1;
  }
#if @_CONTACTS
  for (int c = 0; next && c < all.touches; ++c) {
    const @_touch *const t = all.touch + c;
    double *const to = next + 1 + t->number * (1 + @_MOST);
    to[0] = 1;
    for (int k = 0; k < @_N(t); ++k) to[1 + k] = t->j[k];
  }
#endif
#if @_JOINTS
  for (int r = 0; next && r < all.rows; ++r) {
    const @_row *const t = all.row + r;
    double *const to = next + 1 + @_CONTACTS * (1 + @_MOST) + 2 * t->number;
    to[0] = 1, to[1] = t->j;
  }
#endif$LOOP_WRITE
  return 0;
}
)";

/// Before derivatives: redundant rows by their own basis. After them: rows that do not settle, likewise.
const char* const kHoldRedundant = R"(#if @_HELD > @_RANK
    if (!exact) exact = @_hold_by_basis(E, untied, loop_miss, D, pull, &basis);
#endif
)";
/// Forces of redundant rows have derivatives by their basis alone.
const char* const kRefuseUnshared = "@_HELD > @_RANK && !exact && (res[8] || res[11]) ? -2 - @_loops[0].name : ";
const char* const kSolveByBasis = R"(#if @_HELD
    if (still < -1 && !exact && @_hold_by_basis(E, untied, loop_miss, D, pull, &basis)) exact = 1, still = $DERIVE;
#endif
)";

/// What loops put in at each mark, or nothing.
std::string with_loops(std::string text, bool loops) {
  for (const auto& [mark, line] : loop_lines()) text = substituted(std::move(text), mark, loops ? line : "");
  return text;
}

}  // namespace

std::string contact_law_helpers() { return kHelpers + contact_rows(false) + kWritten; }
std::string contact_helpers() { return contact_law_helpers() + kPress; }

std::string contact_function(const std::string& function, const ContactCodeOptions& options, bool loops) {
  const auto read = [](const std::string& name, const char* place, const char* length) {
    return "  const double *const in_" + name + " = arg[" + place + "] ? arg[" + place + "] : zeros;\n  if (@_not_finite(in_" +
           name + ", " + length + ")) return 1;\n";
  };
  std::string text = with_loops(kFunction, loops);
  const auto put = [&](const std::string& mark, const std::string& line) {
    text.replace(text.find(mark), mark.size(), options.derivatives || (loops && mark != "$END") ? "\n" + line : "");
  };
  put("$BEGIN", "  double turned[@_ROOM(6 * @_BODIES)] = {0}; /* the links' accelerations at x */");
  put("$MOVE", "    for (int k = 0; k < 6 * @_BODIES; ++k) turned[k] = first ? y[k] : turned[k] + alpha * (y[k] - turned[k]);");
  const std::string derive = std::string("@_derive(in_q, in_dq, ") + (options.wrenches ? "in_fx, " : "") +
                             (options.second ? "in_multipliers, " : "") +
                             (options.force_multipliers ? "in_force_multipliers, " : "") +
                             (loops ? "E, loops, turn, twist, D, pull, loop_miss, exact ? &basis : 0, " : "") +
                             "ddq, where, axes, motion, turned, &all, res)";
  put("$END", std::string("  if (!code && (res[5] || res[6] || res[7] || res[8] || res[9] || res[10]") +
                  (options.second ? " || res[11]" : "") + ")) {\n" + (loops ? kHoldRedundant : "") +
                  "    int still = " + (loops && options.force_multipliers ? kRefuseUnshared : "") + derive + ";\n" +
                  (loops ? substituted(kSolveByBasis, "$DERIVE", derive) : "") +
                  "    if (still >= 0) code = 2, worst = still;\n" +
                  (loops ? "    else if (still < -1) code = 3, worst = -2 - still;\n" : "") + "  }");
  return substituted(kFunctionBegins, "$FUNCTION", function) + (options.wrenches ? read("fx", "3", "@_NX") : "") +
         (options.parameters.empty() ? "" : read("pi", "@_START - 1", "@_PARAMETERS")) +
         (options.second ? read("multipliers", options.force_multipliers ? "@_START - 2" : "@_START - 1", "@_NV") : "") +
         (options.force_multipliers ? read("force_multipliers", "@_START - 1", "@_FORCES") : "") + text;
}

}  // namespace sparsedyn
