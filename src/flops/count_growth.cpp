#include "count_growth.hpp"

#include <cmath>

#include "dense/orthogonal.hpp"

namespace sparsedyn {

CountGrowth fit_growth(const std::vector<double>& n, const std::vector<double>& y, int degree) {
  const Eigen::Index rows = static_cast<Eigen::Index>(n.size());
  Eigen::MatrixXd powers(rows, degree + 1);
  for (Eigen::Index r = 0; r < rows; ++r)
    for (int k = 0; k <= degree; ++k) powers(r, k) = std::pow(n[static_cast<std::size_t>(r)], k);
  const Eigen::VectorXd values = Eigen::Map<const Eigen::VectorXd>(y.data(), rows);
  const Eigen::VectorXd c = dense_algebra::solve(dense_algebra::PivotedQR(powers), values);
  return {{c.data(), c.data() + c.size()}, (values - powers * c).cwiseAbs().maxCoeff()};
}

int growth_degree(const std::string& algorithm) {
  if (algorithm == "rnea" || algorithm == "aba") return 1;
  return algorithm == "crba" ? 2 : 3;
}

/// Cubic coefficients are sixths: these are written with three digits.
std::string growth_text(const CountGrowth& growth) {
  std::string text;
  for (std::size_t k = growth.coefficients.size(); k-- > 0;) {
    double c = growth.coefficients[k];
    if (std::abs(c) < 5e-4) continue;
    text += text.empty() ? (c < 0 ? "−" : "") : (c < 0 ? " − " : " + ");
    c = std::abs(c);
    std::string number = std::to_string(std::round(1000 * c) / 1000);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
    text += k > 0 && number == "1" ? "" : number;
    if (k > 0) text += (text.empty() || text.back() == ' ' || number == "1" ? "n" : " n");
    if (k > 1) text += k == 2 ? "²" : "³";
  }
  return text.empty() ? "0" : text;
}

}  // namespace sparsedyn
