// What is pickled of an object: a tuple of its format's number, the version that wrote it, and its fields, each checked when it
// is read. Pickles come from other processes, machines and versions.
#pragma once

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "numpy.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::python {

/// The state of an object. Raise `format` when fields change: older and newer versions then say so.
template <class... Fields>
nb::tuple pickled_state(int format, Fields&&... fields) {
  return nb::make_tuple(format, SPARSEDYN_VERSION, std::forward<Fields>(fields)...);
}

/// What `make` makes of a state. Throws InputError, also where a name in the state is of no link or joint.
template <class Make>
auto made_from_pickle(const char* kind, Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const InputError&) {
    throw;
  } catch (const nb::python_error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError("<pickle>", 0, kind, error.what(), "names and numbers that fit each other");
  }
}

/// A state that is read. Throws InputError, which names both versions where they differ, the field where one is wrong.
class PickledState {
 public:
  /// kind: of the object, for messages.
  PickledState(nb::handle state, const char* kind, int format, std::size_t fields);

  /// The k-th field, from 0, and its name.
  std::string text(std::size_t k, const char* name) const;
  bool truth(std::size_t k, const char* name) const;
  /// Finite.
  double number(std::size_t k, const char* name) const;
  std::vector<std::string> texts(std::size_t k, const char* name) const;
  /// So many finite numbers.
  std::vector<double> numbers(std::size_t k, const char* name, std::size_t count) const;
  /// Each a name and a finite number.
  std::vector<std::pair<std::string, double>> values(std::size_t k, const char* name) const;
  /// Tuples of so many items.
  std::vector<nb::tuple> tuples(std::size_t k, const char* name, std::size_t items) const;

  /// Throws InputError.
  [[noreturn]] void refuse(const char* name, nb::handle found, const char* expected) const;
  nb::handle operator[](std::size_t k) const;

 private:
  /// The items of a list or tuple. Throws InputError.
  std::vector<nb::object> items(std::size_t k, const char* name, const char* expected) const;
  nb::tuple state_;
  const char* kind_;
};

}  // namespace sparsedyn::python
