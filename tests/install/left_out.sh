#!/usr/bin/env bash
# A program of some commands (tools/build main-job) names what it lacks, and which option of CMake brings it.
#   left_out.sh PROGRAM
set -uo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect CODE WORDS ARGUMENT …: the program ends with that code and says the words.
expect() {
  local code=$1 words=$2
  shift 2
  "$program" "$@" >"$work/said" 2>&1
  local found=$?
  if ((found != code)) || ! grep -qF -- "$words" "$work/said"; then
    echo "sparsedyn $*: exit $found; expected $code and: $words"; cat "$work/said"; failed=1
  fi
}

expect 0 "optimise" --help
expect 0 "Left out of this build" --help
expect 0 "generate: -DSPARSEDYN_CODEGEN=ON" --help
for command in generate flops; do
  expect 2 "$command: left out of this build; expected one that was configured with -DSPARSEDYN_CODEGEN=ON" "$command" --help
done
for command in identify excite; do
  expect 2 "$command: left out of this build; expected one that was configured with -DSPARSEDYN_IDENTIFICATION=ON" "$command"
done
expect 2 "live: left out of this build; expected one that was configured with -DSPARSEDYN_LIVE=ON" live
for command in simulate differentiate inspect sensors; do
  expect 2 "$command: left out of this build; expected one that was configured with -DSPARSEDYN_COMMANDS=all" "$command" robots/arm.urdf
done
expect 2 "generat: not a command" generat
arm=(robots/arm.urdf --sensors inverse-dynamics)
expect 2 "--compiled: left out" solve "${arm[@]}" --log robots/arm.csv -o "$work/out.csv" --compiled
expect 2 "--cost folded: left out" optimise "${arm[@]}" -o "$work/plan.json" --cost folded
expect 2 "--base-parameters: left out" info robots/arm.urdf --base-parameters
for algorithm in rnea-second-derivatives aba-second-derivatives christoffel; do
  expect 2 "compute $algorithm: left out of this build; expected one that was configured with -DSPARSEDYN_SECOND_DERIVATIVES=ON" \
    compute "$algorithm" robots/arm.urdf --log robots/arm.csv -o "$work/out.csv"
done
expect 0 "contact-dynamics: 125 rows, 0 failed" compute contact-dynamics robots/quadruped.urdf --floating \
  --constraints examples/constraints/quadruped.json --log robots/quadruped.csv -o "$work/contacts.csv"
expect 0 "determined" check "${arm[@]}"
expect 0 "mass" info robots/arm.urdf
[[ ! -e $work/out.csv && ! -e $work/plan.json ]] || { echo "what is refused left a file"; failed=1; }
((failed)) || echo "what is left out is named"
exit "$failed"
