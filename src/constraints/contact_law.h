/* What contacts, stops and dry friction press with (MuJoCo's documentation, "Computation", "Constraint model"): f(j), where j
   is what an acceleration J a - a* misses its aim by. It is minus the gradient of a convex cost, whose Hessian is h >= 0. Once
   for the library and for generated C, of one state or of states side by side: LAW_REAL is a number or a vector of numbers,
   LAW_MASK a condition or one for each state. LAW_ONLY(mask, x) is x or 0, LAW_PICK(mask, x, y) is x or y, LAW_ANY(mask) tells
   whether any state meets the condition; LAW_MOST is the largest number of directions of a contact. */

/* a row that only presses: stops, contacts without friction, edges of pyramids */
LAW_INLINE void law_one_sided(LAW_REAL D, LAW_REAL j, LAW_REAL* f, LAW_REAL* h) {
  *h = LAW_ONLY(LAW_IS(j < 0.0), D);
  *f = -*h * j;
}

/* a row that holds up to a bound: dry friction */
LAW_INLINE void law_bounded(LAW_REAL D, double bound, LAW_REAL j, LAW_REAL* f, LAW_REAL* h) {
  const LAW_REAL pull = -D * j;
  const LAW_MASK holds = LAW_IS(LAW_ABS(pull) < bound);
  *h = LAW_ONLY(holds, D);
  *f = LAW_PICK(holds, pull, LAW_PICK(LAW_IS(j > 0.0), LAW_ALL(-bound), LAW_ALL(bound)));
}

/* A pyramid in directions: its edges n + mu t and n - mu t each only press. h: n x n, `stride` from row to row. */
LAW_INLINE void law_pyramid(int n, const double* friction, LAW_REAL D, const LAW_REAL* j, LAW_REAL* f, LAW_REAL* h,
                            int stride) {
  for (int k = 0; k < n; ++k) {
    f[k] = LAW_ALL(0.0);
    for (int l = 0; l < n; ++l) h[k * stride + l] = LAW_ALL(0.0);
  }
  for (int k = 1; k < n; ++k)
    for (int side = 0; side < 2; ++side) {
      const double mu = side ? -friction[k - 1] : friction[k - 1];
      const LAW_REAL edge = j[0] + mu * j[k], firm = LAW_ONLY(LAW_IS(edge < 0.0), D);
      f[0] -= firm * edge, f[k] -= firm * edge * mu;
      h[0] += firm, h[k] += firm * mu, h[k * stride + k] += firm * (mu * mu);
      h[k * stride] = h[k];
    }
}

/* Of an elliptic cone, in U = (mu j_n, mu_k j_k), N = U_n, T = |U_t|: open where N >= mu T; sticking, all rows linear, where
   mu N + T <= 0; and sliding between. */
LAW_INLINE void law_kinds(LAW_REAL mu, LAW_REAL N, LAW_REAL T, LAW_MASK* sticks, LAW_MASK* slides) {
  const LAW_MASK open = LAW_IS(N >= mu * T), pressed = LAW_IS(mu * N + T <= 0.0) | LAW_IS(T <= 0.0);
  *sticks = LAW_NOT(open) & pressed, *slides = LAW_NOT(open) & LAW_NOT(pressed);
}

/* Sliding costs Dm/2 (N - mu T)^2, with Dm = D_n / (mu^2 (1 + mu^2)): the distance to the cone. h: as of pyramids, or null. */
LAW_INLINE void law_ellipse(int n, const double* friction, LAW_REAL mu, LAW_REAL Dm, const LAW_REAL* D, const LAW_REAL* j,
                            LAW_REAL* f, LAW_REAL* h, int stride) {
  const LAW_REAL N = mu * j[0];
  LAW_REAL U[LAW_MOST], T = LAW_ALL(0.0);
  LAW_MASK sticks, slides;
  for (int k = 1; k < n; ++k) U[k] = friction[k - 1] * j[k], T += U[k] * U[k];
  T = LAW_SQRT(T);
  law_kinds(mu, N, T, &sticks, &slides);
  if (!LAW_ANY(slides)) {
    for (int k = 0; k < n; ++k) {
      const LAW_REAL firm = LAW_ONLY(sticks, D[k]);
      f[k] = -firm * j[k];
      for (int l = 0; h && l < n; ++l) h[k * stride + l] = k == l ? firm : LAW_ALL(0.0);
    }
    return;
  }
  const LAW_REAL per = LAW_ONLY(slides, 1.0 / T), firm = LAW_ONLY(slides, Dm), e = N - mu * T, a = mu * N * per,
                 turned = mu * mu - a;
  f[0] = -firm * e * mu;
  if (h) h[0] = firm * mu * mu;
  for (int k = 1; k < n; ++k) {
    const double scale = friction[k - 1];
    U[k] *= per;
    f[k] = firm * e * mu * U[k] * scale;
    if (!h) continue;
    h[k] = h[k * stride] = -firm * mu * mu * U[k] * scale;
    for (int l = 1; l <= k; ++l) {
      const LAW_REAL both = a * U[k] * U[l];
      h[k * stride + l] = h[l * stride + k] = firm * (scale * friction[l - 1]) * (k == l ? both + turned : both);
    }
  }
  if (!LAW_ANY(sticks)) return; /* another state than those that slide */
  for (int k = 0; k < n; ++k) {
    const LAW_REAL stuck = LAW_ONLY(sticks, D[k]);
    f[k] -= stuck * j[k];
    if (h) h[k * stride + k] += stuck;
  }
}

/* What of an elliptic cone's cost does not change along j + alpha dj: |U_t|^2 = u0 + 2 u1 alpha + u2 alpha^2, and of sticking
   the slope held0 + held1 alpha. */
typedef struct law_outlook {
  LAW_REAL u[3], held[2];
} law_outlook;

LAW_INLINE void law_look_ahead(int n, const double* friction, const LAW_REAL* D, const LAW_REAL* j, const LAW_REAL* dj,
                               law_outlook* to) {
  to->u[0] = to->u[1] = to->u[2] = to->held[0] = to->held[1] = LAW_ALL(0.0);
  for (int k = 0; k < n; ++k) {
    const double scale = k ? friction[k - 1] : 0;
    const LAW_REAL U = scale * j[k], dU = scale * dj[k], firm = D[k] * dj[k];
    to->u[0] += U * U, to->u[1] += U * dU, to->u[2] += dU * dU;
    to->held[0] += firm * j[k], to->held[1] += firm * dj[k];
  }
}

/* adds the first and second derivative of the cost by alpha; `normal`, `rate`: j_n there and how it grows */
LAW_INLINE void law_along_ellipse(LAW_REAL mu, LAW_REAL Dm, const law_outlook* is, LAW_REAL normal, LAW_REAL rate,
                                  LAW_REAL alpha, LAW_REAL* first, LAW_REAL* second) {
  const LAW_REAL N = mu * normal, turn = is->u[1] + alpha * is->u[2], square = is->u[0] + alpha * (is->u[1] + turn);
  const LAW_REAL T = LAW_SQRT(LAW_ONLY(LAW_IS(square > 0.0), square));
  LAW_MASK sticks, slides;
  law_kinds(mu, N, T, &sticks, &slides);
  if (LAW_ANY(slides)) {
    const LAW_REAL per = LAW_ONLY(slides, 1.0 / T), firm = LAW_ONLY(slides, Dm), e = N - mu * T;
    const LAW_REAL dT = turn * per, de = mu * (rate - dT);
    *first += firm * e * de;
    *second += firm * (de * de - e * mu * (is->u[2] - dT * dT) * per);
  }
  *first += LAW_ONLY(sticks, is->held[0] + alpha * is->held[1]), *second += LAW_ONLY(sticks, is->held[1]);
}

LAW_INLINE void law_along_one_sided(LAW_REAL D, LAW_REAL j, LAW_REAL rate, LAW_REAL* first, LAW_REAL* second) {
  const LAW_REAL firm = LAW_ONLY(LAW_IS(j < 0.0), D) * rate;
  *first += firm * j, *second += firm * rate;
}

LAW_INLINE void law_along_pyramid(int n, const double* friction, LAW_REAL D, const LAW_REAL* j, const LAW_REAL* dj,
                                  LAW_REAL alpha, LAW_REAL* first, LAW_REAL* second) {
  for (int k = 1; k < n; ++k)
    for (int side = 0; side < 2; ++side) {
      const double mu = side ? -friction[k - 1] : friction[k - 1];
      const LAW_REAL rate = dj[0] + mu * dj[k], edge = j[0] + mu * j[k] + alpha * rate;
      law_along_one_sided(D, edge, rate, first, second);
    }
}

/* Newton's step, (M + J'hJ) a = push + J'(f + h (j + a*)): what row k pushes with, and the force at the step's end, where j has
   changed by dj. */
LAW_INLINE LAW_REAL law_push(int n, int k, const LAW_REAL* f, const LAW_REAL* h, int stride, const LAW_REAL* j,
                             const LAW_REAL* aim) {
  LAW_REAL push = f[k];
  for (int l = 0; l < n; ++l) push += h[k * stride + l] * (j[l] + aim[l]);
  return push;
}

LAW_INLINE LAW_REAL law_next(int n, int k, const LAW_REAL* f, const LAW_REAL* h, int stride, const LAW_REAL* dj) {
  LAW_REAL next = f[k];
  for (int l = 0; l < n; ++l) next -= h[k * stride + l] * dj[l];
  return next;
}
