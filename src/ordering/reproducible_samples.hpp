// The samples by which orders are made and judged, as every compiler, flag and machine has them.
#pragma once

#include <vector>

#include "sparsedyn/sparse/samples.hpp"

namespace sparsedyn {

/// The same without rounding: numbers that are others at a state that differs by roundings (Samples::moved) are zero.
Samples cleared(Samples samples, int entries, int rows);

/// The same, numbers rounded to the 24 bits of single precision, and kept where they take little memory; zero where they are
/// less than 2⁻⁴² of what they are at another state; right-hand sides also below 2⁻⁴⁶ of the largest. What sums and sines round
/// differently elsewhere is the same then, but for numbers halfway between two of 24 bits: one in 10⁸. A pivot that vanishes is
/// below 1e-7 still, and an order with it as unhealthy as before. Elimination in these numbers and in one sequence of
/// operations, none contracted (src/CMakeLists.txt), ends in the same bits everywhere. Several threads may ask for states, each
/// for others, where they may of `samples`.
Samples reproducible(Samples samples, int entries, int rows);

/// The same, all states computed here, where they take little memory. Several threads may ask for states.
/// alike: the same samples once for each thread that computes them.
Samples kept(std::vector<Samples> alike, int entries, int rows);

/// x rounded to 24 bits.
double in_single_precision(double x);

}  // namespace sparsedyn
