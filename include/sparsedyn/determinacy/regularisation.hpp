// What rows and priors leave open, and unit precisions that close it.
//
// Where rows and priors do not determine all unknowns, the least-squares problem has many solutions. A unit precision on as
// many unknowns as there are open directions picks one of them. What is determined does not change: the rows see nothing along
// the open directions, so that these precisions are met by zeros.
#pragma once

#include <vector>

namespace sparsedyn {

/// What makes the least-squares problem of some rows regular.
struct Regularisation {
  std::vector<double> precision;   // of each unknown: 1/s² of its prior, or 1 (of natural_scale, squared) where it closes an
                                   // open direction, else 0
  std::vector<char> undetermined;  // of each unknown: rows and priors leave it open
  int redundancy = 0;              // noisy rows and priors beyond those needed: the expected chi-square
};

}  // namespace sparsedyn
