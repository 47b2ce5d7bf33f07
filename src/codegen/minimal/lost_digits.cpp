#include "lost_digits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

namespace sparsedyn {
namespace {

/// At every other state near a multiple of π/2, where numbers are small beside others that are not.
double draw(int state, const Node& n, const std::map<int, std::vector<double>>& nominal) {
  std::seed_seq seed{state, n.port, n.element};
  std::mt19937 rng(seed);
  const auto uniform = [&] { return static_cast<double>(rng()) / 4294967296.0; };
  if (const auto near = nominal.find(n.port); near != nominal.end())
    return near->second[static_cast<std::size_t>(n.element)] * (0.9 + 0.2 * uniform());
  const double any = 4 * uniform() - 2, sliver = std::pow(10.0, -3 - 7 * uniform());
  return state % 2 ? std::round(any) * std::acos(0.0) + sliver : any;
}

bool finite(const std::vector<std::vector<long double>>& x) {
  return std::all_of(x.begin(), x.end(), [](const auto& vector) {
    return std::all_of(vector.begin(), vector.end(), [](long double e) { return std::isfinite(e); });
  });
}

double difference(const std::vector<std::vector<double>>& values, const std::vector<std::vector<long double>>& exact) {
  long double worst = 0;
  for (std::size_t p = 0; p < values.size(); ++p) {
    long double size = 0, off = 0;
    for (std::size_t e = 0; e < values[p].size(); ++e) {
      if (!std::isfinite(values[p][e])) return std::numeric_limits<double>::infinity();
      size = std::max(size, std::fabs(exact[p][e]));
      off = std::max(off, std::fabs(values[p][e] - exact[p][e]));
    }
    if (off > 0) worst = std::max(worst, off / size);
  }
  return static_cast<double>(worst);
}

}  // namespace

LostDigits::Numbers LostDigits::numbers_of(const Node& input) const {
  if (const auto found = drawn_.find({input.port, input.element}); found != drawn_.end()) return found->second;
  Numbers numbers{};
  for (int k = 0; k < states; ++k) numbers[static_cast<std::size_t>(k)] = draw(k, input, nominal_);
  return numbers;
}

template <class S>
std::vector<std::vector<S>> LostDigits::evaluated(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results,
                                                  int state) const {
  std::vector<S> x;
  x.reserve(nodes.size());
  const auto at = [&](Ref r) { return r.negative ? -x[r.node] : x[r.node]; };
  for (const Node& n : nodes) {
    switch (n.op) {
      case Op::constant: x.push_back(n.value); break;
      case Op::input: x.push_back(numbers_of(n)[static_cast<std::size_t>(state)]); break;
      case Op::add: x.push_back(at(n.a) + at(n.b)); break;
      case Op::mul: x.push_back(at(n.a) * at(n.b)); break;
      case Op::div: x.push_back(at(n.a) / at(n.b)); break;
      case Op::sqrt: x.push_back(std::sqrt(at(n.a))); break;
      case Op::sin: x.push_back(std::sin(at(n.a))); break;
      case Op::cos: x.push_back(std::cos(at(n.a))); break;
      case Op::tanh: x.push_back(std::tanh(at(n.a))); break;
      case Op::abs:
      case Op::min: throw std::logic_error("no recording has this operation");
    }
  }
  std::vector<std::vector<S>> values;
  for (const auto& result : results) {
    values.emplace_back();
    for (Ref r : result) values.back().push_back(at(r));
  }
  return values;
}

LostDigits::LostDigits(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results,
                       std::map<int, std::vector<double>> nominal)
    : nominal_(std::move(nominal)) {
  for (const Node& n : nodes)
    if (n.op == Op::input) drawn_.emplace(std::make_pair(n.port, n.element), numbers_of(n));
  for (int k = 0; k < states; ++k) {
    exact_.push_back(evaluated<long double>(nodes, results, k));
    if (!finite(exact_.back())) exact_.back().clear();
  }
}

std::vector<double> LostDigits::of(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results) const {
  std::vector<double> lost;
  for (int k = 0; k < states; ++k)
    lost.push_back(exact_[k].empty() ? 0.0 : difference(evaluated<double>(nodes, results, k), exact_[k]));
  return lost;
}

}  // namespace sparsedyn
