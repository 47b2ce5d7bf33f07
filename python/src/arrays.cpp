#include "arrays.hpp"

#include <algorithm>

namespace sparsedyn::python {
namespace {

std::string expected_text(const Core& core) {
  if (core.rank == 0) return "(...)";
  std::string text = "(...";
  for (int k = 0; k < core.rank; ++k) text += ", " + std::to_string(core.size[k]);
  return text + ")";
}

bool same_core(PyArrayObject* array, const Core& core) {
  const int batch = PyArray_NDIM(array) - core.rank;
  return batch >= 0 && std::equal(core.size.begin(), core.size.begin() + core.rank, PyArray_DIMS(array) + batch);
}

bool read_as_it_is(PyObject* object) {
  constexpr int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
  if (!PyArray_CheckExact(object)) return false;
  PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
  return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISNOTSWAPPED(array) && (PyArray_FLAGS(array) & flags) == flags;
}

[[noreturn]] void refuse(const std::string& text) { throw nb::value_error(text.c_str()); }

/// What hides numbers or lies on another device is not read as if it did not.
nb::object readable(nb::handle argument, const ArraySpec& spec) {
  if (PyArray_Check(argument.ptr())) {
    if (nb::hasattr(argument, "mask") && nb::cast<bool>(nb::module_::import_("numpy.ma").attr("is_masked")(argument)))
      refuse(spec.text() + ": masked entries; expected numbers");
    return nb::borrow(argument);
  }
  const bool plain = PyObject_CheckBuffer(argument.ptr()) || nb::hasattr(argument, "__array__") ||
                     nb::hasattr(argument, "__array_interface__");
  if (!plain && nb::hasattr(argument, "__dlpack__")) return nb::module_::import_("numpy").attr("from_dlpack")(argument);
  return nb::borrow(argument);
}

nb::object converted(nb::handle argument, const ArraySpec& spec) {
  const nb::object source = readable(argument, spec);
  int flags = NPY_ARRAY_CARRAY_RO | NPY_ARRAY_ENSUREARRAY;
  if (PyArray_Check(source.ptr())) {
    // Wider numbers are rounded and objects asked for theirs; complex ones, texts and times are none.
    const int type = PyArray_TYPE(reinterpret_cast<PyArrayObject*>(source.ptr()));
    if (type == NPY_LONGDOUBLE || type == NPY_OBJECT) flags |= NPY_ARRAY_FORCECAST;
  }
  PyObject* made = PyArray_FROMANY(source.ptr(), NPY_DOUBLE, 0, 0, flags);
  if (made) return nb::steal(made);
  nb::python_error error;
  if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError) && !error.matches(PyExc_OverflowError)) throw error;
  const std::string found = nb::cast<std::string>(nb::str(error.value()));
  const std::string text = spec.text() + ": " + found + "; expected numbers of shape " + expected_text(spec.core);
  if (found.find("inhomogeneous shape") != std::string::npos) refuse(text);  // rows of different lengths
  throw nb::type_error(text.c_str());
}

struct Extent {
  const char *low, *high;  // first byte, and the one after the last
};
Extent extent(PyArrayObject* array) {
  const char* low = PyArray_BYTES(array);
  const char* high = low + PyArray_ITEMSIZE(array);
  for (int k = 0; k < PyArray_NDIM(array); ++k) {
    const npy_intp n = PyArray_DIM(array, k), reach = (n - 1) * PyArray_STRIDE(array, k);
    if (n == 0) return {low, low};
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

/// Exactly, where the arrays interleave; what is too hard to say counts as shared.
bool share_memory(PyArrayObject* a, PyArrayObject* b) {
  const Extent x = extent(a), y = extent(b);
  if (x.low == x.high || y.low == y.high || x.high <= y.low || y.high <= x.low) return false;
  const nb::module_ numpy = nb::module_::import_("numpy");
  try {
    return nb::cast<bool>(numpy.attr("shares_memory")(nb::handle(reinterpret_cast<PyObject*>(a)),
                                                      nb::handle(reinterpret_cast<PyObject*>(b)), 100000));
  } catch (nb::python_error&) {
    return true;
  }
}

bool meets_itself(PyArrayObject* array) {
  if (PyArray_SIZE(array) == 0) return false;
  for (int k = 0; k < PyArray_NDIM(array); ++k)
    if (PyArray_DIM(array, k) > 1 && PyArray_STRIDE(array, k) == 0) return true;
  if (PyArray_IS_C_CONTIGUOUS(array)) return false;
  // Steps in ascending order: each must leave what the smaller ones cover. Stricter than needed for exotic views, which are
  // refused rather than written twice.
  std::array<std::pair<npy_intp, npy_intp>, NPY_MAXDIMS> steps;
  int n = 0;
  for (int k = 0; k < PyArray_NDIM(array); ++k)
    if (PyArray_DIM(array, k) > 1) steps[n++] = {std::abs(PyArray_STRIDE(array, k)), PyArray_DIM(array, k)};
  std::sort(steps.begin(), steps.begin() + n);
  npy_intp covered = PyArray_ITEMSIZE(array);
  for (int k = 0; k < n; ++k) {
    if (steps[k].first < covered) return true;
    covered = steps[k].first * (steps[k].second - 1) + covered;
  }
  return false;
}

/// A vector of one number.
nb::object filled(double number, const Core& core) {
  std::array<npy_intp, 3> shape = core.size;
  nb::object made = nb::steal(PyArray_SimpleNew(core.rank, shape.data(), NPY_DOUBLE));
  if (!made.is_valid()) throw nb::python_error();
  auto* const array = reinterpret_cast<PyArrayObject*>(made.ptr());
  std::fill_n(static_cast<double*>(PyArray_DATA(array)), PyArray_SIZE(array), number);
  return made;
}

}  // namespace

double* one_sample(nb::handle argument, const Core& core, int more_flags) {
  if (!PyArray_CheckExact(argument.ptr())) return nullptr;
  auto* array = reinterpret_cast<PyArrayObject*>(argument.ptr());
  const int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | more_flags;
  if (PyArray_TYPE(array) != NPY_DOUBLE || PyArray_NDIM(array) != core.rank || (PyArray_FLAGS(array) & flags) != flags ||
      !PyArray_ISNOTSWAPPED(array))
    return nullptr;
  for (int k = 0; k < core.rank; ++k)
    if (PyArray_DIM(array, k) != core.size[k]) return nullptr;
  return static_cast<double*>(PyArray_DATA(array));
}

std::string shape_text(const npy_intp* shape, int rank) {
  std::string text = "(";
  for (int k = 0; k < rank; ++k) text += (k ? ", " : "") + std::to_string(shape[k]);
  return text + (rank == 1 ? ",)" : ")");
}

InputArray::InputArray(nb::handle argument, const ArraySpec& spec, bool in_place) : argument_(argument) {
  if (read_as_it_is(argument.ptr()))
    array_ = nb::borrow(argument);
  else if (in_place)
    refuse(spec.text() + ": would have to be copied; expected a C-contiguous float64 array");
  else
    array_ = converted(argument, spec);
  if (spec.scalar && PyArray_NDIM(array()) == 0) array_ = filled(*static_cast<const double*>(PyArray_DATA(array())), spec.core);
  if (!same_core(array(), spec.core))
    refuse(spec.text() + ": " + shape_text(PyArray_DIMS(array()), PyArray_NDIM(array())) + "; expected " +
           expected_text(spec.core));
  data_ = static_cast<const double*>(PyArray_DATA(array()));
  batch_rank_ = PyArray_NDIM(array()) - spec.core.rank;
}

npy_intp InputArray::flat_stride(const BatchShape& batch, npy_intp core) const {
  const npy_intp* shape = batch_shape();
  npy_intp own = 1;
  for (int k = 0; k < batch_rank_; ++k) own *= shape[k];
  if (own == batch.count()) return core;  // the missing axes and those of size 1 are 1 in the whole, too
  return own == 1 ? 0 : -1;
}

npy_intp InputArray::offset(const BatchShape& batch, npy_intp core, npy_intp i) const {
  const npy_intp* shape = batch_shape();
  npy_intp at = 0, step = core;
  for (int k = batch.rank - 1, own = batch_rank_ - 1; own >= 0; --k, --own) {
    const npy_intp index = i % batch.size[k];
    i /= batch.size[k];
    if (shape[own] != 1) at += index * step;
    step *= shape[own];
  }
  return at;
}

BatchShape broadcast(const InputArray* inputs, const ArraySpec* specs, int count) {
  BatchShape batch;
  for (int n = 0; n < count; ++n) batch.rank = std::max(batch.rank, inputs[n].batch_rank());
  for (int k = 0; k < batch.rank; ++k) {
    npy_intp size = 1;
    for (int n = 0; n < count; ++n) {
      const int own = k - (batch.rank - inputs[n].batch_rank());
      if (own < 0 || inputs[n].batch_shape()[own] == 1) continue;
      const npy_intp found = inputs[n].batch_shape()[own];
      if (size != 1 && found != size) {
        std::string text = "leading axes do not broadcast:";
        for (int m = 0; m < count; ++m)
          text += (m ? ", " : " ") + specs[m].text() + " " +
                  shape_text(PyArray_DIMS(inputs[m].array()), PyArray_NDIM(inputs[m].array()));
        refuse(text);
      }
      size = found;
    }
    batch.size[k] = size;
  }
  return batch;
}

OutputArray::OutputArray(const BatchShape& batch, const ArraySpec& spec) {
  std::array<npy_intp, NPY_MAXDIMS> shape;
  if (batch.rank + spec.core.rank > NPY_MAXDIMS) refuse(spec.text() + ": more axes than NumPy has");
  std::copy_n(batch.size.begin(), batch.rank, shape.begin());
  std::copy_n(spec.core.size.begin(), spec.core.rank, shape.begin() + batch.rank);
  PyObject* made = PyArray_SimpleNew(batch.rank + spec.core.rank, shape.data(), NPY_DOUBLE);
  if (!made) throw nb::python_error();
  array_ = nb::steal(made);
}

OutputArray::OutputArray(nb::handle out, const BatchShape& batch, const ArraySpec& spec) {
  const std::string name = "out: ";
  if (!PyArray_Check(out.ptr())) refuse(name + "expected a NumPy array of float64 for " + spec.text());
  array_ = nb::borrow(out);
  if (PyArray_TYPE(array()) != NPY_DOUBLE || !PyArray_ISNOTSWAPPED(array()) || !PyArray_ISALIGNED(array()))
    refuse(name + "expected dtype float64, in native order and aligned, for " + spec.text());
  if (!PyArray_ISWRITEABLE(array())) refuse(name + "read-only; expected an array that can be written, for " + spec.text());
  const int rank = PyArray_NDIM(array());
  const npy_intp* shape = PyArray_DIMS(array());
  const bool fits = rank == batch.rank + spec.core.rank && std::equal(shape, shape + batch.rank, batch.size.begin()) &&
                    same_core(array(), spec.core);
  if (!fits) {
    std::array<npy_intp, NPY_MAXDIMS + 3> wanted;
    std::copy_n(batch.size.begin(), batch.rank, wanted.begin());
    std::copy_n(spec.core.size.begin(), spec.core.rank, wanted.begin() + batch.rank);
    refuse(name + shape_text(shape, rank) + "; expected " + shape_text(wanted.data(), batch.rank + spec.core.rank) + " for " +
           spec.text());
  }
  if (meets_itself(array())) refuse(name + "its entries share memory with each other, for " + spec.text());
  contiguous_ = PyArray_IS_C_CONTIGUOUS(array());
}

void OutputArray::scatter(const double* sample, const BatchShape& batch, const Core& core, npy_intp i) const {
  char* at = PyArray_BYTES(array());
  for (int k = batch.rank - 1; k >= 0; --k) {
    at += (i % batch.size[k]) * PyArray_STRIDE(array(), k);
    i /= batch.size[k];
  }
  std::array<npy_intp, 3> size{1, 1, 1}, step{};
  for (int k = 0; k < core.rank; ++k) {
    size[3 - core.rank + k] = core.size[k];
    step[3 - core.rank + k] = PyArray_STRIDE(array(), batch.rank + k);
  }
  for (npy_intp a = 0; a < size[0]; ++a)
    for (npy_intp b = 0; b < size[1]; ++b)
      for (npy_intp c = 0; c < size[2]; ++c)
        *reinterpret_cast<double*>(at + a * step[0] + b * step[1] + c * step[2]) = *sample++;
}

void refuse_overlaps(const InputArray* inputs, const ArraySpec* input_specs, int n_inputs, const OutputArray* outputs,
                     const ArraySpec* output_specs, int n_outputs) {
  for (int n = 0; n < n_outputs; ++n) {
    for (int m = 0; m < n_inputs; ++m) {
      const nb::handle given = inputs[m].argument();
      const bool shared = share_memory(outputs[n].array(), inputs[m].array()) ||
                          (PyArray_Check(given.ptr()) && given.ptr() != reinterpret_cast<PyObject*>(inputs[m].array()) &&
                           share_memory(outputs[n].array(), reinterpret_cast<PyArrayObject*>(given.ptr())));
      if (shared) refuse("out: shares memory with " + input_specs[m].text());
    }
    for (int m = 0; m < n; ++m)
      if (share_memory(outputs[n].array(), outputs[m].array()))
        refuse("out: " + output_specs[n].text() + " shares memory with " + output_specs[m].text());
  }
}

}  // namespace sparsedyn::python
