#!/usr/bin/env python3
"""Generated inverse dynamics as an external function of CasADi: its values, and the Jacobian that CasADi takes of it by finite
differences, against `sparsedyn compute`. Exit 77 (skipped) where CasADi or a C compiler is absent.

usage: casadi_external.py SPARSEDYN ROBOT.urdf
"""
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

try:
    import casadi
except ImportError:
    print('skipped: no CasADi (pip install casadi)')
    sys.exit(77)
if not shutil.which('cc'):
    print('skipped: no C compiler')
    sys.exit(77)

STATES = 20


def compute(program, robot, algorithm, log, folder):
    out = os.path.join(folder, algorithm + '.csv')
    subprocess.run([program, 'compute', algorithm, robot, '--log', log, '-o', out, '--quiet', '--json'], check=True,
                   stdout=subprocess.DEVNULL)
    with open(out) as file:
        return [{name: float(x) for name, x in row.items()} for row in csv.DictReader(file)]


def largest_difference(a, b):
    size = max(1.0, max(abs(x) for x in b))
    return max(abs(x - y) for x, y in zip(a, b)) / size


def main(program, robot):
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        subprocess.run([program, 'generate', robot, '--algorithm', 'rnea', '--name', 'id', '-o', folder, '--quiet'], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(['cc', '-O1', '-fPIC', '-shared', at('id.c'), '-o', at('id.so'), '-lm'], check=True)
        with open(at('id.json')) as file:
            inputs = json.load(file)['inputs']
        names = [e for port in inputs for e in port['elements']]
        n = len(inputs[0]['elements'])
        rng = random.Random(1)
        rows = [[rng.gauss(0, 1) for _ in names] for _ in range(STATES)]
        with open(at('log.csv'), 'w') as file:
            file.write('\n'.join([','.join(names)] + [','.join(map(repr, row)) for row in rows]) + '\n')
        truth = [compute(program, robot, a, at('log.csv'), folder) for a in ('rnea', 'crba', 'rnea-derivatives')]

        f = casadi.external('id', at('id.so'), {'enable_fd': True, 'fd_method': 'central'})
        assert [f.name_in(k) for k in range(f.n_in())] == [port['name'] for port in inputs], f
        assert [f.size1_in(k) for k in range(f.n_in())] == [len(port['elements']) for port in inputs], f
        x = [casadi.MX.sym(port['name'], n) for port in inputs]
        jacobian = casadi.Function('jacobian', x, [casadi.jacobian(f(*x), x[0]), casadi.jacobian(f(*x), x[2])])
        worst = [0.0, 0.0, 0.0]
        for row, tau, M, derivatives in zip(rows, *truth):
            arguments = [row[k * n:(k + 1) * n] for k in range(3)]
            by_q, by_a = (casadi.DM(J).full().ravel().tolist() for J in jacobian(*arguments))
            entries = [(r, c) for r in range(n) for c in range(n)]
            pairs = ((f(*arguments).full().ravel().tolist(), list(tau.values())),
                     (by_a, [M['M.%d.%d' % rc] for rc in entries]),
                     (by_q, [derivatives['dtau_dq.%d.%d' % rc] for rc in entries]))
            worst = [max(w, largest_difference(a, b)) for w, (a, b) in zip(worst, pairs)]
        print('CasADi %s, %d states: values %.1e, d/dddq %.1e, d/dq %.1e' % (casadi.__version__, STATES, *worst))
        return 0 if worst[0] < 1e-12 and worst[1] < 1e-6 and worst[2] < 1e-5 else 1


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
