"""The C text that stands behind a program's own, so that XLA can call it: a handler of XLA's foreign-function interface."""

from __future__ import annotations

import functools
import importlib
import pathlib
from typing import TYPE_CHECKING

from ._derived import COORDINATE_INPUTS
from ._jax_samples import TEXT

if TYPE_CHECKING:
    from ._derived import Derived

_CALLS = r"""
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
    for (long e = 0; e < @_xla_count[k]; ++e) {
      const double x = @_xla_get(&job->array[k], @_xla_row(job, k, failed) * @_xla_count[k] + e);
      if (isfinite(x) && (@_xla_of_q[k] || isfinite((@_xla_real)x))) continue;
      snprintf(text + used, sizeof text - (size_t)used, "%.200s[%ld] is not finite", @_xla_names[k], e);
      return @_xla_error(api, XLA_FFI_Error_Code_INVALID_ARGUMENT, text);
    }
  for (int j = 0; j < @_xla_quaternions; ++j) {
    const int at = @_xla_quaternion[j];
    double sum = 0;
    for (int m = 0; m < 4; ++m) sum += fabs(@_xla_get(&job->array[@_xla_q], @_xla_row(job, @_xla_q, failed) * @_xla_count[@_xla_q] + at + m));
    if (sum != 0) continue;
    snprintf(text + used, sizeof text - (size_t)used, "q[%d:%d] is zero; expected a quaternion", at, at + 4);
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


def handler(code: Derived, operations: int) -> str:
    """C behind the text of the program NAME, of so many operations: NAME_xla_nan and NAME_xla_raise."""
    name, inputs, outputs, quaternions = code.name, code.inputs, code.outputs, code.quaternions()
    both = [*inputs, *outputs]
    counts = [_size(shape) for _, shape in both]
    single = code.program.dtype == "float32"
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
        "PLACE_OF_Q": str([each in COORDINATE_INPUTS for each, _ in inputs].index(True) if quaternions else 0),
        "FROM_Q": ", ".join("1" if each and quaternions else "0" for each in code.of_q),
        "TO_NORM_ONE": "0" if code.letters else "1",
        "N_QUATERNIONS": str(len(quaternions)),
        "QUATERNIONS": ", ".join(map(str, quaternions)) or "0",
        "SCRATCH": str(scratch),
        "SHARED_FROM": str(max(2, 200_000 // max(1, operations))),
        "SQRT": "sqrtf" if single else "sqrt",
        "ALONE_FITS": "1" if alone == scratch else "0",
        "ALONE": str(alone),
    }
    text = TEXT + _CALLS
    for key in sorted(values, key=len, reverse=True):
        text = text.replace("$" + key, values[key])
    return _interface() + text.replace("@", name)
