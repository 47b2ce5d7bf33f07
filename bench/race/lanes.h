/* For a peer's text on vectors of 8 doubles: one sample a lane. */
typedef double lane __attribute__((vector_size(64)));
typedef long long whole __attribute__((vector_size(64)));

/* sin and cos by turns: x = k pi/2 + r (Cody and Waite, 1980, three parts), Taylor series of r to the last bit but two. */
static inline __attribute__((always_inline)) void turned(lane x, lane* sine, lane* cosine) {
  const lane shifted = x * 0.6366197723675814 + 6755399441055744.0, k = shifted - 6755399441055744.0;
  const lane r = ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21, z = r * r;
  const lane s =
      r + r * z *
              (-1.0 / 6 +
               z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800.0))))));
  const lane c =
      1.0 - 0.5 * z +
      z * z *
          (1.0 / 24 +
           z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200.0))))));
  const whole turns = (whole)shifted, odd = -(turns & 1), one_bit = (whole)(lane){0} - 0x7fffffffffffffff - 1;
  *sine = (lane)(((odd & (whole)c) | (~odd & (whole)s)) ^ ((turns << 62) & one_bit));
  *cosine = (lane)(((odd & (whole)s) | (~odd & (whole)c)) ^ (((turns + 1) << 62) & one_bit));
}
