/* Times a generated function and a peer's in turn, in one process, at the same states, one sample a call and in batches.
   usage: driver STATES RESULTS. race.h, written by race.py, names the functions and their sizes. Prints ns a sample: generated,
   peer, generated batch, peer's batch (medians over repetitions); RESULTS gets what each of the four computed. */
#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "race.h"

enum { REPETITIONS = 9 };
static const double block_ns = 1e6; /* of one timing */

int OURS(const double** arg, double** res, long long* iw, double* w, int mem);
void OURS_BATCH(const double* const* arg, double* const* res, long n);
void PEER(const double* in, double* out);
void PEER_BATCH(const double* in, double* out, long n);

static const int in_length[] = IN_LENGTHS, out_length[] = OUT_LENGTHS;
static double ours_in[STATES * OURS_IN], ours_out[STATES * OURS_OUT], peer_in[STATES * PEER_IN], peer_out[STATES * PEER_OUT];
static double ours_in_soa[STATES * OURS_IN] __attribute__((aligned(64))),
    ours_out_soa[STATES * OURS_OUT] __attribute__((aligned(64)));
static double peer_in_soa[STATES * PEER_IN] __attribute__((aligned(64))),
    peer_out_soa[STATES * PEER_OUT] __attribute__((aligned(64)));

static void ours(void) {
  for (int s = 0; s < STATES; ++s) {
    const double *arg[N_IN], *in = ours_in + s * OURS_IN;
    double *res[N_OUT], *out = ours_out + s * OURS_OUT;
    for (int k = 0; k < N_IN; in += in_length[k++]) arg[k] = in;
    for (int k = 0; k < N_OUT; out += out_length[k++]) res[k] = out;
    OURS(arg, res, 0, 0, 0);
  }
}
static void peer(void) {
  for (int s = 0; s < STATES; ++s) PEER(peer_in + s * PEER_IN, peer_out + s * PEER_OUT);
}
static void ours_batch(void) {
  const double *arg[N_IN], *in = ours_in_soa;
  double *res[N_OUT], *out = ours_out_soa;
  for (int k = 0; k < N_IN; in += (long)STATES * in_length[k++]) arg[k] = in;
  for (int k = 0; k < N_OUT; out += (long)STATES * out_length[k++]) res[k] = out;
  OURS_BATCH(arg, res, STATES);
}
static void peer_batch(void) { PEER_BATCH(peer_in_soa, peer_out_soa, STATES); }

static void (*const contenders[4])(void) = {ours, peer, ours_batch, peer_batch};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
static double timed(void (*run)(void), long times) {
  run();
  const double start = now();
  for (long i = 0; i < times; ++i) run();
  return (now() - start) / ((double)times * STATES);
}
static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* sample s, element e: from s * n + e to e * STATES + s */
static void transpose(const double* from, double* to, int n) {
  for (int s = 0; s < STATES; ++s)
    for (int e = 0; e < n; ++e) to[(long)e * STATES + s] = from[(long)s * n + e];
}

int main(int argc, char** argv) {
  FILE* file = argc == 3 ? fopen(argv[1], "rb") : 0;
  if (!file || fread(ours_in, sizeof ours_in, 1, file) != 1 || fread(peer_in, sizeof peer_in, 1, file) != 1) return 1;
  transpose(ours_in, ours_in_soa, OURS_IN);
  transpose(peer_in, peer_in_soa, PEER_IN);
  static double ns[4][REPETITIONS];
  long times[4];
  for (int k = 0; k < 4; ++k) times[k] = 1 + (long)(block_ns / STATES / timed(contenders[k], 1));
  for (int r = 0; r < REPETITIONS; ++r)
    for (int k = 0; k < 4; ++k) {
      const int turn = r % 2 ? 3 - k : k;
      ns[turn][r] = timed(contenders[turn], times[turn]);
    }
  for (int k = 0; k < 4; ++k) {
    qsort(ns[k], REPETITIONS, sizeof(double), by_size);
    printf("%.3f ", ns[k][REPETITIONS / 2]);
  }
  file = fopen(argv[2], "wb");
  if (!file || fwrite(ours_out, sizeof ours_out, 1, file) != 1 || fwrite(peer_out, sizeof peer_out, 1, file) != 1 ||
      fwrite(ours_out_soa, sizeof ours_out_soa, 1, file) != 1 || fwrite(peer_out_soa, sizeof peer_out_soa, 1, file) != 1)
    return 1;
  return fclose(file) != 0;
}
