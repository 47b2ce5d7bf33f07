/* How forces of contacts and stops bend: text as contact_law.h is, behind that. With j = p + K d(r) r along the normal, r the
   gap less its margin, and j = p along the other directions, a contact's psi(w, p, r) = w f(j) at constant w has these
   derivatives beside those by w, which are f. */

/* How D and the aim of a row depend on r: D'/D, D''/D, and the derivatives of K d(r) r. Of the impedance d(r),
   ln D = ln d - ln(1 - d), so D''/D = d''/(d (1 - d)) + 2 d'^2/(d (1 - d)^2). */
typedef struct law_grip {
  LAW_REAL firmer, firmest, aim, aims;
} law_grip;

/* steep, steeper: d' and d'' */
LAW_INLINE law_grip law_grip_at(double K, LAW_REAL r, LAW_REAL d, LAW_REAL steep, LAW_REAL steeper) {
  const LAW_REAL soft = d * (1.0 - d);
  const law_grip grip = {steep / soft, (steeper + 2.0 * steep * steep / (1.0 - d)) / soft, K * (d + steep * r),
                         K * (2.0 * steep + steeper * r)};
  return grip;
}

/* What is not zero: first derivatives, by w those of force; second ones, by w and p -h. turns: whether pp is not zero. */
typedef struct law_bend {
  LAW_REAL by_p[LAW_MOST], by_r, wr[LAW_MOST], pp[LAW_MOST][LAW_MOST], pr[LAW_MOST], rr;
  int turns;
} law_bend;

/* pp: the derivative of -h w by j; only a contact that slides on an elliptic cone has one. In U = (mu j_n, mu_k j_k), N = U_n,
   T = |U_t|, t = U_t/T, P = 1 - t t' and with v = (mu w_n, mu_k w_k), the cost is Dm/2 (N - mu T)^2. Along v, t changes by P
   v/T and P/T by -(P v t' + t (P v)' + (t.v) P)/T^2. */
LAW_INLINE int law_sliding_bend(int n, const double* friction, LAW_REAL mu, LAW_REAL Dm, const LAW_REAL* j, const LAW_REAL* w,
                                LAW_REAL pp[LAW_MOST][LAW_MOST]) {
  LAW_REAL v[LAW_MOST], u[LAW_MOST], scale[LAW_MOST], T = LAW_ALL(0.0), tv = LAW_ALL(0.0);
  LAW_MASK sticks, slides;
  for (int k = 0; k < n; ++k) {
    scale[k] = k ? LAW_ALL(friction[k - 1]) : mu;
    u[k] = scale[k] * j[k], v[k] = scale[k] * w[k];
    if (k) T += u[k] * u[k];
  }
  T = LAW_SQRT(T);
  law_kinds(mu, u[0], T, &sticks, &slides);
  if (!LAW_ANY(slides)) return 0;
  const LAW_REAL e = u[0] - mu * T;
  for (int k = 1; k < n; ++k) u[k] /= T, tv += u[k] * v[k];
  const LAW_REAL de = v[0] - mu * tv;
  for (int k = 1; k < n; ++k) {
    const LAW_REAL moved = (v[k] - tv * u[k]) / T;
    pp[0][k] = pp[k][0] = Dm * mu * moved * scale[0] * scale[k];
    for (int l = 1; l <= k; ++l) {
      const LAW_REAL across = (k == l) - u[k] * u[l], turned = u[k] * (v[l] - tv * u[l]) / T + moved * u[l];
      const LAW_REAL bent = mu * turned - de * across / T + e * (turned + tv * across / T) / T;
      pp[k][l] = pp[l][k] = -Dm * mu * bent * scale[k] * scale[l];
    }
  }
  return 1;
}

/* Of a contact, along its directions; friction: of an elliptic cone, else null. h: n x n, `stride` from row to row. */
LAW_INLINE void law_bend_of(int n, const double* friction, LAW_REAL mu, LAW_REAL Dm, const LAW_REAL* j, const LAW_REAL* force,
                            const LAW_REAL* h, int stride, const law_grip* grip, const LAW_REAL* w, law_bend* to) {
  LAW_REAL power = LAW_ALL(0.0);
  for (int k = 0; k < n; ++k)
    for (int l = 0; l < n; ++l) to->pp[k][l] = LAW_ALL(0.0);
  to->turns = friction && n > 1 ? law_sliding_bend(n, friction, mu, Dm, j, w, to->pp) : 0;
  for (int k = 0; k < n; ++k) {
    to->by_p[k] = LAW_ALL(0.0), power += w[k] * force[k];
    for (int l = 0; l < n; ++l) to->by_p[k] -= h[k * stride + l] * w[l];
    to->wr[k] = grip->firmer * force[k] - grip->aim * h[k * stride];
    to->pr[k] = grip->firmer * to->by_p[k] + grip->aim * to->pp[k][0];
  }
  to->by_r = grip->firmer * power + grip->aim * to->by_p[0];
  to->rr = grip->firmest * power + (2.0 * grip->firmer * grip->aim + grip->aims) * to->by_p[0] +
           grip->aim * grip->aim * to->pp[0][0];
}

/* Of a stop that presses, its one row: by p and r, and by r twice. */
LAW_INLINE void law_stop_bend(LAW_REAL force, LAW_REAL h, const law_grip* grip, LAW_REAL w, LAW_REAL* pr, LAW_REAL* rr) {
  *pr = -grip->firmer * h * w;
  *rr = w * (grip->firmest * force - (2.0 * grip->firmer * grip->aim + grip->aims) * h);
}
