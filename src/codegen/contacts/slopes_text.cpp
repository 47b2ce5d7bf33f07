#include <algorithm>

#include "codegen/contacts/second/curvature_text.hpp"
#include "codegen/contacts/second/force_curvature_text.hpp"
#include "codegen/emit/emit_statements.hpp"
#include "contact_slopes.hpp"
#include "contact_text.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

const char* const kSlopes = R"(
#if @_CONTACTS || @_JOINTS || @_LOOPS
/* by how much the impedance grows with r */
static double @_steepness(const @_firmness *f, double r) {
  const double x = fabs(r) * f->per_width, base = x <= f->middle ? x : 1 - x;
  double power = f->power * (x <= f->middle ? f->below : f->above);
  for (int k = 1; k < f->power; ++k) power *= base;
  return x < 1 ? power * (f->dw - f->d0) * f->per_width * (r < 0 ? -1 : 1) : 0;
}
#endif

#if @_CONTACTS
/* What a motion s of its link makes of a contact at fixed accelerations: row k misses by missed_k s - row_k (z + B w) more, the
   gap grows by nears s, and ln D by firmer times that. */
typedef struct {
  double missed[@_MOST][6], nears[6], firmer;
} @_lean;

static inline void @_cross(const double *a, const double *b, double *to) {
  to[0] = a[1] * b[2] - a[2] * b[1], to[1] = a[2] * b[0] - a[0] * b[2], to[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double @_dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

/* The point half-way between the surfaces moves with the centre, along the normal half as far: a vector b meets that motion as
   b less half of its part along the normal meets the centre's. */
static inline void @_at_contact(const double *where, const double *normal, double *b, double *to) {
  double moment[3];
  const double half = 0.5 * @_dot(b, normal, 3);
  for (int k = 0; k < 3; ++k) b[k] -= half * normal[k];
  @_cross(where, b, moment);
  for (int k = 0; k < 3; ++k) to[k] += moment[k], to[3 + k] += b[k];
}

/* y: the link's acceleration S a; u = a + S c + B v in it */
static void @_lean_of(const @_touch *t, const double *where, const double *axes, const double *motion, const double *y, @_lean *to) {
  const @_contact *const is = t->is;
  const int n = @_N(t);
  const double r = where[3] - is->margin, d = @_impedance(&is->firm, r), steep = @_steepness(&is->firm, r);
  double u[6], b[3];
  for (int k = 0; k < 6; ++k) u[k] = y[k] + motion[6 + k] + is->B * motion[k];
  @_cross(where, axes, to->nears);
  for (int k = 0; k < 3; ++k) to->nears[3 + k] = axes[k];
  to->firmer = steep / (d * (1 - d));
  for (int l = 0; l < n; ++l) {
    const double *const row = t->row[l];
    double *const missed = to->missed[l];
    @_cross(u, row, missed), @_cross(u + 3, row + 3, b), @_cross(u, row + 3, missed + 3);
    for (int k = 0; k < 3; ++k) missed[k] += b[k];
    if (l < 3) @_cross(axes + 3 * l, u, b), @_at_contact(where, axes, b, missed);
    for (int k = 0; k < 6 && l == 0; ++k) missed[k] += is->K * (d + steep * r) * to->nears[k];
  }
}

/* K += G'hG and B G'hG, X the rest of the wrench that a motion s adds, f += G' force, all of its body */
static void @_bear(const @_touch *t, const @_lean *lean, const double *where, const double *axes, double *K, double *KB, double *X,
                   double *f) {
  const int n = @_N(t);
  double linear[3] = {0};
  for (int k = 0; k < n; ++k) {
    double hG[8] = {0}, by_s[8] = {0};
    for (int c = 0; c < 3 && k < 3; ++c) linear[c] += t->force[k] * axes[3 * k + c];
    for (int c = 0; c < 6; ++c) by_s[c] = t->force[k] * lean->firmer * lean->nears[c];
    for (int l = 0; l < n; ++l) {
      @_ADD(hG, t->h[k][l], t->row[l]);
      for (int c = 0; c < 6; ++c) by_s[c] -= t->h[k][l] * lean->missed[l][c];
    }
    for (int r = 0; r < 6; ++r) {
      @_ADD(K + 8 * r, t->row[k][r], hG);
      @_ADD(KB + 8 * r, t->is->B * t->row[k][r], hG);
      @_ADD(X + 8 * r, t->row[k][r], by_s);
    }
    @_ADD(f, t->force[k], t->row[k]);
  }
  for (int r = 0; r < 3; ++r) {
    const double unit[3] = {r == 0, r == 1, r == 2};
    double b[3];
    @_cross(linear, unit, b), @_at_contact(where, axes, b, X + 8 * r);
  }
}

/* Derivatives of the contact's forces, by direction: -h (J da + dj) + force d ln D. */
static void @_force_slopes(const @_touch *t, const @_lean *lean, const double *sides, const double *columns, double **to) {
  const int n = @_N(t);
  const double *const plane = @_planes[t->is->plane];
  double missed[@_MOST][@_WIDTH] = {{0}}, firm[@_NV] = {0};
  for (int l = 0; l < n; ++l) {
    double J[@_NV] = {0};
    for (int w = @_way_begins[t->is->body]; w < @_way_begins[t->is->body + 1]; ++w) {
      const @_way *const on = @_ways + w;
      const double *const s = columns + 32 * on->column, along = on->ratio * @_dot(t->row[l], s, 6);
      J[on->v] += along;
      missed[l][on->v] += on->ratio * (@_dot(lean->missed[l], s, 6) - @_dot(t->row[l], s + 8, 6) -
                                       t->is->B * @_dot(t->row[l], s + 16, 6));
      missed[l][@_NV + on->v] += on->ratio * @_dot(t->row[l], s + 24, 6) + t->is->B * along;
      if (l == 0) firm[on->v] += on->ratio * lean->firmer * @_dot(lean->nears, s, 6);
    }
    for (int i = 0; i < @_NV; ++i)
      for (int e = 0; e < @_WIDTH && J[i] != 0; e += 8) @_ADD(missed[l] + e, J[i], sides + i * @_WIDTH + e);
  }
  for (int k = 0; k < n; ++k) {
    double change[@_WIDTH] = {0};
    for (int l = 0; l < n; ++l)
      for (int e = 0; e < @_WIDTH; e += 8) @_ADD(change + e, -t->h[k][l], missed[l] + e);
    for (int i = 0; i < @_NV; ++i) change[i] += t->force[k] * firm[i];
    for (int i = 0; i < 3; ++i)
      for (int by = 0; by < 3; ++by)
        for (int c = 0; to[by] && c < @_NV; ++c)
          to[by][(t->is->force + (k < 3 ? 0 : 3) + i) * @_NV + c] += plane[3 * (k % 3) + i] * change[by * @_NV + c];
  }
}
#endif

#if @_JOINTS
/* by how much the force of a stop, or of dry friction, grows with q at fixed accelerations */
static double @_force_by_q(const @_row *t, const double *q) {
  if (!t->is->stop) return 0;
  const double past = t->is->slope * q[t->is->q] + t->is->offset - t->is->margin, d = @_impedance(&t->is->firm, past),
               steep = @_steepness(&t->is->firm, past);
  return t->is->slope * (t->force * steep / (d * (1 - d)) - t->h * t->is->K * (d + steep * past));
}
#endif

$HELPERS/* All derivatives at the answer ddq, y of the links. -1, or the freedom that moves no mass$OR: then nothing is written. */
static int @_derive(const double *in_q, const double *in_dq,$FX$MULTIPLIERS$LOOPS const double *ddq, const double *where, const double *axes,
                    const double *motion, const double *y, const @_rows *all, double **res) {
  double K[@_ROOM(48 * @_BODIES)] = {0}, KB[@_ROOM(48 * @_BODIES)] = {0}, X[@_ROOM(48 * @_BODIES)] = {0}, f[@_ROOM(8 * @_BODIES)] = {0};
  double dh[@_ROOM(@_PLACES)] = {0}, by_q[@_ROOM(@_PLACES)] = {0}, by_v[@_ROOM(@_PLACES)] = {0};
  double sides[@_NV * @_WIDTH], columns[@_ROOM(@_COLUMN_ROOM)];
  (void)where, (void)axes, (void)motion, (void)y, (void)all, (void)KB;
#if @_CONTACTS
  @_lean lean[@_CONTACTS];
  for (int c = 0; c < all->touches; ++c) {
    const @_touch *const t = all->touch + c;
    const int body = t->is->body;
    const double *const at = where + 4 * t->number, *const plane = axes + 9 * t->is->plane;
    @_lean_of(t, at, plane, motion + 12 * body, y + 6 * body, lean + c);
    @_bear(t, lean + c, at, plane, K + 48 * body, KB + 48 * body, X + 48 * body, f + 8 * body);
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_row *const t = all->row + r;
    const double press = t->is->slope * t->is->slope * t->h;
    dh[t->is->place] += press, by_v[t->is->place] -= press * t->is->B;
    by_q[t->is->place] += t->is->slope * @_force_by_q(t, in_q);
  }
#endif
$SOLVE  for (int by = 0; by < 3; ++by)
    for (int k = 0; k < @_NV && res[5 + by]; ++k) memcpy(res[5 + by] + k * @_NV, sides + k * @_WIDTH + by * @_NV, @_NV * sizeof(double));
$SECOND  if (!res[8] && !res[9] && !res[10]) return -1;
  for (int by = 0; by < 3; ++by)
    for (int k = 0; k < @_FORCES * @_NV && res[8 + by]; ++k) res[8 + by][k] = 0;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) @_force_slopes(all->touch + c, lean + c, sides, columns, res + 8);
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const @_row *const t = all->row + r;
    const int v = t->is->v;
    for (int by = 0; by < 3; ++by)
      for (int c = 0; c < @_NV && res[8 + by]; ++c) {
        double change = -t->h * t->is->slope * sides[v * @_WIDTH + by * @_NV + c];
        if (c == v && by == 0) change += @_force_by_q(t, in_q);
        if (c == v && by == 1) change -= t->h * t->is->B * t->is->slope;
        res[8 + by][t->is->force * @_NV + c] += t->is->sign * change;
      }
  }
#endif
$FORCES  return -1;
}

)";

const char* const kEliminated = R"(  double factors[@_ROOM(@_FACTORS)], pivots[2 * @_NV];
  @_SLOPES;
  for (int k = @_NV - 1; k >= 0; --k)
    if (!(pivots[2 * k] > 1e-14 * pivots[2 * k + 1])) return k;
  for (int k = 0; k < @_NV; ++k)
    for (int b = @_before_begins[k]; b < @_before_begins[k + 1]; ++b)
      for (int e = 0; e < @_WIDTH; e += 8) @_ADD(sides + k * @_WIDTH + e, -factors[b], sides + @_before[b] * @_WIDTH + e);
)";

std::string integers(const std::string& name, const std::vector<int>& all) {
  std::string text = "static const int @_" + name + "[] = {";
  for (int x : all) text += std::to_string(x) + ", ";
  return text + (all.empty() ? "0};\n" : "};\n");
}

/// Where the factors stand, and the tree's freedoms on the way of each body with contacts.
std::string tables(const Model& model, const ContactLayout& layout) {
  std::vector<int> before, before_begins{0}, way_begins{0};
  for (const std::vector<int>& met : layout.before) {
    before.insert(before.end(), met.begin(), met.end());
    before_begins.push_back(static_cast<int>(before.size()));
  }
  std::string ways;
  int entries = 0;
  for (int body : layout.bodies) {
    for (int t : way_of_body(model, body)) {
      const auto at = std::lower_bound(layout.columns.begin(), layout.columns.end(), t);
      const CoordinateMap::Entry e = entry_of(model, t);
      ways += "  {" + std::to_string(at - layout.columns.begin()) + ", " + std::to_string(e.index) + ", " +
              shortest_decimal(e.multiplier) + "},\n";
      ++entries;
    }
    way_begins.push_back(entries);
  }
  std::string text = "#define @_FACTORS " + std::to_string(before.size()) + "\n#define @_WIDTH " +
                     std::to_string(SlopePorts::width(model)) + "\n#define @_COLUMN_ROOM " +
                     std::to_string(layout.columns.size() * SlopePorts::of_column * row_room) + "\n" +
                     integers("before", before) + integers("before_begins", before_begins);
  if (layout.bodies.empty()) return text;
  return text + integers("way_begins", way_begins) +
         "typedef struct {\n  int column, v;\n  double ratio;\n} @_way;\nstatic const @_way @_ways[] = {\n" + ways + "};\n";
}

}  // namespace

std::string contact_slopes_text(const Model& model, const ContactLayout& layout, const ContactCodeOptions& options) {
  const bool loops = !layout.loops.empty(), wrenches = options.wrenches, second = options.second;
  const bool forces = options.force_multipliers;
  std::string text = kSlopes;
  const auto put = [&](const std::string& mark, const std::string& line) { text.replace(text.find(mark), mark.size(), line); };
  put("$FX", wrenches ? " const double *in_fx," : "");
  put("$HELPERS", (loops ? loop_slopes_text(layout) : "") + (second ? contact_curvature_text(wrenches, loops, forces) : ""));
  put("$MULTIPLIERS",
      std::string(second ? " const double *in_multipliers," : "") + (forces ? " const double *in_force_multipliers," : ""));
  put("$SECOND", second ? std::string("  if (res[11]) @_curve(in_q, in_dq, ") + (wrenches ? "in_fx, " : "") +
                              "ddq, in_multipliers, " + (forces ? force_multipliers_handed_on(loops) : "") +
                              "where, all, sides, " + (loops ? "E, loops, turn, laws, loop_slopes, pulled, force, " : "") +
                              "res[11]);\n"
                        : "");
  put("$OR", loops ? ", or -2 less the place of hard rows that do not settle" : "");
  put("$LOOPS", loops ? " const double *E, const double *loops, const double *turn, const double *twist, const double *D,"
                        " const double *pull, const double *loop_miss, const @_basis *by,"
                      : "");
  put("$SOLVE", !loops   ? kEliminated
                : forces ? substituted(loop_slopes_solution(), "by && res[8]", "by && (res[8] || res[11])")
                         : loop_slopes_solution());
  put("$FORCES", loops ? loop_slopes_forces() : "");
  return tables(model, layout) + text;
}

}  // namespace sparsedyn
