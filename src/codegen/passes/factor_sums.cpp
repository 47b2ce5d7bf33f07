#include "factor_sums.hpp"

#include <algorithm>
#include <utility>

#include "codegen/ir/evaluation_order.hpp"
#include "codegen/ir/rounded_nodes.hpp"
#include "repetitions.hpp"

namespace sparsedyn {
namespace {

/// A product of nodes of the fresh graph, with a sign.
struct Term {
  std::vector<std::int32_t> factors;
  bool negative;
  ModularFingerprint image;  // of the product with its sign
};

class Factoring {
 public:
  Factoring(const Graph& graph, const std::vector<std::vector<Ref>>& results, Graph& fresh)
      : graph_(graph), nodes_(graph.nodes()), fresh_(fresh), uses_(nodes_.size(), 0), map_(nodes_.size()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) rounded_.push_back(is_rounded(graph, static_cast<std::int32_t>(i)));
    count_uses(results);
  }

  void run() {
    count_pairs();
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (uses_[i] > 0 && !absorbed_[i]) map_[i] = rebuilt(static_cast<std::int32_t>(i));
  }
  Ref at(Ref old) const { return old.negative ? -map_[old.node] : map_[old.node]; }

 private:
  /// Live uses of each node; absorbed: sums and products whose one use is in a sum, and products whose one use is in such a
  /// product; never those that are rounded, nor their operands.
  void count_uses(const std::vector<std::vector<Ref>>& results) {
    absorbed_.assign(nodes_.size(), false);
    std::vector<std::int32_t> user(nodes_.size(), -1);
    for (const auto& result : results)
      for (Ref r : result) uses_[r.node] += 2;
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      const Node& n = nodes_[i];
      if (uses_[i] == 0) continue;
      if (uses_[i] == 1 && user[i] >= 0 && !rounded_[i] && !rounded_[user[i]]) {
        const Op by = nodes_[user[i]].op;
        absorbed_[i] =
            (n.op == Op::add && by == Op::add) || (n.op == Op::mul && (by == Op::add || (by == Op::mul && absorbed_[user[i]])));
      }
      if (operands(n.op) > 0) ++uses_[n.a.node], user[n.a.node] = static_cast<std::int32_t>(i);
      if (operands(n.op) > 1) ++uses_[n.b.node], user[n.b.node] = static_cast<std::int32_t>(i);
    }
  }

  /// In how many sums two terms meet, by the value of their sum.
  void count_pairs() {
    std::vector<std::vector<ModularFingerprint>> sums;
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (uses_[i] == 0 || absorbed_[i] || rounded_[i] || nodes_[i].op != Op::add) continue;
      list_terms({static_cast<std::int32_t>(i), false}, true, sums.emplace_back());
      pairs += sums.back().size() * (sums.back().size() - 1) / 2;
    }
    ancestor_entries_.expect(pairs);
    const auto tell = [&](void (Repetitions::*what)(const ModularFingerprint&)) {
      for (const std::vector<ModularFingerprint>& terms : sums)
        for (std::size_t a = 0; a < terms.size(); ++a)
          for (std::size_t b = a + 1; b < terms.size(); ++b) (ancestor_entries_.*what)(unsigned_value(terms[a] + terms[b]));
    };
    tell(&Repetitions::hear), tell(&Repetitions::count);
  }
  void list_terms(Ref old, bool root, std::vector<ModularFingerprint>& terms) const {
    const Node& n = nodes_[old.node];
    if (n.op != Op::add || !(root || absorbed_[old.node])) return terms.push_back(graph_.image(old));
    list_terms(old.negative ? -n.a : n.a, false, terms);
    list_terms(old.negative ? -n.b : n.b, false, terms);
  }

  Ref rebuilt(std::int32_t i) {
    const Node& n = nodes_[i];
    if (rounded_[i]) return rebuilt_as_it_is(n, graph_.image({i, false}));
    switch (n.op) {
      case Op::constant: return fresh_.constant(n.value);
      case Op::input: return fresh_.input(n, graph_.image({i, false}));
      case Op::mul: return fresh_.mul(at(n.a), at(n.b));
      case Op::div: return fresh_.div(at(n.a), at(n.b));
      case Op::sqrt: return fresh_.sqrt(at(n.a));
      case Op::sin: return fresh_.sin(at(n.a));
      case Op::cos: return fresh_.cos(at(n.a));
      case Op::tanh: return fresh_.tanh(at(n.a));
      case Op::abs:
      case Op::min: break;  // in no graph
      case Op::add: break;
    }
    std::vector<Term> terms;
    take_apart({i, false}, terms);
    return sum(terms);
  }

  /// A rounded sum or product with its own value, so that a residual b − A x does not become zero.
  Ref rebuilt_as_it_is(Node n, const ModularFingerprint& image) {
    n.a = at(n.a), n.b = at(n.b);
    const bool is_sum = n.op == Op::add, negative = is_sum ? n.a.negative && n.b.negative : n.a.negative != n.b.negative;
    if (!is_sum || negative) n.a.negative = n.b.negative = false;
    if (n.a.negative) std::swap(n.a, n.b);
    const Ref made = fresh_.input(n, negative ? -image : image);
    return negative ? -made : made;
  }

  void take_apart(Ref old, std::vector<Term>& terms) {
    const Node& n = nodes_[old.node];
    if (n.op == Op::add && (terms.empty() || absorbed_[old.node])) {
      const std::size_t before = terms.size();
      terms.emplace_back();  // marks that the root has been opened
      take_apart(old.negative ? -n.a : n.a, terms);
      take_apart(old.negative ? -n.b : n.b, terms);
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(before));
      return;
    }
    Term term{{}, old.negative, {}};
    multiply({old.node, false}, term);
    terms.push_back(simplest(std::move(term)));
  }

  void multiply(Ref old, Term& term) {
    const Node& n = nodes_[old.node];
    if (n.op == Op::mul && absorbed_[old.node]) {
      multiply(n.a, term);
      multiply(n.b, term);
      return;
    }
    const Ref value = map_[old.node];
    term.negative = term.negative != value.negative;
    term.factors.push_back(value.node);
    if (uses_[old.node] > 1) share(value.node);
  }

  void share(std::int32_t factor) {
    if (shared_.size() <= static_cast<std::size_t>(factor)) shared_.resize(fresh_.nodes().size(), false);
    shared_[factor] = true;
  }
  bool shares(std::int32_t factor) const { return static_cast<std::size_t>(factor) < shared_.size() && shared_[factor]; }

  Term single(Ref x) const { return {{x.node}, x.negative, fresh_.image(x)}; }

  /// With its image. A product that exists already is one factor.
  Term simplest(Term t) const {
    t.image = fresh_.image({t.factors[0], t.negative});
    for (std::size_t k = 1; k < t.factors.size(); ++k) t.image = t.image * fresh_.image({t.factors[k], false});
    Ref found;
    return t.factors.size() > 1 && fresh_.known(t.image, found) ? single(found) : t;
  }

  Ref product(const Term& t) {
    Ref x{t.factors[0], false};
    for (std::size_t k = 1; k < t.factors.size(); ++k) x = fresh_.mul(x, {t.factors[k], false});
    return t.negative ? -x : x;
  }

  Ref sum(std::vector<Term> terms) {
    while (join_opposites(terms) || join_known_pair(terms) || factor_out(terms) || join_frequent_pair(terms)) continue;
    std::stable_partition(terms.begin(), terms.end(), [](const Term& t) { return t.factors.size() == 1; });
    Ref total = product(terms[0]);
    for (std::size_t k = 1; k < terms.size(); ++k) total = fresh_.add(total, product(terms[k]));
    return total;
  }

  /// Of a product of a constant and a sum: the constant, and the sum's node in `of`.
  bool scaled_sum(const Term& t, Ref& by, std::int32_t& of) const {
    if (t.factors.size() != 2) return false;
    const bool second = fresh_.is_constant({t.factors[1], false});
    by = {t.factors[second], t.negative}, of = t.factors[!second];
    return fresh_.is_constant(by) && fresh_.nodes()[of].op == Op::add && !is_rounded(fresh_, of);
  }

  /// c (a + b) + d (a - b) → (c + d) (a - b) + 2 c b, where c and d are constants and a + b serves nothing else.
  bool join_opposites(std::vector<Term>& terms) {
    Ref c, d;
    std::int32_t x, y;
    for (Term& t : terms)
      for (Term& u : terms) {
        if (!scaled_sum(t, c, x) || !scaled_sum(u, d, y) || x == y || shares(x)) continue;
        const Node plus = fresh_.nodes()[x];
        Node minus = fresh_.nodes()[y];
        if (plus.a.node != minus.a.node) std::swap(minus.a, minus.b);
        if (plus.a.node != minus.a.node || plus.b.node != minus.b.node) continue;
        const Ref half = plus.a == minus.a ? plus.b : plus.a;  // of the difference of the two sums
        const Ref both = fresh_.add(c, d), twice = fresh_.add(c, c);
        if (both.node == 0) return false;
        u = simplest({{both.node, y}, both.negative, {}});
        t = simplest({{twice.node, half.node}, twice.negative != half.negative, {}});
        return true;
      }
    return false;
  }

  /// Two terms whose sum exists: the pair that saves most.
  bool join_known_pair(std::vector<Term>& terms) const {
    std::size_t best = 0, best_i = 0, best_k = 0;
    Ref best_sum;
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (std::size_t k = i + 1; k < terms.size(); ++k) {
        Ref found;
        const std::size_t saved = terms[i].factors.size() + terms[k].factors.size() - 1;
        if (saved > best && fresh_.known(terms[i].image + terms[k].image, found))
          best = saved, best_i = i, best_k = k, best_sum = found;
      }
    if (best == 0) return false;
    terms[best_i] = single(best_sum);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(best_k));
    return true;
  }

  /// Two terms that meet in other sums too: these will find their sum.
  bool join_frequent_pair(std::vector<Term>& terms) {
    if (terms.size() < 3) return false;
    int most = 1;
    std::size_t best_i = 0, best_k = 0;
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (std::size_t k = i + 1; k < terms.size(); ++k) {
        const int times = ancestor_entries_.of(unsigned_value(terms[i].image + terms[k].image));
        if (times > most) most = times, best_i = i, best_k = k;
      }
    if (most < 2) return false;
    const Ref pair = fresh_.add(product(terms[best_i]), product(terms[best_k]));
    terms[best_i] = single(pair);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(best_k));
    return true;
  }

  /// The factor that most products share; −1 if none is in two.
  static std::int32_t most_shared(const std::vector<Term>& terms) {
    std::vector<std::int32_t> all;  // the factors of each product, once
    for (const Term& t : terms) {
      if (t.factors.size() < 2) continue;
      const std::size_t begin = all.size();
      for (std::int32_t f : t.factors)
        if (std::find(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(), f) == all.end()) all.push_back(f);
    }
    std::sort(all.begin(), all.end());
    std::int32_t factor = -1;
    std::ptrdiff_t most = 1;
    for (auto it = all.begin(), next = it; it != all.end(); it = next) {
      next = std::upper_bound(it, all.end(), *it);
      if (next - it > most) most = next - it, factor = *it;
    }
    return factor;
  }

  /// x y + x z + … → x (y + z + …) for the factor that most products share.
  bool factor_out(std::vector<Term>& terms) {
    const std::int32_t factor = most_shared(terms);
    if (factor < 0) return false;
    std::vector<Term> inner, rest;
    for (Term& t : terms) {
      const auto it = std::find(t.factors.begin(), t.factors.end(), factor);
      if (t.factors.size() < 2 || it == t.factors.end()) {
        rest.push_back(std::move(t));
        continue;
      }
      t.factors.erase(it);
      inner.push_back(simplest(std::move(t)));
    }
    const Ref other = sum(std::move(inner));
    rest.push_back(simplest({{factor, other.node}, other.negative, {}}));
    terms = std::move(rest);
    return true;
  }

  const Graph& graph_;
  const std::vector<Node>& nodes_;
  Graph& fresh_;
  std::vector<int> uses_;
  std::vector<bool> absorbed_, rounded_;
  std::vector<Ref> map_;
  std::vector<bool> shared_;  // factors, in the fresh graph, that serve something else too
  Repetitions ancestor_entries_;
};

}  // namespace

std::vector<std::vector<Ref>> factor_sums(const Graph& graph, const std::vector<std::vector<Ref>>& results, Graph& fresh) {
  Factoring factoring(graph, results, fresh);
  factoring.run();
  std::vector<std::vector<Ref>> rebuilt = results;
  for (auto& result : rebuilt)
    for (Ref& r : result) r = factoring.at(r);
  return rebuilt;
}

}  // namespace sparsedyn
