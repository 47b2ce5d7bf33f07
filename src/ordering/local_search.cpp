#include "local_search.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include "order_cost.hpp"

namespace sparsedyn {
namespace {

constexpr int probed_states = 12;
constexpr double probed_error = 1e-13;  // a margin below what the full sampling asks for

/// Random and special states in turn.
Samples probe(const Samples& all) {
  Samples some = all;
  some.count = std::min(probed_states, all.count);
  some.state = nullptr, some.moved = nullptr;
  some.fill = [all](int s, double* values, double* right_side) { all.fill(state_in_turn(all, s), values, right_side); };
  return some;
}

class Search {
 public:
  Search(const OrderingProblem& problem, const Order& start, const LocalSearch& options)
      : problem_(problem),
        options_(options),
        rng_(options.seed),
        probe_(probe(problem.samples)),
        best_(start),
        current_(start) {
    best_cost_ = current_cost_ = cost(start);
  }

  Order run() {
    const auto begin = std::chrono::steady_clock::now();
    for (long step = 0; step < options_.steps && size() > 1; ++step) {
      if (step % 16 == 0) {
        const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (spent >= options_.seconds) break;
        if (options_.progress) options_.progress(spent / options_.seconds);
      }
      try_one();
    }
    return best_;
  }

 private:
  int size() const { return static_cast<int>(best_.rows.size()); }
  long cost(const Order& order) const { return order_cost(problem_.pattern, order, problem_.unit, problem_.outputs).total(); }
  int random_below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }

  void try_one() {
    Order order = current_;
    change(order);
    long order_total = 0;
    try {
      order_total = cost(order);
    } catch (const ZeroPivot&) {
      return;
    }
    if (order_total > current_cost_) return;
    if (order_total < best_cost_) {
      if (measure_health(make_plan(problem_.pattern, order, problem_.unit), probe_).worst_backward_error > probed_error) {
        current_ = best_, current_cost_ = best_cost_;
        return;
      }
      best_ = order, best_cost_ = order_total;
    }
    current_ = std::move(order), current_cost_ = order_total;
  }

  void change(Order& order) {
    const int a = random_below(size());
    if (random_below(4) == 0) {  // two pivots near each other exchange their columns
      const int b = std::min(size() - 1, a + 1 + random_below(8));
      std::swap(order.columns[a], order.columns[b]);
      return;
    }
    const int length = 1 + random_below(std::min(6, size() - a));
    const int reach = random_below(2) ? 16 : size();
    const int to = std::clamp(a + random_below(2 * reach + 1) - reach, 0, size() - length);
    move_block(order.rows, a, length, to), move_block(order.columns, a, length, to);
  }

  static void move_block(std::vector<int>& list, int from, int length, int to) {
    const auto begin = list.begin();
    if (to < from)
      std::rotate(begin + to, begin + from, begin + from + length);
    else
      std::rotate(begin + from, begin + from + length, begin + to + length);
  }

  const OrderingProblem& problem_;
  const LocalSearch& options_;
  std::mt19937 rng_;
  const Samples probe_;
  Order best_, current_;
  long best_cost_ = 0, current_cost_ = 0;
};

}  // namespace

Order search_from(const OrderingProblem& problem, const Order& start, const LocalSearch& options) {
  return Search(problem, start, options).run();
}

}  // namespace sparsedyn
