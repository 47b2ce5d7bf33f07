#include "sparsedyn/flops/counts.hpp"

namespace sparsedyn {

std::vector<PublishedCount> published_counts(int joints) {
  const long n = joints;
  const long crba_mul = 10 * n * n + 22 * n - 32, crba_add = 6 * n * n + 37 * n - 43;
  // LTDL factor and solve: n³/6 + 3n²/2 − 2n/3 and n³/6 + n² − 7n/6, divisions counted as multiplications
  const long ltdl_mul = (n * n * n + 9 * n * n - 4 * n) / 6, ltdl_add = (n * n * n + 6 * n * n - 7 * n) / 6;
  const long rnea_mul = 93 * n - 108, rnea_add = 81 * n - 100;
  return {
      {"rnea", "Balafoutis & Patel", rnea_mul, rnea_add},
      {"rnea", "Khalil, base parameters", 92 * n - 127, 81 * n - 117},
      {"aba", "McMillan, Orin & Walker", 224 * n - 259, 205 * n - 248},
      {"aba", "Brandl, Johanni & Otter", 250 * n - 222, 220 * n - 198},
      {"crba", "Featherstone", crba_mul, crba_add},
      {"rnea+crba+ltdl", "Balafoutis & Patel + Featherstone", rnea_mul + crba_mul + ltdl_mul, rnea_add + crba_add + ltdl_add}};
}

}  // namespace sparsedyn
