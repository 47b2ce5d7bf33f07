// How a compiled program's samples are computed: alone, or in tiles of structures of arrays.
#include "compiled_function.hpp"

#include "io/number.hpp"
#include "lines.hpp"
#include "tiles.hpp"

namespace sparsedyn::python {
namespace {

/// Tiles of samples as structures of arrays. A tile is always computed in whole vectors, so that a sample's numbers depend
/// neither on its place nor on who computes it. A program in floats gets numbers rounded to floats, and its results become
/// doubles again.
class ProgramWorker : public Worker {
 public:
  static constexpr npy_intp tile = tile_of_programs;
  static constexpr npy_intp vector_of_doubles = 8, vector_of_floats = 16;  // the widest

  explicit ProgramWorker(const CompiledFunction& function)
      : function_(function),
        vector_(function.single() ? vector_of_floats : vector_of_doubles),
        tile_(tile / vector_ * vector_) {
    for (const auto& part : {&function.inputs(), &function.outputs()})
      for (const auto& [name, shape] : *part) {
        npy_intp size = 1;
        for (npy_intp n : shape) size *= n;
        (part == &function.inputs() ? in_ : out_).emplace_back(static_cast<std::size_t>(size * tile));
      }
    arg_.resize(in_.size()), res_.resize(out_.size());
    if (function.single()) {
      for (const Lines& numbers : in_) float_in_.emplace_back(numbers.size());
      for (const Lines& numbers : out_) float_out_.emplace_back(numbers.size());
      for (std::vector<float>& numbers : float_in_) float_arg_.push_back(numbers.data());
      for (std::vector<float>& numbers : float_out_) float_res_.push_back(numbers.data());
    }
    sample_.resize(largest());
  }

  void run(const Rows& rows, npy_intp first, npy_intp count, std::vector<Failure>& failures) override {
    if (rows.count == 1 && !function_.single()) return run_alone(rows, failures);
    for (npy_intp i = first; i < first + count; i += tile_) run_tile(rows, i, std::min(tile_, first + count - i), failures);
  }

 private:
  std::size_t largest() const {
    std::size_t most = 0;
    for (const auto& part : {&in_, &out_})
      for (const Lines& numbers : *part) most = std::max(most, numbers.size());
    return most;
  }

  void run_alone(const Rows& rows, std::vector<Failure>& failures) {
    for (std::size_t k = 0; k < in_.size(); ++k) arg_[k] = rows.in(static_cast<int>(k), 0);
    for (std::size_t k = 0; k < out_.size(); ++k)
      res_[k] = rows.outputs[k].contiguous() ? rows.outputs[k].data() : out_[k].data();
    scale_alone(rows);
    int status = function_.code().call(arg_.data(), res_.data());
    if (wrong_norm(rows, 0) != 1) status = not_of_norm_one;
    finish(rows, 0, status, failures, [&](std::size_t k) { return res_[k]; });
    for (std::size_t k = 0; k < out_.size(); ++k)
      if (!rows.outputs[k].contiguous()) rows.outputs[k].scatter(res_[k], rows.batch, rows.output_specs[k].core, 0);
  }

  /// The only sample with quaternions of norm 1: a copy of q, or x, where they have another.
  void scale_alone(const Rows& rows) {
    if (function_.quaternions().empty() || function_.of_norm_one(arg_[function_.coordinates()])) return;
    const std::size_t c = function_.coordinates();
    std::copy_n(arg_[c], rows.in_size(static_cast<int>(c)), in_[c].data());
    function_.scale_to_norm_one(in_[c].data(), 1);
    arg_[c] = in_[c].data();
  }

  void compute(long wide) {
    if (function_.solver() >= 0) return function_.batch(arg_.data(), res_.data(), wide, status_);
    if (!function_.single()) return function_.code().batch(arg_.data(), res_.data(), wide);
    for (std::size_t k = 0; k < in_.size(); ++k) {
      double* numbers = in_[k].data();
      for (std::size_t e = 0; e < in_[k].size() / tile * static_cast<std::size_t>(wide); ++e)
        numbers[e] = float_in_[k][e] = static_cast<float>(numbers[e]);  // judged as what was computed with
    }
    function_.code().batch(float_arg_.data(), float_res_.data(), wide);
    for (std::size_t k = 0; k < out_.size(); ++k)
      std::copy_n(float_out_[k].data(), out_[k].size() / tile * static_cast<std::size_t>(wide), out_[k].data());
  }

  /// Samples i … i + n − 1, with copies of the last one up to a multiple of a vector.
  void run_tile(const Rows& rows, npy_intp i, npy_intp n, std::vector<Failure>& failures) {
    const npy_intp wide = (n + vector_ - 1) / vector_ * vector_;
    bool fine = true;
    for (std::size_t k = 0; k < in_.size(); ++k) {
      const int port = static_cast<int>(k);
      const npy_intp size = rows.in_size(port);
      double* columns = in_[k].data();
      if (rows.in_stride(port) == size && wide == n)
        fine = rows_to_columns(rows.in(port, i), size, n, columns) && fine;
      else {
        for (npy_intp s = 0; s < wide; ++s) {
          const double* sample = rows.in(port, i + std::min(s, n - 1));
          for (npy_intp e = 0; e < size; ++e) columns[e * wide + s] = sample[e];
        }
        fine = all_finite(columns, size * wide) && fine;
      }
      arg_[k] = columns;
    }
    if (!function_.quaternions().empty())
      for (npy_intp s = 0; s < wide; ++s) function_.scale_to_norm_one(in_[function_.coordinates()].data() + s, wide);
    for (std::size_t k = 0; k < out_.size(); ++k) res_[k] = out_[k].data();
    compute(static_cast<long>(wide));
    for (npy_intp s = 0; s < n && !function_.quaternions().empty(); ++s) {
      const bool off = wrong_norm(rows, i + s) != 1;
      if (off || function_.solver() < 0) status_[s] = off ? not_of_norm_one : 0;
      fine = fine && !off;
    }
    if (function_.single()) fine = false;  // judge() looks at what was rounded
    for (std::size_t k = 0; k < out_.size(); ++k) {
      const OutputArray& output = rows.outputs[k];
      const npy_intp size = rows.out_size(static_cast<int>(k));
      if (output.contiguous() && wide == n) {
        fine = columns_to_rows(res_[k], size, n, output.data() + i * size) && fine;
        continue;
      }
      fine = all_finite(res_[k], size * wide) && fine;
      for (npy_intp s = 0; s < n; ++s) {
        double* to = output.contiguous() ? output.data() + (i + s) * size : sample_.data();
        for (npy_intp e = 0; e < size; ++e) to[e] = res_[k][e * wide + s];
        if (!output.contiguous()) output.scatter(to, rows.batch, rows.output_specs[k].core, i + s);
      }
    }
    if (!fine) judge(rows, i, n, wide, failures);
  }

  /// Results that are not finite, found by columns.
  void judge(const Rows& rows, npy_intp i, npy_intp n, npy_intp wide, std::vector<Failure>& failures) {
    double sums[tile] = {};
    for (std::size_t k = 0; k < out_.size(); ++k)
      for (npy_intp e = 0; e < rows.out_size(static_cast<int>(k)); ++e)
        for (npy_intp s = 0; s < n; ++s) sums[s] += res_[k][e * wide + s] * 0;
    for (std::size_t k = 0; k < in_.size(); ++k)
      for (npy_intp e = 0; e < rows.in_size(static_cast<int>(k)); ++e)
        for (npy_intp s = 0; s < n; ++s) sums[s] += in_[k][e * wide + s] * 0;
    for (npy_intp s = 0; s < n; ++s) {
      if (sums[s] == 0 && status_[s] == 0) continue;
      const double* const solver = function_.solver() < 0 ? nullptr : res_[static_cast<std::size_t>(function_.solver())];
      failures.push_back({i + s, why(rows, i + s, status_[s], solver ? solver[2 * wide + s] : -1)});
      for (std::size_t k = 0; k < out_.size(); ++k) {
        const npy_intp size = rows.out_size(static_cast<int>(k));
        std::fill_n(sample_.data(), size, std::numeric_limits<double>::quiet_NaN());
        rows.outputs[k].scatter(sample_.data(), rows.batch, rows.output_specs[k].core, i + s);
      }
    }
  }

  template <class Result>
  void finish(const Rows& rows, npy_intp i, int status, std::vector<Failure>& failures, Result&& result) {
    double sum = 0;
    for (std::size_t k = 0; k < out_.size(); ++k)
      for (npy_intp e = 0; e < rows.out_size(static_cast<int>(k)); ++e) sum += result(k)[e] * 0;
    if (status == 0 && sum == 0) return;
    const double worst = status > 1 && function_.solver() >= 0 ? result(static_cast<std::size_t>(function_.solver()))[2] : -1;
    failures.push_back({i, why(rows, i, status, worst)});
    for (std::size_t k = 0; k < out_.size(); ++k)
      std::fill_n(result(k), rows.out_size(static_cast<int>(k)), std::numeric_limits<double>::quiet_NaN());
  }

  /// The code of a call in words, with the freedom or the constraint that `solver` names by its index (-1: none).
  std::string why(const Rows& rows, npy_intp i, int status, double worst) const {
    const std::string place = worst >= 0 ? std::to_string(static_cast<int>(worst)) : "";
    if (status == 2) return "a joint moves no mass" + (place.empty() ? "" : ": ddq[" + place + "]");
    if (status == 3)
      return "the contact forces do not converge, or hard rows contradict each other or lose rank" +
             (place.empty() ? "" : ": manifest['constraints'][" + place + "]");
    for (std::size_t k = 0; k < rows.inputs.size(); ++k)
      for (npy_intp e = 0; e < rows.in_size(static_cast<int>(k)); ++e)
        if (!std::isfinite(rows.in(static_cast<int>(k), i)[e]))
          return rows.input_specs[k].text() + "[" + std::to_string(e) + "] is not finite";
    if (const double norm = wrong_norm(rows, i); norm != 1)
      return rows.input_specs[function_.coordinates()].text() + ": a quaternion has norm " + number_text(norm) + "; expected 1";
    const bool steps = function_.outputs().front().first == "x_next";
    return std::string("the results are not finite") +
           (steps ? ", as where a body turns by more than 4 pi rad within the step" : "");
  }

  /// The norm of a quaternion of sample i that is not 1; else 1.
  double wrong_norm(const Rows& rows, npy_intp i) const {
    if (function_.quaternions().empty()) return 1;
    return function_.wrong_norm(rows.in(static_cast<int>(function_.coordinates()), i));
  }

  static constexpr int not_of_norm_one = 4;  // beside the codes of generated functions

  const CompiledFunction& function_;
  npy_intp vector_, tile_;
  std::vector<std::vector<float>> float_in_, float_out_;
  std::vector<const float*> float_arg_;
  std::vector<float*> float_res_;
  std::vector<Lines> in_, out_;
  std::vector<const double*> arg_;
  std::vector<double*> res_;
  std::vector<double> sample_;
  int status_[tile] = {};  // by sample: codes of programs that iterate, and not_of_norm_one
};

}  // namespace

std::unique_ptr<Worker> CompiledFunction::take() {
  if (idle_.empty()) return std::make_unique<ProgramWorker>(*this);
  std::unique_ptr<Worker> worker = std::move(idle_.back());
  idle_.pop_back();
  return worker;
}

}  // namespace sparsedyn::python
