// What the entries of vectors and matrices over a robot's freedoms are called, for Comparison::result.
#pragma once

#include <string>
#include <vector>

#include "comparison.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::verification {

/// Must outlive the functions that it hands out.
class EntryNames {
 public:
  explicit EntryNames(const Model& model) : forces_(force_names(model)), rates_(velocity_names(model)) {}

  /// Of vectors: `tau.elbow`, `ddq.elbow`.
  EntryName torques() const { return prefixed("tau.", forces_); }
  EntryName accelerations() const { return prefixed("ddq.", rates_); }
  /// Of their derivatives, row by row: `tau.elbow by q.knee`.
  EntryName torques_by(const char* variable) const { return derivatives("tau.", forces_, variable); }
  EntryName accelerations_by(const char* variable) const { return derivatives("ddq.", rates_, variable); }
  /// Of matrices and tensors over freedoms, row by row: `elbow.knee`, with a prefix `Minv.elbow.knee`, `elbow.knee.hip`.
  EntryName pairs(const char* prefix = "") const {
    return [this, prefix](int i) { return prefix + rate(i / count()) + "." + rate(i % count()); };
  }
  EntryName triples() const {
    return
        [this](int i) { return rate(i / (count() * count())) + "." + rate(i / count() % count()) + "." + rate(i % count()); };
  }

 private:
  static EntryName prefixed(const char* prefix, const std::vector<std::string>& names) {
    return [prefix, &names](int i) { return prefix + names[static_cast<std::size_t>(i)]; };
  }
  EntryName derivatives(const char* prefix, const std::vector<std::string>& rows, const char* variable) const {
    return [this, prefix, &rows, variable](int i) {
      return prefix + rows[static_cast<std::size_t>(i / count())] + " by " + variable + "." + rate(i % count());
    };
  }
  int count() const { return static_cast<int>(rates_.size()); }
  const std::string& rate(int i) const { return rates_[static_cast<std::size_t>(i)]; }

  std::vector<std::string> forces_, rates_;
};

}  // namespace sparsedyn::verification
