// A program in machine code as a function of arrays.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "sparsedyn/jit/compiled_program.hpp"

namespace sparsedyn::python {

/// Names and last axes of a program's vectors.
using Shapes = std::vector<std::pair<std::string, std::vector<npy_intp>>>;

/// Samples that a worker computes at once, as structures of arrays: an arm's fits half of the first cache; no power of two,
/// which would crowd few sets of it.
inline constexpr npy_intp tile_of_programs = 56;

/// A program in machine code as a function of arrays.
class CompiledFunction : public WorkerSource {
 public:
  using BatchStatus = long (*)(const double* const*, double* const*, long, int*);

  /// What it is made of, for pickles and copies.
  struct Made {
    std::string source, header, name, cc, flags;
    std::vector<int> quaternions;
  };

  CompiledFunction(std::shared_ptr<const CompiledProgram> code, Made from, Shapes inputs, Shapes outputs, nb::object make,
                   bool single)
      : code_(std::move(code)),
        made_(std::move(from)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        make_(std::move(make)),
        single_(single) {
    for (std::size_t k = 0; k < outputs_.size(); ++k)
      if (outputs_[k].first == "solver") solver_ = static_cast<int>(k);
    if (solver_ >= 0) batch_status_ = reinterpret_cast<BatchStatus>(code_->symbol(made_.name + "_batch_status"));
    while (coordinates_ < inputs_.size() && inputs_[coordinates_].first != "q" && inputs_[coordinates_].first != "x")
      ++coordinates_;
    for (int at : quaternions())
      if (coordinates_ == inputs_.size() || at < 0 || at + 4 > core_of(inputs_[coordinates_].second).count())
        throw nb::value_error("quaternions: expected places in q or x");
  }

  CompiledFunction(const CompiledFunction&) = delete;
  CompiledFunction& operator=(const CompiledFunction&) = delete;

  const CompiledProgram& code() const { return *code_; }
  const Made& made() const { return made_; }
  const Shapes& inputs() const { return inputs_; }
  const Shapes& outputs() const { return outputs_; }
  const nb::object& make() const { return make_; }
  /// Whether it computes in floats.
  bool single() const { return single_; }
  /// Where quaternions begin in an input, and which input that is, q or x.
  /// @{
  const std::vector<int>& quaternions() const { return made_.quaternions; }
  std::size_t coordinates() const { return coordinates_; }
  /// @}
  /// The norm of a quaternion in q, or x, that is further from 1 than numbers in a file or in floats are; else 1.
  double wrong_norm(const double* q) const {
    constexpr double most = 1e-5;  // six decimals leave 1e-6
    for (int at : quaternions())
      if (const double norm = std::sqrt(squares(q + at, 1)); !(std::fabs(norm - 1) <= most)) return norm;
    return 1;
  }
  /// Whether all quaternions in q, or x, have norm 1 but for rounding.
  bool of_norm_one(const double* q) const {
    return std::all_of(quaternions().begin(), quaternions().end(), [q](int at) { return is_one(squares(q + at, 1)); });
  }
  /// Scales these quaternions to norm 1, element e of q at q[e * stride]. What is_one() keeps its bits.
  void scale_to_norm_one(double* q, npy_intp stride) const {
    for (int at : quaternions()) {
      double* const u = q + at * stride;
      const double of_norm = squares(u, stride);
      if (is_one(of_norm)) continue;
      for (int e = 0; e < 4; ++e) u[e * stride] /= std::sqrt(of_norm);
    }
  }
  /// The output `solver` (steps, residual, what is worst) of a program that iterates, or -1.
  int solver() const { return solver_; }
  /// Of a program that iterates: n samples, with the code of each.
  void batch(const double* const* arg, double* const* res, long n, int* status) const { batch_status_(arg, res, n, status); }
  std::unique_ptr<Worker> take() override;
  void give_back(std::unique_ptr<Worker> worker) override { idle_.push_back(std::move(worker)); }

  static Core core_of(const std::vector<npy_intp>& shape) {
    Core core{static_cast<int>(shape.size()), {}};
    std::copy(shape.begin(), shape.end(), core.size.begin());
    return core;
  }

  void prepare(const nb::args& arguments, bool in_place, Rows& rows) const {
    if (arguments.size() != inputs_.size()) {
      std::string names;
      for (const auto& [name, shape] : inputs_) names += (names.empty() ? "" : ", ") + name;
      throw nb::type_error(
          (std::to_string(arguments.size()) + " arguments; expected " + std::to_string(inputs_.size()) + ": " + names).c_str());
    }
    rows.inputs.reserve(inputs_.size()), rows.input_specs.reserve(inputs_.size());
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      rows.input_specs.push_back(spec(inputs_[k]));
      rows.inputs.emplace_back(nb::handle(arguments[k]), rows.input_specs[k], in_place);
    }
    rows.broadcast_inputs();
    for (const auto& output : outputs_) rows.output_specs.push_back(spec(output));
  }

 private:
  static ArraySpec spec(const Shapes::value_type& port) { return {port.first.c_str(), core_of(port.second)}; }
  /// |u|² of a quaternion.
  static double squares(const double* u, npy_intp stride) {
    double sum = 0;
    for (int e = 0; e < 4; ++e) sum += u[e * stride] * u[e * stride];
    return sum;
  }
  static bool is_one(double squares) { return std::fabs(squares - 1) <= 8 * std::numeric_limits<double>::epsilon(); }

  std::shared_ptr<const CompiledProgram> code_;
  Made made_;
  Shapes inputs_, outputs_;
  nb::object make_;  // the named tuple of several outputs, or None
  bool single_;
  int solver_ = -1;
  std::size_t coordinates_ = 0;
  BatchStatus batch_status_ = nullptr;
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace sparsedyn::python
