#!/usr/bin/env python3
"""Counts the floating-point operations in straight-line C, independently of what wrote it.

usage: count_flops.py FILE.c FUNCTION            one JSON object: mul, add, div, sqrt, trig
       count_flops.py --check MANIFEST.json...   exit 1 where "flops" is not what the text beside it holds

The body of FUNCTION, and those of the file's functions that it calls, once a call. Sums and differences are `add`; a sign, an
index, arithmetic on pointers and integers, a product by 1 or -1 and one of two numbers are nothing. sin and cos count one each.
Of `#if defined(X_VECTORS) … #else … #endif` the plain part is counted; for "flops_in_lanes" of a manifest the other one, in which an
operation counts once for each lane of its result.
"""
import json
import os
import re
import sys

KINDS = ('mul', 'add', 'div', 'sqrt', 'trig')
OPERATORS = {'*': 'mul', '+': 'add', '-': 'add', '/': 'div'}
FUNCTIONS = {'sqrt': 'sqrt', 'sin': 'trig', 'cos': 'trig'}
TOKEN = re.compile(r'\d+\.?\d*(?:[eE][+-]?\d+)?[uUlLfF]*|\.\d+(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|[-+*/(),=?:]')
# A statement that handles integers or pointers: nothing in it is counted but the calls.
BOOKKEEPING = re.compile(r'^\s*(?:static\s+)?(?:const\s+)?(?:(?:unsigned |long |int |char )|double \*|for|memcpy|return|#)')


def chosen(text, vectors):
    """The text with one part of each #if on X_VECTORS that has two, and a name for each vector of given lanes."""
    form = re.compile(r'^#if defined\(\w+_VECTORS\)\n((?:(?!#)[^\n]*\n)*)#else\n((?:(?!#)[^\n]*\n)*)#endif\n', flags=re.M)
    text = form.sub(lambda m: m.group(1 if vectors else 2), text)
    text = re.sub(r' - \(\w+_branches\)\{0\}', '', text)  # a number in all lanes
    text = re.sub(r'\*\(\w+_anywhere\d* \*\)\([^()]*\) =', 'stored =', text)
    text = re.sub(r'\b\w+_PERMUTED\([^()]*\)', 'gathered', text)
    return re.sub(r'\(\w+_(?:branches|first\d)\)\{[^{}]*\}', 'gathered', text)


def lanes_of(text, name):
    """How many numbers a vector of type `name` has."""
    return int(re.search(r'typedef double %s __attribute__\(\(vector_size\((\d+)\)\)\)' % name, text).group(1)) // 8


def functions(text):
    """{name: body} of a file whose functions begin and end at the start of a line."""
    text = re.sub(r'/\*.*?\*/|//[^\n]*', ' ', text, flags=re.S)
    found = re.finditer(r'^[A-Za-z_][^;{}]*?\b(\w+)\([^;{}]*\)\s*\{\n(.*?)^\}', text, flags=re.S | re.M)
    return {m.group(1): m.group(2) for m in found}


def is_operand(token):
    return token is not None and (token == ')' or token[0].isalnum() or token[0] in '_.')


def is_one(tokens, i):
    """Whether the operand that begins at token i is the number 1, with or without a sign."""
    while i < len(tokens) and tokens[i] in '+-':
        i += 1
    return i < len(tokens) and re.fullmatch(r'1(\.0*)?', tokens[i]) is not None


def begins_with_one(tokens, i):
    """Whether all that stands before operator i in its product is the number 1."""
    before = i - 2
    while before > 0 and tokens[before] == '-':
        before -= 1
    return is_one(tokens, i - 1) and (before < 0 or tokens[before] not in '*/')


def of_numbers(tokens, i):
    """Whether operator i joins the first two factors of a product, and both are numbers: compilers do that themselves."""
    right = i + 2 if tokens[i + 1] in '+-' else i + 1
    number = [re.match(r'\d|\.\d', tokens[k]) is not None for k in (i - 1, right)]
    first = i < 2 or tokens[i - 2] not in '*/'
    return all(number) and first


def count_statement(statement, counts, calls, bodies, text):
    wide = re.match(r'\s*(?:const )?(\w+_branches) ', statement)
    width = lanes_of(text, wide.group(1)) if wide else 1
    statement = re.sub(r'\[[^\]]*\]', '', statement)  # an index
    bookkeeping = BOOKKEEPING.match(statement)
    tokens = TOKEN.findall(statement)
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else None
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        if after == '(' and token in FUNCTIONS:
            counts[FUNCTIONS[token]] += width
        elif after == '(' and token in bodies:
            calls.append(token)
        elif token in OPERATORS and is_operand(before) and not bookkeeping:
            free = token in '*/' and (of_numbers(tokens, i) or is_one(tokens, i + 1) or
                                      token == '*' and begins_with_one(tokens, i))
            counts[OPERATORS[token]] += 0 if free else width


def count(text, function, vectors=False):
    text = chosen(text, vectors)
    bodies = functions(text)
    total = dict.fromkeys(KINDS, 0)
    calls = [function]
    while calls:
        for statement in re.split(r'[;{}]', bodies[calls.pop()]):
            count_statement(statement, total, calls, bodies, text)
    return total


def holds(manifest_path):
    with open(manifest_path) as file:
        manifest = json.load(file)
    with open(os.path.splitext(manifest_path)[0] + '.c') as file:
        text = file.read()
    fine = True
    for key in [k for k in ('flops', 'flops_in_lanes') if k in manifest]:
        counted = count(text, manifest['function'], key != 'flops')
        if counted != manifest[key]:
            print('%s: manifest %s %s, text %s' % (manifest_path, key, manifest[key], counted))
            fine = False
    return fine


def main(arguments):
    if len(arguments) > 1 and arguments[0] == '--check':
        return 0 if all([holds(path) for path in arguments[1:]]) else 1
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0]) as file:
        print(json.dumps(count(file.read(), arguments[1])))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
