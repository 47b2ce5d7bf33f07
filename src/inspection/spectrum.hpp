// Amplitudes of a recorded signal over frequency.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace sparsedyn {

/// (Hz, amplitude) at so many frequencies, evenly spread over their logarithm between rate / n and rate / 2: discrete Fourier
/// sums of the signal less its mean under a Hann window. x: samples at `rate` (Hz), NaN where there is none, which count as the
/// mean. Cost: samples × frequencies.
std::vector<std::pair<double, double>> amplitudes(const std::vector<double>& x, double rate, std::size_t frequencies);

}  // namespace sparsedyn
