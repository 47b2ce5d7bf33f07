#include "finders.hpp"

#include <algorithm>
#include <limits>

#include "arrays.hpp"

namespace sparsedyn::python {
namespace {

nb::object array_of(std::initializer_list<npy_intp> shape, const double* numbers, npy_intp count) {
  nb::object made =
      nb::steal(PyArray_SimpleNew(static_cast<int>(shape.size()), const_cast<npy_intp*>(shape.begin()), NPY_DOUBLE));
  if (!made.is_valid()) throw nb::python_error();
  std::copy_n(numbers, count, static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made.ptr()))));
  return made;
}

/// 4 × 4.
nb::object matrix_of(const Pose<double>& pose) {
  double x[16] = {};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) x[4 * r + c] = pose.R(r, c);
    x[4 * r + 3] = pose.d[r];
  }
  x[15] = 1;
  return array_of({4, 4}, x, 16);
}

Vec3<double> vector_of(nb::handle x, const char* name) {
  const InputArray numbers(x, {name, {1, {3, 0, 0}}});
  if (numbers.batch_rank()) throw nb::value_error((std::string(name) + ": expected three numbers").c_str());
  return {{numbers.data()[0], numbers.data()[1], numbers.data()[2]}};
}

/// 3 × 6: by turn, then by shift.
void read_halves(nb::handle x, const char* name, Mat3<double>& by_turn, Mat3<double>& by_shift) {
  const InputArray numbers(x, {name, {2, {3, 6, 0}}});
  if (numbers.batch_rank()) throw nb::value_error((std::string(name) + ": expected 3 x 6 numbers").c_str());
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) by_turn(r, c) = numbers.data()[6 * r + c], by_shift(r, c) = numbers.data()[6 * r + 3 + c];
}

void read_point(nb::handle given, ContactPoint& p) {
  nb::sequence from;
  const std::size_t size = nb::try_cast(given, from) ? nb::len(from) : 0;
  if (size != 3 && size != 5)
    throw nb::value_error("a point: expected (point, normal, gap) or (point, normal, gap, dpoint, dnormal)");
  p.there = true, p.point = vector_of(from[0], "point"), p.normal = vector_of(from[1], "normal");
  p.gap = PyFloat_AsDouble(nb::object(from[2]).ptr());
  if (PyErr_Occurred()) throw nb::python_error();
  p.follows = size == 5;
  if (!p.follows) return;
  read_halves(from[3], "dpoint", p.point_by_turn, p.point_by_shift);
  read_halves(from[4], "dnormal", p.normal_by_turn, p.normal_by_shift);
}

}  // namespace

PythonFinder::PythonFinder(std::string name, nb::object find, int most_points)
    : name_(std::move(name)), find_(std::move(find)), most_points_(most_points) {}

PythonFinder::~PythonFinder() {
  nb::gil_scoped_acquire lock;
  find_.reset(), error_.reset();
}

void PythonFinder::ask(int nq, const double* q, const Pose<double>& first, const Pose<double>& second, ContactPoint* points) {
  const nb::object answer = find_(array_of({nq}, q, nq), matrix_of(first), matrix_of(second));
  if (answer.is_none()) return;
  nb::sequence all;
  if (!nb::try_cast<nb::sequence>(answer, all)) throw nb::type_error("expected a list of points");
  if (nb::len(all) > static_cast<std::size_t>(most_points_))
    throw nb::value_error(("more points than \"most_points\": " + std::to_string(most_points_)).c_str());
  for (std::size_t k = 0; k < nb::len(all); ++k) {
    const nb::object one = all[k];
    if (!one.is_none()) read_point(one, points[k]);
  }
}

void PythonFinder::operator()(int nq, const double* q, const Pose<double>& first, const Pose<double>& second,
                              ContactPoint* points) noexcept {
  nb::gil_scoped_acquire lock;
  const auto keep = [&](nb::object error) {
    if (!error_.is_valid()) error_ = std::move(error);
    points[0].there = true, points[0].gap = std::numeric_limits<double>::quiet_NaN();
  };
  try {
    ask(nq, q, first, second, points);
  } catch (nb::python_error& error) {
    keep(nb::borrow(error.value()));
  } catch (const std::exception& error) {
    const std::string text = "constraint \"" + name_ + "\", finder: " + error.what();
    keep(nb::steal(PyObject_CallFunction(PyExc_ValueError, "s", text.c_str())));
  }
}

void PythonFinder::rethrow() {
  if (!error_.is_valid()) return;
  const nb::object error = std::move(error_);
  error_ = nb::object();
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

namespace {

/// One constraint with a finder.
class Entry {
 public:
  explicit Entry(nb::dict entry) : entry_(std::move(entry)) {
    if (entry_.contains("name")) name_ = nb::cast<std::string>(nb::str(entry_["name"]));
  }

  FoundContact contact(std::size_t place) const {
    FoundContact found{place, {}, 1, nullptr};
    if (!entry_.contains("type") || nb::cast<std::string>(nb::str(entry_["type"])) != "link_contact")
      refuse("a finder; expected \"type\": \"link_contact\" beside it");
    if (!entry_.contains("links") || !nb::try_cast(entry_["links"], found.links) || found.links.size() != 2)
      refuse("links: expected two names");
    if (entry_.contains("most_points") &&
        (!nb::try_cast(entry_["most_points"], found.most_points) || found.most_points < 1 || found.most_points > 1000))
      refuse("most_points: expected an integer from 1 to 1000");
    const nb::object find = entry_["finder"];
    if (!PyCallable_Check(find.ptr())) refuse("finder: expected a function of q, first and second");
    found.finder = std::make_shared<PythonFinder>(name_, find, found.most_points);
    return found;
  }

  /// A contact, with what files can say of it.
  nb::dict stand_in(const FoundContact& found) const {
    nb::dict made;
    for (const auto& [key, value] : entry_) {
      const std::string word = nb::cast<std::string>(nb::str(key));
      if (word == "name" || word == "friction" || word == "margin" || word == "solref" || word == "solimp")
        made[key] = value;
      else if (word != "type" && word != "finder" && word != "links" && word != "most_points")
        refuse("\"" + word + "\"; expected name, type, links, finder, most_points, friction, margin, solref or solimp");
    }
    nb::list origin, points;
    for (int c = 0; c < 3; ++c) origin.append(0);
    points.append(origin);
    made["type"] = "contact", made["points"] = points;
    made["link"] = found.links[found.links[0] == "world" ? 1 : 0];
    return made;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw nb::value_error(("constraint \"" + name_ + "\": " + what).c_str());
  }
  nb::dict entry_;
  std::string name_;
};

}  // namespace

nb::object without_finders(const nb::dict& source, std::vector<FoundContact>& found) {
  nb::list constraints, plain;
  if (!source.contains("constraints") || !nb::try_cast(source["constraints"], constraints)) return source;
  for (std::size_t k = 0; k < nb::len(constraints); ++k) {
    nb::dict one;
    if (nb::try_cast(constraints[k], one) && one.contains("finder")) {
      const Entry entry(one);
      found.push_back(entry.contact(k));
      plain.append(entry.stand_in(found.back()));
    } else
      plain.append(constraints[k]);
  }
  nb::dict without;
  for (const auto& [key, value] : source) without[key] = value;
  without["constraints"] = plain;
  return without;
}

void put_finder(const FoundContact& found, int nq, Constraint& constraint) {
  constraint.type = ConstraintType::link_contact, constraint.links = found.links, constraint.most_points = found.most_points;
  constraint.finder = [kept = std::weak_ptr<PythonFinder>(found.finder), nq](const double* q, const Pose<double>& first,
                                                                             const Pose<double>& second, ContactPoint* points) {
    if (const auto finder = kept.lock()) return (*finder)(nq, q, first, second, points);
    points[0].there = true, points[0].gap = std::numeric_limits<double>::quiet_NaN();
  };
}

}  // namespace sparsedyn::python
