"""What XLA's handler of a program does with the buffers of a call: C, completed by _jax_handler.py.

Buffers are row-major: leading axes are the batch, of length 1 where an operand is one for all samples. A sample alone is computed
by NAME, in place where buffers have the program's own type; batches go in tiles, turned into structures of arrays, to NAME_batch, on
the threads of XLA's pool where there is enough to do. A tile is always computed in whole vectors, so that a sample's numbers do
not depend on its place in a batch.

A quaternion u of q may have any length but zero. Texts of derivatives scale u themselves, as 1 / sqrt(u . u), so u comes to them as
w = u / 2^e where its squares could leave the range of numbers. What the text computes is a function of u/|u| = w/|w|: all that is
derived from q (tangents, derivatives by q, their multipliers) is divided by the same 2^e, which is exact. The program's own text
expects norm 1 and gets w/|w|.
"""

TEXT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

int sched_yield(void); /* POSIX's, which C99 hides */

enum { @_xla_INPUTS = $INPUTS, @_xla_OUTPUTS = $OUTPUTS, @_xla_BOTH = @_xla_INPUTS + @_xla_OUTPUTS, @_xla_AXES = 32, @_xla_TILE = $TILE, @_xla_VECTOR = $VECTOR };
typedef $REAL @_xla_real;
/* Numbers of one sample, and its axes; where quaternions begin in q, and in all that is derived from q. */
static const long @_xla_count[@_xla_BOTH] = {$COUNTS};
static const int @_xla_core[@_xla_BOTH] = {$CORES};
static const char *const @_xla_names[@_xla_BOTH] = {$NAMES};
static const int @_xla_q = $PLACE_OF_Q, @_xla_of_q[@_xla_BOTH] = {$FROM_Q}, @_xla_to_norm_one = $TO_NORM_ONE;
static const int @_xla_quaternions = $N_QUATERNIONS, @_xla_quaternion[] = {$QUATERNIONS};
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

/* x as the array holds it. */
static double @_xla_stored(const @_xla_array *a, double x) { return a->wide ? x : (double)(float)x; }

/* e of the largest number of a quaternion where squares, and quotients by them, might leave the range of numbers; else 0. */
static int @_xla_exponent(const @_xla_job *job, long s, int j) {
  const long from = @_xla_row(job, @_xla_q, s) * @_xla_count[@_xla_q] + @_xla_quaternion[j];
  double most = 0;
  int exponent = 0;
  for (int m = 0; m < 4; ++m) {
    const double size = fabs(@_xla_get(&job->array[@_xla_q], from + m));
    most = size > most ? size : most;
  }
  if (most == 0 || isinf(most) || (most > 1e-3 && most < 1e3)) return 0;
  (void)frexp(most, &exponent);
  return exponent;
}

/* Results that are derived from q, of w, become those of u. */
static void @_xla_of_u(const @_xla_job *job, int k, long s, @_xla_real *x, long step) {
  for (int j = 0; @_xla_of_q[k] && j < @_xla_quaternions; ++j) {
    const int exponent = @_xla_exponent(job, s, j);
    for (int m = 0; exponent && m < 4; ++m) {
      @_xla_real *each = x + (@_xla_quaternion[j] + m) * step;
      *each = (@_xla_real)ldexp(*each, -exponent);
    }
  }
}

/* Element by element from a row, `step` apart. */
static void @_xla_fetch(const @_xla_job *job, int k, long s, @_xla_real *to, long step) {
  const @_xla_array *a = &job->array[k];
  const long count = @_xla_count[k], from = @_xla_row(job, k, s) * count;
  if (a->wide)
    for (long e = 0; e < count; ++e) to[e * step] = (@_xla_real)((const double *)a->data)[from + e];
  else
    for (long e = 0; e < count; ++e) to[e * step] = (@_xla_real)((const float *)a->data)[from + e];
  for (int j = 0; @_xla_of_q[k] && j < @_xla_quaternions; ++j) {
    const int exponent = @_xla_exponent(job, s, j);
    @_xla_real *u = to + @_xla_quaternion[j] * step;
    for (int m = 0; exponent && m < 4; ++m) u[m * step] = (@_xla_real)ldexp(@_xla_get(a, from + @_xla_quaternion[j] + m), -exponent);
    if (k != @_xla_q) continue;
    const @_xla_real squares = u[0] * u[0] + u[step] * u[step] + u[2 * step] * u[2 * step] + u[3 * step] * u[3 * step];
    const @_xla_real scale = squares == 0 ? (@_xla_real)NAN : @_xla_to_norm_one ? 1 / $SQRT(squares) : 1; /* zero has no direction */
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
    if (job->array[k].wide == (sizeof(@_xla_real) == sizeof(double)) && !@_xla_of_q[k]) {
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
  for (int k = 0; k < @_xla_OUTPUTS; ++k) {
    @_xla_of_u(job, @_xla_INPUTS + k, 0, res[k], 1);
    for (long e = 0; e < @_xla_count[@_xla_INPUTS + k]; ++e) {
      sum += (@_xla_real)@_xla_stored(&job->array[@_xla_INPUTS + k], res[k][e]) * 0;
      if (!in_place[k]) @_xla_put(&job->array[@_xla_INPUTS + k], e, res[k][e]);
    }
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
    for (long s = 0; s < n; ++s) @_xla_of_u(job, @_xla_INPUTS + k, first + s, res[k] + s, wide);
    for (long e = 0; e < count; ++e)
      for (long s = 0; s < n; ++s) {
        const @_xla_real x = res[k][e * wide + s];
        sum[s] += (@_xla_real)@_xla_stored(a, x) * 0;
        @_xla_put(a, (first + s) * count + e, x);
      }
  }
  for (long s = 0; s < n; ++s)
    if (sum[s] != 0) @_xla_fail(job, first + s);
}

"""
