// What becomes of changed documents, counted, and the states at which they are asked.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>

#include "mutator.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::test {

/// What became of the cases.
struct Tally {
  long runs = 0, read = 0, answered = 0, compared = 0, failed = 0;
  double worst = 0;  // difference from the truth, relative to it
  void compare(double found, double truth, double bound) {
    const double difference = std::abs(found - truth) / std::max(1.0, std::abs(truth));
    worst = std::max(worst, difference);
    if (!(difference <= bound)) FAIL("found " << found << ", expected " << truth);
  }
  void show(const char* what) const {
    WARN(what << ": " << runs << " runs, " << read << " read, " << answered << " answered, " << compared
              << " beside the truth (worst " << worst << "), " << failed << " failed by name");
    CHECK(2 * read >= runs);
    CHECK(answered > 0);
  }
};

/// Runs of one kind of document: a fifth of all.
template <class Try>
void fuzz(const char* what, const Try& attempt) {
  const long runs = std::max(1L, setting("SPARSEDYN_FUZZ_RUNS", 5000) / 5), first = setting("SPARSEDYN_FUZZ_SEED", 1);
  Tally tally;
  for (long run = 0; run < runs; ++run) {
    ++tally.runs;
    attempt(static_cast<unsigned>(first + run), tally);
  }
  tally.show(what);
}

inline std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names{"*", "world"};
  for (const Joint& joint : model.tree().joints) names.push_back(joint.name);
  for (const Link& link : model.links) names.push_back(link.name);
  return names;
}

/// A state of order one.
struct DrawnState {
  DrawnState(const Model& model, std::mt19937& random) {
    std::normal_distribution<double> normal;
    q = random_configuration(model, random);
    for (auto* x : {&v, &a, &tau}) {
      x->resize(static_cast<std::size_t>(model.nv));
      for (double& e : *x) e = normal(random);
    }
  }
  std::vector<double> q, v, a, tau;
};

inline bool finite(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double e) { return std::isfinite(e); });
}

}  // namespace sparsedyn::test
