// One call over all samples of a batch: arguments in, results out, several threads, the interpreter free meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arrays.hpp"

namespace sparsedyn::python {

/// A sample that has no answer.
struct Failure {
  npy_intp row;  // of the flattened batch
  std::string why;
};

/// Inputs and results of one call as flat batches.
class Rows {
 public:
  std::vector<InputArray> inputs;
  std::vector<ArraySpec> input_specs;
  std::vector<OutputArray> outputs;
  std::vector<ArraySpec> output_specs;
  BatchShape batch;
  npy_intp count = 1;  // samples

  /// After the inputs are there: their common shape.
  void broadcast_inputs();
  /// The results: new arrays, or what the caller gave as `out` (an array, or one for each result; None: new ones).
  void make_outputs(nb::handle out);
  const double* in(int k, npy_intp i) const {
    const npy_intp stride = strides_[k], core = cores_[k];
    return inputs[k].data() + (stride >= 0 ? stride * i : inputs[k].offset(batch, core, i));
  }
  /// Numbers from one sample of input k to the next, or -1.
  npy_intp in_stride(int k) const { return strides_[k]; }
  npy_intp in_size(int k) const { return cores_[k]; }
  npy_intp out_size(int k) const { return out_cores_[k]; }
  /// Results of one sample, all together; at least 1.
  npy_intp numbers_per_sample() const;

 private:
  std::vector<npy_intp> strides_, cores_, out_cores_;
};

/// What evaluates samples; one a thread. All but its making and its end happens without the interpreter's lock.
class Worker {
 public:
  virtual ~Worker() = default;
  /// Samples first … first + count − 1; what fails is filled with NaN and noted.
  virtual void run(const Rows& rows, npy_intp first, npy_intp count, std::vector<Failure>& failures) = 0;
};

/// One sample at a time.
class SampleWorker : public Worker {
 public:
  /// in[k], out[k]: the numbers of one sample. False where it fails; why() then says so.
  virtual bool evaluate(const double* const* in, double* const* out) = 0;
  virtual std::string why() = 0;
  void run(const Rows& rows, npy_intp first, npy_intp count, std::vector<Failure>& failures) override;

 private:
  std::vector<double> strided_;
};

/// How a call is carried out.
struct RunOptions {
  int threads = 1;      // 0: all cores
  npy_intp grain = 64;  // samples that one worker takes at a time; the results do not depend on who takes them
  bool nan_on_error = false;
};

/// From `threads` and `on_error` as the user gives them. Throws ValueError.
RunOptions run_options(int threads, nb::handle on_error);

/// Lends workers to a call and takes them back; called with the interpreter's lock.
class WorkerSource {
 public:
  virtual ~WorkerSource() = default;
  virtual std::unique_ptr<Worker> take() = 0;
  virtual void give_back(std::unique_ptr<Worker> worker) = 0;
};

/// The one worker of a function whose arrays are bound. It serves one call at a time: throws std::runtime_error in another.
class OwnWorker : public WorkerSource {
 public:
  std::unique_ptr<Worker> worker;
  Worker& idle() const;
  std::unique_ptr<Worker> take() override;
  void give_back(std::unique_ptr<Worker> own) override { worker = std::move(own); }
};

/// Evaluates all samples. A Ctrl-C is looked for every 50 ms. Returns the failures, in the order of the rows.
std::vector<Failure> run(const Rows& rows, WorkerSource& source, const RunOptions& options);

/// What the call returns: one array, or `make(tuple of arrays)`; raises SolveError, or pairs the value with `failed`.
nb::object answer(const Rows& rows, const std::vector<Failure>& failures, const RunOptions& options, nb::handle make,
                  bool given_out);

}  // namespace sparsedyn::python
