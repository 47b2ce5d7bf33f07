#include "batch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>

#include "errors.hpp"

namespace sparsedyn::python {
namespace {

constexpr auto between_looks = std::chrono::milliseconds(50);
/// Results of a chunk, so that it takes milliseconds: a humanoid's second derivatives have 200,000 numbers a sample.
constexpr npy_intp most_numbers_at_once = 1 << 18;

/// Chunks of the batch, handed out one after the other to whoever is free.
class Chunks {
 public:
  Chunks(npy_intp count, npy_intp grain) : count_(count), grain_(grain) {}
  bool next(npy_intp& first, npy_intp& n) {
    if (stopped_.load(std::memory_order_relaxed)) return false;
    first = grain_ * next_.fetch_add(1, std::memory_order_relaxed);
    n = std::min(grain_, count_ - first);
    return n > 0;
  }
  void stop() { stopped_ = true; }

 private:
  npy_intp count_, grain_;
  std::atomic<npy_intp> next_{0};
  std::atomic<bool> stopped_{false};
};

/// The calling thread, without the interpreter's lock: works too, and looks for Ctrl-C. True: there was one, and the error is
/// set in the interpreter.
bool work_and_look(const Rows& rows, Worker& worker, Chunks& chunks, std::vector<Failure>& failures) {
  auto next_look = std::chrono::steady_clock::now() + between_looks;
  npy_intp first, n;
  while (chunks.next(first, n)) {
    worker.run(rows, first, n, failures);
    if (std::chrono::steady_clock::now() < next_look) continue;
    {
      nb::gil_scoped_acquire lock;
      if (PyErr_CheckSignals() != 0) {
        chunks.stop();
        return true;
      }
    }
    next_look = std::chrono::steady_clock::now() + between_looks;
  }
  return false;
}

struct Lent {
  WorkerSource& source;
  std::vector<std::unique_ptr<Worker>> workers;
  ~Lent() {
    for (std::unique_ptr<Worker>& worker : workers) source.give_back(std::move(worker));
  }
};

}  // namespace

void Rows::broadcast_inputs() {
  batch = broadcast(inputs.data(), input_specs.data(), static_cast<int>(inputs.size()));
  count = batch.count();
  strides_.resize(inputs.size()), cores_.resize(inputs.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    cores_[k] = input_specs[k].core.count();
    strides_[k] = inputs[k].flat_stride(batch, cores_[k]);
  }
}

void Rows::make_outputs(nb::handle out) {
  const std::size_t n = output_specs.size();
  outputs.clear();
  outputs.reserve(n);
  out_cores_.resize(n);
  for (std::size_t k = 0; k < n; ++k) out_cores_[k] = output_specs[k].core.count();
  if (out.is_none()) {
    for (const ArraySpec& spec : output_specs) outputs.emplace_back(batch, spec);
    return;
  }
  if (n == 1 && !PyTuple_Check(out.ptr()))
    outputs.emplace_back(out, batch, output_specs[0]);
  else {
    nb::sequence given;
    if (!nb::try_cast<nb::sequence>(out, given) || PyArray_Check(out.ptr()) || nb::len(given) != n)
      throw nb::value_error(("out: expected a tuple of " + std::to_string(n) + " arrays").c_str());
    for (std::size_t k = 0; k < n; ++k) outputs.emplace_back(nb::object(given[k]), batch, output_specs[k]);
  }
  refuse_overlaps(inputs.data(), input_specs.data(), static_cast<int>(inputs.size()), outputs.data(), output_specs.data(),
                  static_cast<int>(n));
}

npy_intp Rows::numbers_per_sample() const {
  npy_intp numbers = 0;
  for (npy_intp size : out_cores_) numbers += size;
  return std::max<npy_intp>(1, numbers);
}

void SampleWorker::run(const Rows& rows, npy_intp first, npy_intp count, std::vector<Failure>& failures) {
  constexpr std::size_t most = 64;
  const std::size_t n_in = rows.inputs.size(), n_out = rows.outputs.size();
  if (n_in > most || n_out > most) throw std::length_error("more than 64 arrays");
  std::array<const double*, most> in;
  std::array<double*, most> out;
  npy_intp strided = 0;
  for (std::size_t k = 0; k < n_out; ++k)
    if (!rows.outputs[k].contiguous()) strided += rows.out_size(static_cast<int>(k));
  strided_.resize(static_cast<std::size_t>(strided));
  for (npy_intp i = first; i < first + count; ++i) {
    for (std::size_t k = 0; k < n_in; ++k) in[k] = rows.in(static_cast<int>(k), i);
    double* own = strided_.data();
    for (std::size_t k = 0; k < n_out; ++k) {
      const npy_intp size = rows.out_size(static_cast<int>(k));
      const bool direct = rows.outputs[k].contiguous();
      out[k] = direct ? rows.outputs[k].data() + i * size : own;
      if (!direct) own += size;
    }
    if (!evaluate(in.data(), out.data())) {
      for (std::size_t k = 0; k < n_out; ++k)
        std::fill_n(out[k], rows.out_size(static_cast<int>(k)), std::numeric_limits<double>::quiet_NaN());
      failures.push_back({i, why()});
    }
    if (strided == 0) continue;
    for (std::size_t k = 0; k < n_out; ++k)
      if (!rows.outputs[k].contiguous()) rows.outputs[k].scatter(out[k], rows.batch, rows.output_specs[k].core, i);
  }
}

RunOptions run_options(int threads, nb::handle on_error) {
  RunOptions options;
  if (threads < 0) throw nb::value_error(("threads: " + std::to_string(threads) + "; expected 0 (all cores) or more").c_str());
  options.threads = threads == 0 ? std::max(1, static_cast<int>(std::thread::hardware_concurrency())) : threads;
  if (PyUnicode_Check(on_error.ptr()) && PyUnicode_CompareWithASCIIString(on_error.ptr(), "raise") == 0) return options;
  if (PyUnicode_Check(on_error.ptr()) && PyUnicode_CompareWithASCIIString(on_error.ptr(), "nan") == 0) {
    options.nan_on_error = true;
    return options;
  }
  throw nb::value_error(("on_error: " + nb::cast<std::string>(nb::repr(on_error)) + "; expected 'raise' or 'nan'").c_str());
}

Worker& OwnWorker::idle() const {
  if (!worker) throw std::runtime_error("a bound function is called while it runs; expected one call at a time");
  return *worker;
}

std::unique_ptr<Worker> OwnWorker::take() {
  idle();
  return std::move(worker);
}

std::vector<Failure> run(const Rows& rows, WorkerSource& source, const RunOptions& options) {
  std::vector<Failure> failures;
  Lent lent{source, {}};
  if (rows.count == 0) return failures;
  lent.workers.push_back(source.take());
  if (rows.count == 1) {
    lent.workers[0]->run(rows, 0, 1, failures);
    return failures;
  }
  const npy_intp grain = std::max<npy_intp>(1, std::min(options.grain, most_numbers_at_once / rows.numbers_per_sample()));
  const npy_intp chunks_in_all = (rows.count + grain - 1) / grain;
  const auto threads = static_cast<std::size_t>(std::min<npy_intp>(options.threads, chunks_in_all));
  while (lent.workers.size() < threads) lent.workers.push_back(source.take());
  Chunks chunks(rows.count, grain);
  std::vector<std::vector<Failure>> failed(threads);
  std::exception_ptr error;
  bool interrupted = false;
  {
    nb::gil_scoped_release unlocked;
    std::mutex error_lock;
    const auto guarded = [&](auto&& work) {
      try {
        work();
      } catch (...) {
        const std::lock_guard<std::mutex> lock(error_lock);
        error = std::current_exception();
        chunks.stop();
      }
    };
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < threads; ++t)
      others.emplace_back([&, t] {
        guarded([&] {
          npy_intp first, n;
          while (chunks.next(first, n)) lent.workers[t]->run(rows, first, n, failed[t]);
        });
      });
    guarded([&] { interrupted = work_and_look(rows, *lent.workers[0], chunks, failed[0]); });
    for (std::thread& other : others) other.join();
  }
  if (interrupted) throw nb::python_error();
  if (error) std::rethrow_exception(error);
  for (std::vector<Failure>& part : failed) std::move(part.begin(), part.end(), std::back_inserter(failures));
  std::sort(failures.begin(), failures.end(), [](const Failure& a, const Failure& b) { return a.row < b.row; });
  return failures;
}

nb::object answer(const Rows& rows, const std::vector<Failure>& failures, const RunOptions& options, nb::handle make,
                  bool given_out) {
  if (!failures.empty() && !options.nan_on_error) raise_solve_error(failures, rows.count);
  const auto returned = [&](const OutputArray& array) {
    if (given_out) return array.object();
    return nb::steal(PyArray_Return(reinterpret_cast<PyArrayObject*>(array.object().inc_ref().ptr())));  // 0-d: a number
  };
  nb::object value;
  if (make.is_none())
    value = returned(rows.outputs[0]);
  else {
    nb::list parts;
    for (const OutputArray& output : rows.outputs) parts.append(returned(output));
    value = make(*nb::tuple(parts));
  }
  if (!options.nan_on_error) return value;
  std::array<npy_intp, NPY_MAXDIMS> shape = rows.batch.size;
  nb::object failed = nb::steal(PyArray_ZEROS(rows.batch.rank, shape.data(), NPY_BOOL, 0));
  auto* flags = static_cast<npy_bool*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(failed.ptr())));
  for (const Failure& failure : failures) flags[failure.row] = 1;
  return result_type("Answer")(value, failed);
}

}  // namespace sparsedyn::python
