// Arguments and results as NumPy arrays. The leading axes are the batch; the last `core` axes are the robot's.
#pragma once

#include <array>
#include <string>

#include "numpy.hpp"

namespace sparsedyn::python {

/// Sizes of an array's last axes.
struct Core {
  int rank = 0;
  std::array<npy_intp, 3> size{};
  npy_intp count() const {
    npy_intp n = 1;
    for (int k = 0; k < rank; ++k) n *= size[k];
    return n;
  }
};

/// An argument's or a result's name and last axes. `name` may stand for an entry of a dict: `fx[LINK]`.
struct ArraySpec {
  const char* name;
  Core core;
  const char* key = nullptr;
  bool scalar = false;  // a number alone stands for a vector of it
  std::string text() const { return key ? std::string(name) + "[" + key + "]" : name; }
};

/// Leading axes.
struct BatchShape {
  int rank = 0;
  std::array<npy_intp, NPY_MAXDIMS> size;  // uninitialised beyond `rank`
  npy_intp count() const {
    npy_intp n = 1;
    for (int k = 0; k < rank; ++k) n *= size[k];
    return n;
  }
};

/// A C-contiguous array of doubles that is read: the caller's own, or a copy of it.
class InputArray {
 public:
  InputArray() = default;
  /// Throws ValueError where the last axes differ, and TypeError for what is no array of numbers. `in_place`: a ValueError
  /// where it would be copied.
  InputArray(nb::handle argument, const ArraySpec& spec, bool in_place = false);

  const double* data() const { return data_; }
  int batch_rank() const { return batch_rank_; }
  const npy_intp* batch_shape() const { return PyArray_DIMS(array()); }
  PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(array_.ptr()); }
  /// What the caller gave, to be compared with the results' memory.
  nb::handle argument() const { return argument_; }

  /// Numbers from one sample to the next within a batch of this shape, or -1 where that varies.
  npy_intp flat_stride(const BatchShape& batch, npy_intp core) const;
  /// Where sample i of that batch starts.
  npy_intp offset(const BatchShape& batch, npy_intp core, npy_intp i) const;

 private:
  nb::object array_;
  nb::handle argument_;
  const double* data_ = nullptr;
  int batch_rank_ = 0;
};

/// The batch shape to which the arguments broadcast. Throws ValueError that names those that do not fit.
BatchShape broadcast(const InputArray* inputs, const ArraySpec* specs, int count);

/// An array of doubles that is written: made here, or the caller's `out`, which may be strided.
class OutputArray {
 public:
  OutputArray() = default;
  /// A new one.
  OutputArray(const BatchShape& batch, const ArraySpec& spec);
  /// The caller's. Throws ValueError where shape or dtype differ, or where it cannot be written.
  OutputArray(nb::handle out, const BatchShape& batch, const ArraySpec& spec);

  double* data() const { return static_cast<double*>(PyArray_DATA(array())); }
  bool contiguous() const { return contiguous_; }
  /// Copies one sample, `count` numbers, to sample i. For those that are not contiguous.
  void scatter(const double* sample, const BatchShape& batch, const Core& core, npy_intp i) const;
  PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(array_.ptr()); }
  const nb::object& object() const { return array_; }

 private:
  nb::object array_;
  bool contiguous_ = true;
};

/// Throws ValueError where an array that is written shares memory with an input or with another one that is written.
void refuse_overlaps(const InputArray* inputs, const ArraySpec* input_specs, int n_inputs, const OutputArray* outputs,
                     const ArraySpec* output_specs, int n_outputs);

/// The numbers of an array that needs no conversion and holds one sample of this shape; else null. `more_flags`: that it must
/// have, such as NPY_ARRAY_WRITEABLE.
double* one_sample(nb::handle argument, const Core& core, int more_flags);

/// `(128, 6)`.
std::string shape_text(const npy_intp* shape, int rank);

}  // namespace sparsedyn::python
