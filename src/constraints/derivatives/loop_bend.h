/* How the law of a loop bends: text as contact_law.h is. With s = |phi|, the stiffness K(s) and R(s) = (1 - d)/d are functions
   of t = s^2/2, and d/dt is (1/s) d/ds. At s = 0 what remains of them is the limit of d'/s, which is d''. By the power 1 they
   have a kink there, which is left out: `open` tells that s is neither zero nor at such a kink. */

/* to: K of the error and two derivatives by t, `power` times those of ln R and R''/R. Hard rows have K = omega^2 and R = 0.
   steep, steeper: d' and d'' by s. */
LAW_INLINE void law_loop_bend(int hard, double omega, double K, LAW_REAL s, LAW_MASK open, LAW_REAL d, LAW_REAL steep,
                              LAW_REAL steeper, LAW_REAL power, LAW_REAL* to) {
  const LAW_REAL slope = open ? steep / s : steeper, rest = open ? (steeper - slope) / s / s : LAW_ALL(0.0),
                 soft = d * (1.0 - d);
  to[0] = hard ? LAW_ALL(omega * omega) : K * d, to[1] = to[2] = to[3] = to[4] = LAW_ALL(0.0);
  if (hard) return;
  to[1] = K * slope, to[2] = K * rest;
  to[3] = -power * slope / soft, to[4] = power * (2.0 * slope * slope / d - rest) / soft;
}
