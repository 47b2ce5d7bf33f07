"""The C text that stands behind a program's own, so that XLA can call it: a handler of XLA's foreign-function interface.

Buffers are row-major: leading axes are the batch, of length 1 where an operand is one for all samples. A sample alone is computed
by NAME, in place where buffers have the program's own type; batches go in tiles, turned into structures of arrays, to NAME_batch, on
the threads of XLA's pool where there is enough to do. A tile is always computed in whole vectors, so that a sample's numbers do
not depend on its place in a batch. Quaternions are scaled to norm 1 on the way in where the text expects that.
"""

from __future__ import annotations

import functools
import importlib
import pathlib
from collections.abc import Sequence

_TEXT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

int sched_yield(void); /* POSIX's, which C99 hides */

enum { @_xla_INPUTS = $INPUTS, @_xla_OUTPUTS = $OUTPUTS, @_xla_BOTH = @_xla_INPUTS + @_xla_OUTPUTS, @_xla_AXES = 32, @_xla_TILE = $TILE, @_xla_VECTOR = $VECTOR };
typedef $REAL @_xla_real;
/* Numbers of one sample, and its axes; where quaternions begin in the input that has them. */
static const long @_xla_count[@_xla_BOTH] = {$COUNTS};
static const int @_xla_core[@_xla_BOTH] = {$CORES};
static const char *const @_xla_names[@_xla_BOTH] = {$NAMES};
static const int @_xla_with_quaternions = $WITH_QUATERNIONS, @_xla_quaternions = $N_QUATERNIONS, @_xla_quaternion[] = {$QUATERNIONS};
static const long @_xla_scratch = $SCRATCH; /* numbers of one sample, inputs and outputs */
static const long @_xla_shared_from = $SHARED_FROM; /* samples from which threads share them */

typedef struct {
  char *data;
  int wide; /* doubles, else floats */
  long stride[@_xla_AXES]; /* of a step along each axis of the batch, in samples */
} @_xla_array;

typedef struct {
  @_xla_array array[@_xla_BOTH];
  int axes;
  long size[@_xla_AXES], n;
  long first_failure; /* sample, or n */
  long next_chunk, chunks, chunk, done;
  long holders; /* who may still look at this */
} @_xla_job;

static double @_xla_get(const @_xla_array *a, long i) { return a->wide ? ((const double *)a->data)[i] : ((const float *)a->data)[i]; }
static void @_xla_put(const @_xla_array *a, long i, double x) {
  if (a->wide)
    ((double *)a->data)[i] = x;
  else
    ((float *)a->data)[i] = (float)x;
}

/* The row of sample s in an operand that may be one for all along some axes. */
static long @_xla_row(const @_xla_job *job, int k, long s) {
  long row = 0;
  for (int axis = job->axes; axis-- > 0; s /= job->size[axis]) row += s % job->size[axis] * job->array[k].stride[axis];
  return row;
}

/* Element by element from a row, `step` apart. */
static void @_xla_fetch(const @_xla_job *job, int k, long s, @_xla_real *to, long step) {
  const @_xla_array *a = &job->array[k];
  const long count = @_xla_count[k], from = @_xla_row(job, k, s) * count;
  if (a->wide)
    for (long e = 0; e < count; ++e) to[e * step] = (@_xla_real)((const double *)a->data)[from + e];
  else
    for (long e = 0; e < count; ++e) to[e * step] = (@_xla_real)((const float *)a->data)[from + e];
  if (k != @_xla_with_quaternions) return;
  for (int j = 0; j < @_xla_quaternions; ++j) {
    @_xla_real *u = to + @_xla_quaternion[j] * step;
    const @_xla_real scale = 1 / $SQRT(u[0] * u[0] + u[step] * u[step] + u[2 * step] * u[2 * step] + u[3 * step] * u[3 * step]);
    for (int m = 0; m < 4; ++m) u[m * step] *= scale;
  }
}

static void @_xla_fail(@_xla_job *job, long s) {
  for (int k = @_xla_INPUTS; k < @_xla_BOTH; ++k)
    for (long e = 0; e < @_xla_count[k]; ++e) @_xla_put(&job->array[k], s * @_xla_count[k] + e, NAN);
  for (long first = __atomic_load_n(&job->first_failure, __ATOMIC_RELAXED); s < first;)
    if (__atomic_compare_exchange_n(&job->first_failure, &first, s, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
}

/* Finite numbers, each multiplied by zero, add up to zero. */
static void @_xla_one(@_xla_job *job, @_xla_real *numbers) {
  const @_xla_real *arg[@_xla_INPUTS + 1];
  @_xla_real *res[@_xla_OUTPUTS + 1], sum = 0;
  int in_place[@_xla_OUTPUTS + 1];
  for (int k = 0; k < @_xla_INPUTS; ++k) {
    if (job->array[k].wide == (sizeof(@_xla_real) == sizeof(double)) && k != @_xla_with_quaternions) {
      arg[k] = (const @_xla_real *)(const void *)job->array[k].data;
      continue;
    }
    @_xla_fetch(job, k, 0, numbers, 1);
    arg[k] = numbers, numbers += @_xla_count[k];
  }
  for (int k = 0; k < @_xla_OUTPUTS; ++k) {
    const @_xla_array *a = &job->array[@_xla_INPUTS + k];
    in_place[k] = a->wide == (sizeof(@_xla_real) == sizeof(double));
    res[k] = in_place[k] ? (@_xla_real *)(void *)a->data : numbers;
    if (!in_place[k]) numbers += @_xla_count[@_xla_INPUTS + k];
  }
  if (@(arg, res, 0, 0, 0)) {
    @_xla_fail(job, 0);
    return;
  }
  for (int k = 0; k < @_xla_OUTPUTS; ++k)
    for (long e = 0; e < @_xla_count[@_xla_INPUTS + k]; ++e) {
      sum += res[k][e] * 0;
      if (!in_place[k]) @_xla_put(&job->array[@_xla_INPUTS + k], e, res[k][e]);
    }
  if (sum != 0) @_xla_fail(job, 0);
}

static void @_xla_tile(@_xla_job *job, long first, long n, @_xla_real *numbers) {
  const long wide = (n + @_xla_VECTOR - 1) / @_xla_VECTOR * @_xla_VECTOR;
  const @_xla_real *arg[@_xla_INPUTS + 1];
  @_xla_real *res[@_xla_OUTPUTS + 1], sum[@_xla_TILE] = {0};
  for (int k = 0; k < @_xla_INPUTS; ++k) {
    for (long s = 0; s < wide; ++s) @_xla_fetch(job, k, first + (s < n ? s : n - 1), numbers + s, wide);
    arg[k] = numbers, numbers += @_xla_count[k] * @_xla_TILE;
  }
  for (int k = 0; k < @_xla_OUTPUTS; ++k) res[k] = numbers, numbers += @_xla_count[@_xla_INPUTS + k] * @_xla_TILE;
  @_batch(arg, res, wide);
  for (int k = 0; k < @_xla_INPUTS; ++k)
    for (long e = 0; e < @_xla_count[k]; ++e)
      for (long s = 0; s < wide; ++s) sum[s] += arg[k][e * wide + s] * 0;
  for (int k = 0; k < @_xla_OUTPUTS; ++k) {
    const @_xla_array *a = &job->array[@_xla_INPUTS + k];
    const long count = @_xla_count[@_xla_INPUTS + k];
    for (long e = 0; e < count; ++e)
      for (long s = 0; s < n; ++s) {
        const @_xla_real x = res[k][e * wide + s];
        sum[s] += x * 0;
        @_xla_put(a, (first + s) * count + e, x);
      }
  }
  for (long s = 0; s < n; ++s)
    if (sum[s] != 0) @_xla_fail(job, first + s);
}

static void @_xla_leave(@_xla_job *job) {
  if (__atomic_sub_fetch(&job->holders, 1, __ATOMIC_ACQ_REL) == 0) free(job);
}

/* Memory for a tile. */
static char *@_xla_memory(void) { return (char *)malloc((size_t)(@_xla_scratch * @_xla_TILE) * sizeof(@_xla_real) + 64); }

/* Chunk after chunk until none is left. */
static void @_xla_work(@_xla_job *job, char *memory) {
  @_xla_real *numbers = (@_xla_real *)(void *)(memory + (64 - (size_t)memory % 64));
  for (;;) {
    const long k = __atomic_fetch_add(&job->next_chunk, 1, __ATOMIC_ACQ_REL);
    if (k >= job->chunks) break;
    const long end = (k + 1) * job->chunk < job->n ? (k + 1) * job->chunk : job->n;
    for (long s = k * job->chunk; s < end; s += @_xla_TILE) @_xla_tile(job, s, end - s < @_xla_TILE ? end - s : @_xla_TILE, numbers);
    __atomic_add_fetch(&job->done, 1, __ATOMIC_ACQ_REL);
  }
}

static void @_xla_task(void *data) {
  char *memory = @_xla_memory();
  if (memory) @_xla_work((@_xla_job *)data, memory);
  free(memory);
  @_xla_leave((@_xla_job *)data);
}

static void @_xla_drop(const XLA_FFI_Api *api, XLA_FFI_Error *error) {
  XLA_FFI_Error_Destroy_Args args;
  memset(&args, 0, sizeof args);
  args.struct_size = XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, args.error = error;
  if (error) api->XLA_FFI_Error_Destroy(&args);
}

/* Asks XLA's other threads; none of them may come. */
static void @_xla_ask_for_help(XLA_FFI_CallFrame *frame, @_xla_job *job) {
  int64_t threads = 1;
  XLA_FFI_ThreadPool_NumThreads_Args ask;
  memset(&ask, 0, sizeof ask);
  ask.struct_size = XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE, ask.ctx = frame->ctx, ask.num_threads = &threads;
  XLA_FFI_Error *error = frame->api->XLA_FFI_ThreadPool_NumThreads(&ask);
  if (error) threads = 1;
  @_xla_drop(frame->api, error);
  for (int64_t k = 1; k < threads && k < job->chunks; ++k) {
    XLA_FFI_ThreadPool_Schedule_Args task;
    memset(&task, 0, sizeof task);
    task.struct_size = XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE, task.ctx = frame->ctx, task.task = @_xla_task, task.data = job;
    __atomic_add_fetch(&job->holders, 1, __ATOMIC_ACQ_REL);
    error = frame->api->XLA_FFI_ThreadPool_Schedule(&task);
    if (!error) continue;
    @_xla_drop(frame->api, error);
    @_xla_leave(job);
    return;
  }
}

static XLA_FFI_Error *@_xla_error(const XLA_FFI_Api *api, XLA_FFI_Error_Code code, const char *message) {
  XLA_FFI_Error_Create_Args args;
  memset(&args, 0, sizeof args);
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE, args.message = message, args.errc = code;
  return api->XLA_FFI_Error_Create(&args);
}

static XLA_FFI_Error *@_xla_failure(const XLA_FFI_Api *api, const @_xla_job *job, long failed) {
  char text[400];
  int used = snprintf(text, sizeof text, "@: ");
  if (job->n > 1) used += snprintf(text + used, sizeof text - (size_t)used, "sample %ld: ", failed);
  for (int k = 0; k < @_xla_INPUTS; ++k)
    for (long e = 0; e < @_xla_count[k]; ++e)
      if (!isfinite((@_xla_real)@_xla_get(&job->array[k], @_xla_row(job, k, failed) * @_xla_count[k] + e))) {
        snprintf(text + used, sizeof text - (size_t)used, "%.200s[%ld] is not finite", @_xla_names[k], e);
        return @_xla_error(api, XLA_FFI_Error_Code_INVALID_ARGUMENT, text);
      }
  snprintf(text + used, sizeof text - (size_t)used, "the results are not finite");
  return @_xla_error(api, XLA_FFI_Error_Code_INVALID_ARGUMENT, text);
}

static int @_xla_is_asked_what_it_is(XLA_FFI_CallFrame *frame) {
  XLA_FFI_Extension_Base *extension = frame->extension_start;
  if (!extension || extension->type != XLA_FFI_Extension_Metadata) return 0;
  XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *)(void *)extension)->metadata;
  metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  metadata->traits = 0;
  return 1;
}

/* Of the buffers; 0 where they are not what the text was written for. */
static int @_xla_read(XLA_FFI_CallFrame *frame, @_xla_job *job) {
  if (frame->args.size != @_xla_INPUTS || frame->rets.size != @_xla_OUTPUTS || @_xla_OUTPUTS == 0) return 0;
  const XLA_FFI_Buffer *shape = (const XLA_FFI_Buffer *)frame->rets.rets[0];
  job->axes = (int)(shape->rank - @_xla_core[@_xla_INPUTS]), job->n = 1;
  if (job->axes < 0 || job->axes > @_xla_AXES) return 0;
  for (int axis = 0; axis < job->axes; ++axis) job->n *= job->size[axis] = shape->dims[axis];
  for (int k = 0; k < @_xla_BOTH; ++k) {
    const XLA_FFI_Buffer *buffer = (const XLA_FFI_Buffer *)(k < @_xla_INPUTS ? frame->args.args[k] : frame->rets.rets[k - @_xla_INPUTS]);
    @_xla_array *a = &job->array[k];
    long rows = 1, count = 1;
    if (buffer->rank != job->axes + @_xla_core[k]) return 0;
    if (buffer->dtype != XLA_FFI_DataType_F64 && buffer->dtype != XLA_FFI_DataType_F32) return 0;
    a->data = (char *)buffer->data, a->wide = buffer->dtype == XLA_FFI_DataType_F64;
    for (int axis = job->axes; axis < buffer->rank; ++axis) count *= buffer->dims[axis];
    if (count != @_xla_count[k]) return 0;
    for (int axis = job->axes; axis-- > 0;) {
      const long size = buffer->dims[axis];
      if (size != job->size[axis] && (size != 1 || k >= @_xla_INPUTS)) return 0;
      a->stride[axis] = size == 1 ? 0 : rows;
      rows *= size;
    }
  }
  return 1;
}

/* One sample; `memory` where the stack is too small for it. */
static XLA_FFI_Error *@_xla_run_one(XLA_FFI_CallFrame *frame, @_xla_job *job, int strict) {
  @_xla_real numbers[$ALONE];
  char *memory = $ALONE_FITS ? 0 : @_xla_memory();
  if (!$ALONE_FITS && !memory) return @_xla_error(frame->api, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "@: no memory");
  @_xla_one(job, $ALONE_FITS ? numbers : (@_xla_real *)(void *)memory);
  free(memory);
  return strict && job->first_failure == 0 ? @_xla_failure(frame->api, job, 0) : 0;
}

static XLA_FFI_Error *@_xla_run_batch(XLA_FFI_CallFrame *frame, @_xla_job *alone, int strict) {
  XLA_FFI_Error *error = 0;
  @_xla_job *job = alone;
  char *memory = @_xla_memory();
  alone->chunk = 4 * @_xla_TILE;
  alone->chunks = (alone->n + alone->chunk - 1) / alone->chunk;
  if (memory && alone->n >= @_xla_shared_from && alone->chunks > 1) {
    job = (@_xla_job *)malloc(sizeof *job);
    if (job) *job = *alone, @_xla_ask_for_help(frame, job);
  }
  if (!memory || !job) {
    free(memory);
    return @_xla_error(frame->api, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "@: no memory");
  }
  @_xla_work(job, memory);
  while (__atomic_load_n(&job->done, __ATOMIC_ACQUIRE) < job->chunks) sched_yield(); /* helpers are at work */
  if (strict && job->first_failure < job->n) error = @_xla_failure(frame->api, job, job->first_failure);
  if (job != alone) @_xla_leave(job);
  free(memory);
  return error;
}

static XLA_FFI_Error *@_xla_run(XLA_FFI_CallFrame *frame, int strict) {
  @_xla_job job;
  if (@_xla_is_asked_what_it_is(frame)) return 0;
  if (!@_xla_read(frame, &job)) return @_xla_error(frame->api, XLA_FFI_Error_Code_INTERNAL, "@: buffers of other shapes");
  job.first_failure = job.n, job.next_chunk = 0, job.done = 0, job.holders = 1;
  if (job.n == 0) return 0;
  return job.n == 1 ? @_xla_run_one(frame, &job, strict) : @_xla_run_batch(frame, &job, strict);
}

XLA_FFI_Error *@_xla_nan(XLA_FFI_CallFrame *frame);
XLA_FFI_Error *@_xla_raise(XLA_FFI_CallFrame *frame);
XLA_FFI_Error *@_xla_nan(XLA_FFI_CallFrame *frame) { return @_xla_run(frame, 0); }
XLA_FFI_Error *@_xla_raise(XLA_FFI_CallFrame *frame) { return @_xla_run(frame, 1); }
"""

Shape = tuple[int, ...]


@functools.lru_cache(maxsize=1)
def _interface() -> str:
    """XLA's header, as text: a path may hold what command lines cannot."""
    ffi = importlib.import_module("jax.ffi")
    return (pathlib.Path(ffi.include_dir()) / "xla/ffi/api/c_api.h").read_text(encoding="utf-8")


def _size(shape: Shape) -> int:
    count = 1
    for n in shape:
        count *= n
    return count


def handler(name: str, inputs: Sequence[tuple[str, Shape]], outputs: Sequence[tuple[str, Shape]], dtype: str, operations: int, quaternions: Sequence[int]) -> str:
    """C behind the text of the program NAME: NAME_xla_nan and NAME_xla_raise. `quaternions`: where they begin in q, if they may have any norm."""
    both = [*inputs, *outputs]
    counts = [_size(shape) for _, shape in both]
    single = dtype == "float32"
    scratch = sum(counts)
    alone = scratch if scratch <= 4096 else 1
    values = {
        "INPUTS": str(len(inputs)),
        "OUTPUTS": str(len(outputs)),
        "TILE": "48" if single else "56",
        "VECTOR": "16" if single else "8",
        "REAL": "float" if single else "double",
        "COUNTS": ", ".join(map(str, counts)),
        "CORES": ", ".join(str(len(shape)) for _, shape in both),
        "NAMES": ", ".join(f'"{each}"' for each, _ in both),
        "WITH_QUATERNIONS": str([each for each, _ in inputs].index("q") if quaternions else -1),
        "N_QUATERNIONS": str(len(quaternions)),
        "QUATERNIONS": ", ".join(map(str, quaternions)) or "0",
        "SCRATCH": str(scratch),
        "SHARED_FROM": str(max(2, 200_000 // max(1, operations))),
        "SQRT": "sqrtf" if single else "sqrt",
        "ALONE_FITS": "1" if alone == scratch else "0",
        "ALONE": str(alone),
    }
    text = _TEXT
    for key in sorted(values, key=len, reverse=True):
        text = text.replace("$" + key, values[key])
    return _interface() + text.replace("@", name)
