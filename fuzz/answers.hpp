// What became of the robots, sets and logs that bytes chose (answers.cpp).
#pragma once

namespace sparsedyn::test {

/// Sets, samples of their logs, and samples beside the truth; the others were refused by name.
struct DrawnAnswers {
  long sets = 0, samples = 0, compared = 0;
};
extern DrawnAnswers drawn_answers;

}  // namespace sparsedyn::test
