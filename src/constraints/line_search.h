/* Where the cost's slope along Newton's step vanishes: Newton's method between signs. Text as contact_law.h is.
   ahead: of the part that M holds, the slope at the start and how it grows; the slope of the whole at the start; and the size
   of the terms that the first of them sums. LAW_SLOPE(rows, ahead, alpha, first, second) writes the whole's derivatives at
   alpha. */
LAW_APART void law_length(const law_rows* rows, const LAW_REAL* ahead, LAW_MASK search, double precision, LAW_REAL* length) {
  LAW_REAL low = LAW_ALL(0.0), high = LAW_ALL(-1.0), alpha = LAW_ALL(1.0), first, second;
  const LAW_REAL enough = precision * LAW_ABS(ahead[2]);
  /* else the slope is rounding, which knows of no length but 1; growth, dx'M dx, is part of -slope, dx'(M + J'hJ) dx */
  search &= LAW_IS(ahead[2] < -2e-15 * ahead[3]) & LAW_IS(ahead[1] > 1e-6 * ahead[2]);
  for (int k = 0; k < 60 && LAW_ANY(search); ++k) {
    LAW_SLOPE(rows, ahead, alpha, &first, &second);
    search &= LAW_IS(LAW_ABS(first) > enough);
    if (!LAW_ANY(search)) break;
    const LAW_MASK before = LAW_IS(first < 0.0);
    low = LAW_PICK(search & before, alpha, low), high = LAW_PICK(search & LAW_NOT(before), alpha, high);
    const LAW_REAL newton = alpha - first / second;
    const LAW_MASK open = LAW_IS(high < 0.0);
    const LAW_MASK between = LAW_IS(second > 0.0) & LAW_IS(newton > low) & (open | LAW_IS(newton < high));
    const LAW_REAL next = LAW_PICK(between, newton, LAW_PICK(open, 2.0 * alpha, 0.5 * (low + high)));
    search &= LAW_IS(next != alpha);
    alpha = LAW_PICK(search, next, alpha);
  }
  *length = alpha;
}
