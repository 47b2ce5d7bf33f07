#!/usr/bin/env python3
"""Races generated code against peers' C on the same states, in one process: flops, ns a sample, ns a sample in batches.

usage: race.py PEERS ROBOTS [--program build/tools/sparsedyn] [--cc clang] [--only TEXT] [--processes 7] [--distinct]
  PEERS   a folder of NAME.c, `void NAME(const double *in, double *out)`, straight-line, with NAME.json: function, robot,
          algorithm (rnea, aba, crba, crba_fd, rnea_derivatives, aba_derivatives), floating, and `in` and `out`, the names of
          the elements: columns of logs, entries of matrices as KIND[ROW,COLUMN] by names of velocities
  ROBOTS  a folder of ROBOT.urdf
  --distinct   ours writes equal results once, as most peers write the upper triangle of M alone

Both texts are compiled apart with the same flags (-O3 -march=native -ffp-contract=fast) and called in turn; times are medians
of several processes, each linked with another gap between the functions, because where code lies changes its time. Differences
below 5% (10% in batches) are noise. Batches: N_batch against the peer's text on vectors of 8 doubles, both on structures of
arrays. Exit 1 where the results differ or a flop count in a manifest is not that of the text.
"""
import argparse
import array
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import count_flops  # noqa: E402

FLAGS = ['-O3', '-march=native', '-ffp-contract=fast']
STATES = 520  # not a power of two: a structure of arrays would crowd few sets of the cache


def elements(ports):
    return [e for port in ports for e in port['elements']]


def random_state(names, rng):
    """A value for each name; quaternions of unit norm."""
    value = {n: rng.gauss(0, 10 if n.startswith('tau.') else 1) for n in names}
    for x in [n for n in names if n.endswith('.qx')]:
        four = [x[:-1] + c for c in 'xyzw']
        norm = sum(value[f] ** 2 for f in four) ** 0.5
        value.update({f: value[f] / norm for f in four})
    return value


def peer_index(element, peer, velocities):
    """Where the peer has this output, or None where it is zero for it."""
    entry = re.fullmatch(r'([A-Za-z_]+)\.(\d+)\.(\d+)', element)
    if not entry:
        return peer['out'].index(element)
    kind = 'Minv' if entry.group(1) == 'dddq_dtau' else entry.group(1)
    row, column = (velocities[int(k)] for k in entry.groups()[1:])
    names = ['%s[%s,%s]' % (kind, row, column)]
    if kind in peer.get('symmetric', []):
        names.append('%s[%s,%s]' % (kind, column, row))
    return next((peer['out'].index(n) for n in names if n in peer['out']), None)


def in_lanes(text, name):
    """The peer's text with a lane in place of each double."""
    body = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    body = body[body.index('{') + 1:body.rindex('}')].replace('double v[', 'lane v[')
    body = re.sub(r'\b(in|out)\[(\d+)\]', r'\1[@\2@ * m]', body)
    body = re.sub(r'\[(\d+)\]', r'[@\1@]', body)
    body = re.sub(r'(?<![\w.@])(?<![eE][-+])(\d+)(?![\w.@])', r'\1.0', body)  # 2 * x: numbers, not integers
    body = re.sub(r'= (-? ?[\d.eE+-]+);', r'= \1 + (lane){0};', body)
    angles = sorted(set(re.findall(r'(?:sin|cos)\((in\[@\d+@ \* m\])\)', body)))
    for k, angle in enumerate(angles):
        body = body.replace('sin(%s)' % angle, 'sine[%d]' % k).replace('cos(%s)' % angle, 'cosine[%d]' % k)
    turns = ''.join('  turned(%s, sine + %d, cosine + %d);\n' % (a, k, k) for k, a in enumerate(angles))
    table = '  lane sine[%d], cosine[%d];\n' % (len(angles) + 1, len(angles) + 1)
    return '''#include "lanes.h"
static void one(const lane *restrict in, lane *restrict out, long m) {
%s}
void %s_lanes(const double *in, double *out, long n) {
  for (long b = 0; b < n / 8; ++b) one((const lane *)in + b, (lane *)out + b, n / 8);
}
''' % ((table + turns + body).replace('@', ''), name)


def race_header(ours, peer):
    lengths = {k: ', '.join(str(len(p['elements'])) for p in ours[k]) for k in ('inputs', 'outputs')}
    return '''#define OURS %s
#define OURS_BATCH %s_batch
#define PEER %s
#define PEER_BATCH %s_lanes
#define IN_LENGTHS {%s}
#define OUT_LENGTHS {%s}
enum { STATES = %d, N_IN = %d, N_OUT = %d, OURS_IN = %d, OURS_OUT = %d, PEER_IN = %d, PEER_OUT = %d };
''' % (ours['function'], ours['function'], peer['function'], peer['function'], lengths['inputs'], lengths['outputs'], STATES,
       len(ours['inputs']), len(ours['outputs']), len(elements(ours['inputs'])), len(elements(ours['outputs'])),
       len(peer['in']), len(peer['out']))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit('%s\n%s' % (' '.join(command), done.stderr))
    return done.stdout


def generate(peer, options, folder):
    algorithm = {'crba_fd': 'aba'}.get(peer['algorithm'], peer['algorithm'].replace('_', '-'))
    name = '%s_%s' % (peer['robot'], peer['algorithm'])
    run(options.program, 'generate', os.path.join(options.robots, peer['robot'] + '.urdf'), '--algorithm', algorithm, '--name',
        name, '-o', folder, '--quiet', *(['--floating'] if peer['floating'] else []), *(['--distinct'] if options.distinct else []))
    with open(os.path.join(folder, name + '.json')) as file:
        return json.load(file)


def build(ours, peer, options, folder):
    """One program a process."""
    at = lambda name: os.path.join(folder, name)
    with open(os.path.join(options.peers, peer['function'] + '.c')) as file:
        text = file.read()
    for name, content in (('peer.c', text), ('peer_lanes.c', in_lanes(text, peer['function'])), ('race.h', race_header(ours, peer))):
        with open(at(name), 'w') as file:
            file.write(content)
    sources = {'ours.o': at(ours['function'] + '.c'), 'peer.o': at('peer.c'), 'peer_lanes.o': at('peer_lanes.c'),
               'driver.o': os.path.join(HERE, 'driver.c')}
    for target, source in sources.items():
        run(options.cc, '-std=gnu99', *FLAGS, '-w', '-I', HERE, '-I', folder, '-c', source, '-o', at(target))
    programs = []
    for p in range(options.processes):
        with open(at('gap.c'), 'w') as file:
            file.write('__asm__(".text\\n.space %d, 0x90\\n");\n' % (64 * p + 16 * (p % 3)))
        run(options.cc, '-c', at('gap.c'), '-o', at('gap.o'))
        order = ['ours.o', 'gap.o', 'peer.o'] if p % 2 else ['peer.o', 'gap.o', 'ours.o']
        programs.append(at('race%d' % p))
        run(options.cc, at('driver.o'), *[at(o) for o in order], at('peer_lanes.o'), '-lm', '-o', programs[-1])
    return programs


def write_states(ours, peer, path):
    rng = random.Random(1)
    mine = elements(ours['inputs'])
    rows = [random_state(sorted(set(mine + peer['in'])), rng) for _ in range(STATES)]
    for row in rows:  # what only one of the two reads is zero
        row.update({n: 0.0 for n in peer['in'] if n not in mine})
    with open(path, 'wb') as file:
        for names in (mine, peer['in']):
            array.array('d', [row[n] for row in rows for n in names]).tofile(file)


def equal_results(ours, peer):
    """Of results that ours leaves out: where the peer has each, the element of ours that it equals, and its sign."""
    known, found = elements(ours['outputs']), []
    for line in ours.get('equal', []):
        name, of = line.split(' = ')
        index = peer_index(name, peer, ours['velocity_names'])
        if index is not None and of.lstrip('-') in known:
            found.append((index, known.index(of.lstrip('-')), -1 if of.startswith('-') else 1))
    return found


def worst_difference(path, ours, peer):
    """Of the three other results from the peer's scalar ones, relative to the largest of a state."""
    match = [peer_index(e, peer, ours['velocity_names']) for e in elements(ours['outputs'])]
    copies = equal_results(ours, peer)
    left_out = [name for k, name in enumerate(peer['out']) if k not in match and k not in [c[0] for c in copies]]
    if left_out:
        raise SystemExit('%s has %s, %d results in all, that ours lacks' % (peer['function'], left_out[0], len(left_out)))
    n, m = len(match), len(peer['out'])
    values = array.array('d')
    with open(path, 'rb') as file:
        values.fromfile(file, 2 * STATES * (n + m))
    scalar, reference = values[:STATES * n], values[STATES * n:STATES * (n + m)]
    batch, lanes = values[STATES * (n + m):STATES * (2 * n + m)], values[STATES * (2 * n + m):]
    worst = 0.0
    for s in range(STATES):
        row = reference[s * m:(s + 1) * m]
        size = max(map(abs, row)) or 1.0
        differences = [abs(x - (0.0 if k is None else row[k])) for e, k in enumerate(match)
                       for x in (scalar[s * n + e], batch[e * STATES + s])]
        differences += [abs(sign * scalar[s * n + e] - row[k]) for k, e, sign in copies]
        differences += [abs(lanes[k * STATES + s] - row[k]) for k in range(m)]
        worst = max([worst] + [d / size if d == d else float('inf') for d in differences])
    return worst


def race(peer, options):
    with tempfile.TemporaryDirectory() as folder:
        ours = generate(peer, options, folder)
        counts_hold = count_flops.holds(os.path.join(folder, ours['function'] + '.json'))
        states, results = os.path.join(folder, 'states'), os.path.join(folder, 'results')
        write_states(ours, peer, states)
        times = [[float(x) for x in run(program, states, results).split()] for program in build(ours, peer, options, folder)]
        difference = worst_difference(results, ours, peer)
        with open(os.path.join(folder, 'peer.c')) as file:
            theirs = count_flops.count(file.read(), peer['function'])
    flops = [sum(c[k] for k in ('mul', 'add', 'div', 'sqrt')) for c in (ours['flops'], theirs)]
    middle = [statistics.median(t[k] for t in times) for k in range(4)]
    ratio = [statistics.median(t[k] / t[k + 1] for t in times) for k in (0, 2)]
    print('%-26s %7d / %-7d %.3f   %8.1f / %-8.1f %.2f   %8.1f / %-8.1f %.2f   %.0e' % (
        peer['function'], *flops, flops[0] / flops[1], *middle[:2], ratio[0], *middle[2:], ratio[1], difference), flush=True)
    tolerance = max(1e-9, 1000 * peer.get('snapped', {}).get('largest_change', 0))
    return counts_hold and difference <= tolerance


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('peers')
    parser.add_argument('robots')
    parser.add_argument('--program', default='build/tools/sparsedyn')
    parser.add_argument('--cc', default='clang')
    parser.add_argument('--only', default='', help='peers whose name holds this text')
    parser.add_argument('--processes', type=int, default=7)
    parser.add_argument('--distinct', action='store_true')
    options = parser.parse_args()
    names = sorted(n for n in os.listdir(options.peers) if n.endswith('.json') and options.only in n)
    print('ours / peer, ratio         flops                     ns, one sample               ns, batch                    difference')
    fine = True
    for name in names:
        with open(os.path.join(options.peers, name)) as file:
            fine = race(json.load(file), options) and fine
    return 0 if fine else 1


if __name__ == '__main__':
    sys.exit(main())
