// A plan file, spoilt in a thousand ways: refused, or a plan whose order is a pair of permutations and whose replay ends.
#include <catch2/catch.hpp>
#include <random>

#include "random_systems.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const char* const tokens[] = {"-1",   "6",  "1e300", "-1e300", "0.5",   "2147483648", "null",
                              "true", "[]", "{}",    "\"\"",   "1e999", "\"rows\""};

/// Replaces, removes or doubles a run of characters that begins at a digit, a letter or a bracket.
std::string spoilt(std::string text, std::mt19937& rng) {
  const std::size_t begin = text.find_first_of("0123456789abcdefhlnorstuvw[]{},\"", rng() % text.size());
  if (begin == std::string::npos) return text;
  const std::size_t length = 1 + rng() % 3;
  switch (rng() % 4) {
    case 0: return text.erase(begin, length);
    case 1: return text.insert(begin, text.substr(begin, length));
    case 2: return text.replace(begin, 1, std::string(1, static_cast<char>(' ' + rng() % 95)));
    default: return text.replace(begin, length, tokens[rng() % (sizeof tokens / sizeof *tokens)]);
  }
}

}  // namespace

TEST_CASE("plan files with random changes are read or refused, never a crash") {
  RandomSystem system = random_system(6, 0.2, 11);
  Plan plan = make_plan(system.pattern, system.order);
  plan.fingerprint = "0123456789abcdef";
  plan.fallback = plan.order;
  plan.fallback_strategy = "recursive";
  const std::string text = plan_to_json(plan, {"arm", "forward-dynamics"});
  int accepted = 0, refused = 0, other = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 rng(seed);
    const std::string file = spoilt(text, rng);
    INFO("seed " << seed << "\n" << file);
    try {
      const Plan read = plan_from_json(json::Document::parse(file, "plan.json"), plan.fingerprint, system.pattern);
      CHECK(fault(read.order, read.pattern).empty());
      std::vector<double> x(6, 0.0), rhs(6, 1.0);
      ZeroFillLU<double> lu(read);
      lu.factor(system.values.data());
      lu.solve(rhs.data(), x.data());
      ++accepted;
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith("plan.json:"));
      ++refused;
    } catch (const PlanMismatch&) {
      ++other;
    }
  }
  CHECK(accepted > 0);
  CHECK(refused > 1000);
  CHECK(other > 0);
}
