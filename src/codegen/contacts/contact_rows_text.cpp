// Rows of contacts, stops and dry friction around the law that the library has (contact_law.h, line_search.h): one text, for
// one state and for a state in each lane. What a lane does not take part in is multiplied by zero or passed over by a mask.
#include "contact_text.hpp"

namespace sparsedyn {
namespace {

const char* const kRows = R"(
LAW_INLINE LAW_REAL law_impedance(const @_firmness *f, LAW_REAL r) {
  const LAW_REAL x = LAW_ABS(r) * f->per_width;
  const LAW_MASK below = LAW_IS(x <= f->middle);
  const LAW_REAL base = LAW_PICK(below, x, 1.0 - x);
  LAW_REAL power = LAW_ALL(1.0);
  for (int k = 0; k < f->power; ++k) power *= base;
  const LAW_REAL y = LAW_PICK(below, power * f->below, 1.0 - power * f->above);
  return f->d0 + LAW_PICK(LAW_IS(x < 1.0), y, LAW_ALL(1.0)) * (f->dw - f->d0);
}

LAW_INLINE LAW_REAL law_softness(LAW_REAL d, double weight) {
  const LAW_REAL R = (1.0 - d) / d * weight;
  return LAW_PICK(LAW_IS(R > 1e-15), R, LAW_ALL(1e-15));
}

#if @_CONTACTS
/* A contact that counts. Directions: along the normal, sliding, torsional, rolling. j: what the acceleration misses its aim by;
   f(j) and its slope -h; force: what moves the robot now. dj, next: where the step leads. */
typedef struct {
  const @_contact *is;
  int number, n;
  LAW_MASK counts; /* D and Dm are zero where it does not */
  LAW_REAL row[@_MOST][LAW_WIDTH]; /* as motions about the origin of the base's frame, angular part first */
  LAW_REAL aim[@_MOST], D[@_MOST], Dm, mu;
  LAW_REAL j[@_MOST], dj[@_MOST], f[@_MOST], force[@_MOST], next[@_MOST];
  LAW_REAL h[@_MOST][@_MOST];
  law_outlook outlook;
} law_touch;

LAW_INLINE void law_cone(law_touch *t) {
  const int n = @_N(t);
  if (n == 1)
    law_one_sided(t->D[0], t->j[0], t->f, t->h[0]);
  else if (t->is->pyramid)
    law_pyramid(n, t->is->friction, t->D[0], t->j, t->f, t->h[0], @_MOST);
  else
    law_ellipse(n, t->is->friction, t->mu, t->Dm, t->D, t->j, t->f, t->h[0], @_MOST);
}

LAW_INLINE void law_along(const law_touch *t, LAW_REAL alpha, LAW_REAL *first, LAW_REAL *second) {
  const int n = @_N(t);
  const LAW_REAL normal = t->j[0] + alpha * t->dj[0];
  if (n == 1)
    law_along_one_sided(t->D[0], normal, t->dj[0], first, second);
  else if (t->is->pyramid)
    law_along_pyramid(n, t->is->friction, t->D[0], t->j, t->dj, alpha, first, second);
  else
    law_along_ellipse(t->mu, t->Dm, &t->outlook, normal, t->dj[0], alpha, first, second);
}

/* How firmly its directions hold. */
LAW_INLINE void law_firm(law_touch *t, LAW_REAL d) {
  const @_contact *const is = t->is;
  const int n = @_N(t);
  t->mu = t->Dm = LAW_ALL(0.0);
  if (is->pyramid) {
    const double mu = is->friction[0], by = 2 * mu * mu / is->impratio;
    const LAW_REAL D = LAW_ONLY(t->counts, 1.0 / (by * law_softness(d, is->weight * (1 + mu * mu))));
    for (int k = 0; k < n; ++k) t->D[k] = D;
    return;
  }
  const LAW_REAL R = law_softness(d, is->weight), sliding = R / is->impratio;
  t->D[0] = LAW_ONLY(t->counts, 1.0 / R);
  for (int k = 1; k < n; ++k) {
    const double share = is->friction[0] / is->friction[k - 1];
    t->D[k] = LAW_ONLY(t->counts, 1.0 / (sliding * (share * share)));
  }
  if (n == 1) return;
  t->mu = is->friction[0] * LAW_SQRT(sliding / R);
  t->Dm = t->D[0] / (t->mu * t->mu * (1.0 + t->mu * t->mu));
}

/* Rows and numbers of a contact at this state: centre and gap, axes of its plane, velocity and drift of its link. */
LAW_APART void law_meet(law_touch *t, const LAW_REAL *where, const LAW_REAL *axes, const LAW_REAL *motion) {
  const @_contact *const is = t->is;
  const int n = @_N(t);
  const LAW_REAL r = where[3] - is->margin, d = law_impedance(&is->firm, r), inward = is->radius + 0.5 * where[3];
  LAW_REAL arm[3];
  for (int k = 0; k < 3; ++k) arm[k] = where[k] - inward * axes[k];
  for (int k = 0; k < n; ++k) {
    const LAW_REAL *const e = axes + 3 * (k % 3);
    LAW_REAL *const row = t->row[k];
    const LAW_REAL m[3] = {arm[1] * e[2] - arm[2] * e[1], arm[2] * e[0] - arm[0] * e[2], arm[0] * e[1] - arm[1] * e[0]};
    for (int c = 0; c < 3; ++c) row[c] = k < 3 ? m[c] : e[c], row[3 + c] = k < 3 ? e[c] : LAW_ALL(0.0);
    for (int c = 6; c < LAW_WIDTH; ++c) row[c] = LAW_ALL(0.0);
    LAW_REAL speed = LAW_ALL(0.0), drift = LAW_ALL(0.0);
    for (int c = 0; c < 6; ++c) speed += row[c] * motion[c], drift += row[c] * motion[6 + c];
    t->aim[k] = -is->B * speed - drift;
    if (k == 0) t->aim[k] -= is->K * d * r;
  }
  law_firm(t, d);
}

/* as if the cone stuck at j = 0 */
LAW_INLINE void law_stick(law_touch *t) {
  const int n = @_N(t);
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < n; ++l) t->h[k][l] = LAW_ALL(0.0);
    t->j[k] = t->f[k] = LAW_ALL(0.0), t->h[k][k] = t->D[k];
  }
  if (!t->is->pyramid) return;
  t->h[0][0] *= 2 * (n - 1);
  for (int k = 1; k < n; ++k) t->h[k][k] *= 2 * t->is->friction[k - 1] * t->is->friction[k - 1];
}

/* From `from`, where it holds j of this contact; else as if the cone stuck. */
LAW_APART void law_begin(law_touch *t, const LAW_REAL *from, LAW_MASK given) {
  const int n = @_N(t);
  const LAW_MASK warm = given & LAW_IS(from[0] != 0.0);
  law_stick(t);
  if (!LAW_ANY(warm)) return;
  LAW_REAL stuck[@_MOST];
  for (int k = 0; k < n; ++k) stuck[k] = t->h[k][k], t->j[k] = LAW_ONLY(warm, from[1 + k]);
  law_cone(t);
  for (int k = 0; k < n; ++k) {
    t->f[k] = LAW_ONLY(warm, t->f[k]);
    for (int l = 0; l < n; ++l) t->h[k][l] = LAW_PICK(warm, t->h[k][l], k == l ? stuck[k] : LAW_ALL(0.0));
  }
}

LAW_APART void law_answer(law_touch *t, const LAW_REAL *y) {
  const int n = @_N(t);
  for (int k = 0; k < n; ++k) {
    LAW_REAL reached = LAW_ALL(0.0);
    for (int c = 0; c < 6; ++c) reached += t->row[k][c] * y[c];
    t->dj[k] = reached - t->aim[k] - t->j[k];
  }
  for (int k = 0; k < n; ++k) t->next[k] = law_next(n, k, t->f, t->h[0], @_MOST, t->dj);
}
#endif

#if @_JOINTS
/* a stop that is near, or dry friction: the same with one row */
typedef struct {
  const @_joint *is;
  int number;
  LAW_MASK counts;
  LAW_REAL aim, D, j, dj, f, force, next, h;
} law_row;

LAW_INLINE void law_of(const law_row *t, LAW_REAL j, LAW_REAL *f, LAW_REAL *h) {
  if (t->is->stop) law_one_sided(t->D, j, f, h);
  else law_bounded(t->D, t->is->loss, j, f, h);
}

LAW_INLINE void law_row_begin(law_row *t, LAW_REAL past, LAW_REAL speed, const LAW_REAL *from, LAW_MASK given) {
  const LAW_MASK warm = given & LAW_IS(from[0] != 0.0);
  const LAW_REAL d = law_impedance(&t->is->firm, past);
  t->D = LAW_ONLY(t->counts, 1.0 / law_softness(d, t->is->weight));
  t->aim = -t->is->B * t->is->slope * speed - t->is->K * d * past;
  t->j = LAW_ONLY(warm, from[1]);
  law_of(t, t->j, &t->f, &t->h);
  t->f = LAW_ONLY(warm, t->f), t->h = LAW_PICK(warm, t->h, t->D);
}
#endif

/* All that counts at a state. */
typedef struct {
  int touches, rows;
#if @_CONTACTS
  law_touch touch[@_CONTACTS];
#endif
#if @_JOINTS
  law_row row[@_JOINTS];
#endif
} law_rows;

LAW_APART void law_begin_all(law_rows *all, const LAW_REAL *q, const LAW_REAL *dq, const LAW_REAL *start, LAW_MASK given,
                             const LAW_REAL *where, const LAW_REAL *axes, const LAW_REAL *motion) {
  (void)given, (void)q, (void)dq, (void)start, (void)where, (void)axes, (void)motion;
  all->touches = all->rows = 0;
#if @_CONTACTS
  for (int c = 0; c < @_CONTACTS; ++c) {
    const @_contact *const is = @_contacts + c;
    const LAW_MASK counts = LAW_IS(where[4 * c + 3] < is->margin);
    if (!LAW_ANY(counts)) continue;
    law_touch *const t = all->touch + all->touches++;
    t->is = is, t->number = c, t->n = is->n, t->counts = counts;
    law_meet(t, where + 4 * c, axes + 9 * is->plane, motion + 12 * is->body);
    law_begin(t, start + 1 + c * (1 + @_MOST), given);
  }
#endif
#if @_JOINTS
  for (int r = 0; r < @_JOINTS; ++r) {
    const @_joint *const is = @_joints + r;
    const LAW_REAL gap = is->stop ? is->slope * q[is->q] + is->offset : LAW_ALL(0.0);
    const LAW_MASK counts = is->stop ? LAW_IS(gap < is->margin) : LAW_IS(LAW_ALL(is->loss) > 0.0);
    if (!LAW_ANY(counts)) continue;
    law_row *const t = all->row + all->rows++;
    t->is = is, t->number = r, t->counts = counts;
    law_row_begin(t, is->stop ? gap - is->margin : LAW_ALL(0.0), dq[is->v], start + 1 + @_CONTACTS * (1 + @_MOST) + 2 * r, given);
  }
#endif
}

/* what the rows of joints add to the step's matrix and right side */
LAW_INLINE void law_gather_joints(const law_rows *all, LAW_REAL *dh, LAW_REAL *dt) {
  for (int k = 0; k < @_PLACES; ++k) dh[k] = dt[k] = LAW_ALL(0.0);
  (void)all, (void)dh, (void)dt;
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const law_row *const t = all->row + r;
    dh[t->is->place] += t->is->slope * t->is->slope * t->h, dt[t->is->place] += t->is->slope * (t->f + t->h * (t->j + t->aim));
  }
#endif
}

/* where the step leads */
LAW_APART void law_lead(law_rows *all, const LAW_REAL *reached, const LAW_REAL *y) {
  (void)all, (void)reached, (void)y;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) law_answer(all->touch + c, y + 6 * all->touch[c].is->body);
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    law_row *const t = all->row + r;
    t->dj = t->is->slope * reached[t->is->moved] - t->aim - t->j, t->next = t->f - t->h * t->dj;
  }
#endif
}

/* derivatives of the whole along the step: that of M from the forces that hold it, that of the costs */
LAW_APART void law_slope(const law_rows *all, const LAW_REAL *ahead, LAW_REAL alpha, LAW_REAL *first, LAW_REAL *second) {
  *first = ahead[0] + alpha * ahead[1], *second = ahead[1];
  (void)all;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) law_along(all->touch + c, alpha, first, second);
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const law_row *const t = all->row + r;
    LAW_REAL f, h;
    law_of(t, t->j + alpha * t->dj, &f, &h);
    *first -= f * t->dj, *second += h * t->dj * t->dj;
  }
#endif
}
#define LAW_SLOPE law_slope

LAW_INLINE void law_ahead_of(LAW_REAL *ahead, LAW_REAL force, LAW_REAL next, LAW_REAL f, LAW_REAL dj) {
  const LAW_REAL work = force * dj;
  ahead[0] += work, ahead[1] += (next - force) * dj, ahead[2] += (force - f) * dj, ahead[3] += LAW_ABS(work);
}

/* what law_length takes */
LAW_APART void law_look(law_rows *all, LAW_REAL *ahead) {
  ahead[0] = ahead[1] = ahead[2] = ahead[3] = LAW_ALL(0.0);
  (void)all;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    law_touch *const t = all->touch + c;
    const int n = @_N(t);
    law_look_ahead(n, t->is->friction, t->D, t->j, t->dj, &t->outlook);
    for (int k = 0; k < n; ++k) law_ahead_of(ahead, t->force[k], t->next[k], t->f[k], t->dj[k]);
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    const law_row *const t = all->row + r;
    law_ahead_of(ahead, t->force, t->next, t->f, t->dj);
  }
#endif
}

/* the largest force, the largest miss beside what the cone gives, and whose it is */
typedef struct {
  LAW_REAL left, size, worst;
} law_misses;

LAW_INLINE void law_miss(law_misses *m, LAW_REAL force, LAW_REAL f, int name) {
  const LAW_REAL miss = LAW_ABS(force - f), strong = LAW_ABS(force);
  const LAW_MASK more = LAW_NOT(LAW_IS(miss <= m->left)), larger = LAW_NOT(LAW_IS(strong <= m->size));
  m->left = LAW_PICK(more, miss, m->left), m->worst = LAW_PICK(more, LAW_ALL(name), m->worst);
  m->size = LAW_PICK(larger, strong, m->size);
}

/* goes alpha of the way; a lane whose alpha is 0 stays where it is */
LAW_APART void law_go(law_rows *all, int first, const LAW_REAL *by, law_misses *m) {
  const LAW_REAL alpha = *by;
  (void)all, (void)first, (void)alpha, (void)m;
#if @_CONTACTS
  for (int c = 0; c < all->touches; ++c) {
    law_touch *const t = all->touch + c;
    const int n = @_N(t);
    t->j[0] += alpha * t->dj[0]; /* apart from the tangential ones, which law_cone loads together */
    for (int k = 1; k < n; ++k) t->j[k] += alpha * t->dj[k];
    for (int k = 0; k < n; ++k)
      t->force[k] = first ? t->next[k] : t->force[k] + alpha * (t->next[k] - t->force[k]);
    law_cone(t);
    for (int k = 0; k < n; ++k) law_miss(m, LAW_ONLY(t->counts, t->force[k]), LAW_ONLY(t->counts, t->f[k]), @_CONTACT_NAMES[t->number]);
  }
#endif
#if @_JOINTS
  for (int r = 0; r < all->rows; ++r) {
    law_row *const t = all->row + r;
    t->j += alpha * t->dj;
    t->force = first ? t->next : t->force + alpha * (t->next - t->force);
    law_of(t, t->j, &t->f, &t->h);
    law_miss(m, LAW_ONLY(t->counts, t->force), LAW_ONLY(t->counts, t->f), @_JOINT_NAMES[t->number]);
  }
#endif
}

)";

}  // namespace

std::string contact_rows(bool lanes) {
  const std::string text =
      std::string("#if @_CONTACTS || @_JOINTS\n") + contact_law_text() + "#endif\n" + kRows + line_search_text();
  return lanes ? state_in_each_lane(text) : one_state(text);
}

}  // namespace sparsedyn
