#include "pickles.hpp"

#include <cmath>

namespace sparsedyn::python {
namespace {

constexpr const char* pickle_name = "<pickle>";
constexpr std::size_t head = 2;  // format and version

std::string type_of(nb::handle object) { return nb::cast<std::string>(nb::str(object.type().attr("__name__"))); }

/// Exactly this type's text; surrogates are none.
bool read(nb::handle from, std::string& to) { return PyUnicode_Check(from.ptr()) && nb::try_cast(from, to, false); }

bool read(nb::handle from, double& to) {
  if (PyBool_Check(from.ptr()) || !(PyFloat_Check(from.ptr()) || PyLong_Check(from.ptr()))) return false;
  to = PyFloat_AsDouble(from.ptr());
  if (PyErr_Occurred()) {  // a whole number beyond all doubles
    PyErr_Clear();
    return false;
  }
  return std::isfinite(to);
}

}  // namespace

PickledState::PickledState(nb::handle state, const char* kind, int format, std::size_t fields) : kind_(kind) {
  const std::string here = "format " + std::to_string(format) + " of sparsedyn " SPARSEDYN_VERSION;
  if (!PyTuple_Check(state.ptr())) throw InputError(pickle_name, 0, kind, type_of(state), "a tuple, " + here);
  state_ = nb::borrow<nb::tuple>(state);
  const std::string size = std::to_string(state_.size()) + " fields";
  int of = 0;
  std::string version;
  if (state_.size() < head || !PyLong_Check(state_[0].ptr()) || PyBool_Check(state_[0].ptr()) ||
      !nb::try_cast(state_[0], of, false) || !read(state_[1], version))
    throw InputError(pickle_name, 0, kind,
                     "a state without format and version, of " + size + ", as older versions of sparsedyn wrote it", here);
  if (of != format) throw InputError(pickle_name, 0, kind, "format " + std::to_string(of) + " of sparsedyn " + version, here);
  if (state_.size() != head + fields)
    throw InputError(pickle_name, 0, kind, size + ", written by sparsedyn " + version,
                     std::to_string(head + fields) + ", " + here);
}

nb::handle PickledState::operator[](std::size_t k) const { return state_[head + k]; }

void PickledState::refuse(const char* name, nb::handle found, const char* expected) const {
  std::string text = type_of(found);
  double number = 0;
  if (read(found, number) || PyFloat_Check(found.ptr())) text += " " + nb::cast<std::string>(nb::repr(found));
  throw InputError(pickle_name, 0, std::string(kind_) + "." + name, text, expected);
}

std::string PickledState::text(std::size_t k, const char* name) const {
  std::string found;
  if (!read((*this)[k], found)) refuse(name, (*this)[k], "a text");
  return found;
}

bool PickledState::truth(std::size_t k, const char* name) const {
  if (!PyBool_Check((*this)[k].ptr())) refuse(name, (*this)[k], "True or False");
  return (*this)[k].is(Py_True);
}

double PickledState::number(std::size_t k, const char* name) const {
  double found = 0;
  if (!read((*this)[k], found)) refuse(name, (*this)[k], "a finite number");
  return found;
}

std::vector<nb::object> PickledState::items(std::size_t k, const char* name, const char* expected) const {
  const nb::handle from = (*this)[k];
  if (!PyTuple_Check(from.ptr()) && !PyList_Check(from.ptr())) refuse(name, from, expected);
  std::vector<nb::object> found;
  for (nb::handle item : nb::iter(from)) found.push_back(nb::borrow(item));
  return found;
}

std::vector<std::string> PickledState::texts(std::size_t k, const char* name) const {
  std::vector<std::string> found;
  for (const nb::object& item : items(k, name, "a list of texts"))
    if (!read(item, found.emplace_back())) refuse(name, item, "a list of texts");
  return found;
}

std::vector<double> PickledState::numbers(std::size_t k, const char* name, std::size_t count) const {
  std::vector<double> found;
  const std::string expected = std::to_string(count) + " finite numbers";
  for (const nb::object& item : items(k, name, expected.c_str()))
    if (!read(item, found.emplace_back())) refuse(name, item, expected.c_str());
  if (found.size() != count) refuse(name, (*this)[k], expected.c_str());
  return found;
}

std::vector<std::pair<std::string, double>> PickledState::values(std::size_t k, const char* name) const {
  std::vector<std::pair<std::string, double>> found;
  constexpr const char* expected = "pairs of a name and a finite number";
  for (const nb::tuple& pair : tuples(k, name, 2)) {
    found.emplace_back();
    if (!read(pair[0], found.back().first) || !read(pair[1], found.back().second)) refuse(name, pair, expected);
  }
  return found;
}

std::vector<nb::tuple> PickledState::tuples(std::size_t k, const char* name, std::size_t count) const {
  std::vector<nb::tuple> found;
  const std::string expected = "tuples of " + std::to_string(count) + " items";
  for (const nb::object& item : items(k, name, expected.c_str())) {
    if (!PyTuple_Check(item.ptr()) || nb::len(item) != count) refuse(name, item, expected.c_str());
    found.push_back(nb::borrow<nb::tuple>(item));
  }
  return found;
}

}  // namespace sparsedyn::python
