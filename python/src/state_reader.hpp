// Arguments q, dq and y of a sensor set, sample by sample, as the runtime takes them.
#pragma once

#include <string>
#include <vector>

#include "batch.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn::python {

/// q (..., nq), dq (..., nv), y (..., inputs) as the first inputs of a call. `in_place`: ValueError for what would be copied.
void add_states(const System& system, const nb::handle (&arguments)[3], bool in_place, Rows& rows);

/// Copies one sample's q, v and y, its quaternions made unit ones.
class StateReader {
 public:
  /// `takes_gaps`: whether a NaN in y stands for a reading that is missing (columns y.*).
  StateReader(const System& system, bool takes_gaps);
  /// Numbers of a sample: nq + nv + inputs.
  std::size_t size() const { return size_; }
  /// Sample i of rows that add_states() began, one part after the other; false where it cannot be used, `why` then says so.
  bool read(const Rows& rows, npy_intp i, double* sample, std::string& why) const;

 private:
  bool finite_but_for_gaps(const Rows& rows, int k, const double* from, npy_intp size, std::string& why) const;

  const System& system_;
  std::vector<char> gap_allowed_;
  std::size_t size_ = 0;
  bool quaternions_ = false;
};

}  // namespace sparsedyn::python
