// The unit quaternion of a rotation, in C; `@` stands for the program's name.
#pragma once

namespace sparsedyn {

constexpr const char* quaternion_text = R"(/* x y z of the unit quaternion with w >= 0, and w (Shepperd 1978) */
static void @_quaternion(const double *R, double *u) {
  const double squares[4] = {1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8], 1 + R[0] + R[4] + R[8]};
  int largest = 0;
  for (int k = 1; k < 4; ++k)
    if (squares[k] > squares[largest]) largest = k;
  const double twice = sqrt(squares[largest]), scale = 0.5 / twice;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double odd = scale * (R[3 * j + i] - R[3 * i + j]);
    if (largest == 3) u[k] = odd;
    else if (k == largest) u[3] = odd;
    else u[k] = scale * (R[3 * k + largest] + R[3 * largest + k]);
  }
  u[largest] = 0.5 * twice;
  for (int k = 0, turned = u[3] < 0; k < 4 && turned; ++k) u[k] = -u[k];
}
)";

}  // namespace sparsedyn
