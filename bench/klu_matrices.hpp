// The same matrices for everyone: one system at several states, by rows, and by columns for KLU, which chooses its own order
// (BTF and AMD) and pivots at the first state and keeps both (klu_refactor: Davis & Palamadai Natarajan, ACM TOMS 37, 2010).
#pragma once

#include <benchmark/benchmark.h>
#include <klu.h>

#include <vector>

#include "sparsedyn/sparse/pattern.hpp"
#include "sparsedyn/sparse/samples.hpp"

namespace sparsedyn::bench {

struct Matrices {
  int n = 0;
  std::vector<std::vector<double>> values, right_sides, column_values;  // a state each
  std::vector<int> column_start, row;
};

/// At the first `states` samples.
inline Matrices matrices_of(const Pattern& pattern, const Samples& samples, int states) {
  Matrices m;
  m.n = pattern.columns;
  m.column_start.assign(static_cast<std::size_t>(pattern.columns) + 1, 0);
  for (int column : pattern.column) ++m.column_start[column + 1];
  for (int k = 0; k < pattern.columns; ++k) m.column_start[k + 1] += m.column_start[k];
  m.row.resize(pattern.entries());
  for (int s = 0; s < states; ++s) {
    std::vector<double> values(pattern.entries()), right_side(pattern.rows), by_column(pattern.entries());
    samples.fill(s, values.data(), right_side.data());
    std::vector<int> next(m.column_start.begin(), m.column_start.end() - 1);
    for (int r = 0; r < pattern.rows; ++r)
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
        const int place = next[pattern.column[e]]++;
        m.row[place] = r;
        by_column[place] = values[e];
      }
    m.values.push_back(values), m.right_sides.push_back(right_side), m.column_values.push_back(by_column);
  }
  return m;
}

/// klu_refactor + klu_solve, the states in turn.
inline void run_klu(benchmark::State& state, const Matrices& matrices) {
  Matrices m = matrices;
  klu_common common;
  klu_defaults(&common);
  int *start = m.column_start.data(), *row = m.row.data(), ok = 1;
  klu_symbolic* symbolic = klu_analyze(m.n, start, row, &common);
  klu_numeric* numeric = klu_factor(start, row, m.column_values[0].data(), symbolic, &common);
  std::vector<double> x(static_cast<std::size_t>(m.n));
  std::size_t s = 0;
  for (auto _ : state) {
    ok &= klu_refactor(start, row, m.column_values[s].data(), symbolic, numeric, &common);
    x = m.right_sides[s];
    ok &= klu_solve(symbolic, numeric, m.n, 1, x.data(), &common);
    benchmark::DoNotOptimize(x.data());
    s = (s + 1) % m.values.size();
  }
  if (!ok) state.SkipWithError("klu failed");
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
}

}  // namespace sparsedyn::bench
