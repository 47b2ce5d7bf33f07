#pragma once

#include <memory>

#include "sparsedyn/sparse/detail/health.hpp"

namespace sparsedyn {

/// Health of an order, and at how many of its states solutions take a step of refinement.
struct JudgedHealth {
  Health health;
  int refined = 0;
};

/// As measure_health, but no further than to a state whose backward error is not healthy and reaches `hopeless`.
JudgedHealth bounded_health(const Plan& plan, const Samples& samples, double hopeless);

/// The same in parts: objects for one plan, each used by a thread of its own, judge blocks that the others do not judge, and
/// what they found is added up. Whichever object judges a block, the sum is that of measure_health to the last bit.
class PartOfHealth {
 public:
  /// Both must outlive it; `fill` of the samples must be one that several threads may call.
  PartOfHealth(const Plan& plan, const Samples& samples);
  ~PartOfHealth();
  static int blocks(const Samples& samples);
  void judge(int block);
  void add(const PartOfHealth& other);
  /// Of the states judged so far.
  JudgedHealth found() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// A flag for each state of `samples`: the plan's order alone does not solve it, be it for a pivot that vanishes or for an
/// error beyond 1e-12 that refinement leaves, so that whoever runs the plan goes on to another order there.
std::vector<char> states_in_need(const Plan& plan, const Samples& samples);

}  // namespace sparsedyn
