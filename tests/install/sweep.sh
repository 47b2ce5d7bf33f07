#!/usr/bin/env bash
# A sanitized program over the robots that ship, and over files that were cut short or altered: it answers, or says what is
# wrong with them (exit codes 0, 1, 3, 4), and no sanitizer finds anything.
#   sweep.sh PROGRAM
set -uo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS=exitcode=99:${ASAN_OPTIONS:-} UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
runs=0 failed=0

# run CODES ARGUMENT …: the program ends with one of these codes.
run() {
  local codes=$1
  shift
  "$program" "$@" >"$work/said" 2>&1
  local found=$?
  runs=$((runs + 1))
  if [[ " $codes " != *" $found "* ]] || grep -q 'runtime error:\|Sanitizer' "$work/said"; then
    echo "sparsedyn $*: exit $found; expected one of: $codes"; tail -30 "$work/said"; failed=1
  fi
}

algorithms=(rnea aba crba minverse rnea-derivatives aba-derivatives coriolis hamilton regressor kinematics energy momentum)
for name in arm quadruped humanoid; do
  robot=(robots/$name.urdf)
  [[ $name == arm ]] || robot+=(--floating)
  head -n 4 robots/$name.csv >"$work/log.csv"
  run 0 info "${robot[@]}" --json
  for algorithm in "${algorithms[@]}"; do run 0 compute $algorithm "${robot[@]}" --log "$work/log.csv" -o "$work/out.csv"; done
  for sensors in inverse-dynamics forward-dynamics; do
    run 0 check "${robot[@]}" --sensors $sensors
    run 0 optimise "${robot[@]}" --sensors $sensors -o "$work/plan.json"
    run 0 solve "${robot[@]}" --sensors $sensors --plan "$work/plan.json" --log "$work/log.csv" -o "$work/out.csv" --sd
  done
  constraints=examples/constraints/$name.json
  [[ -e $constraints ]] || continue
  run 0 optimise "${robot[@]}" --constraints $constraints -o "$work/plan.json"
  for algorithm in contact-dynamics contact-inverse-dynamics contact-derivatives; do
    run 0 compute $algorithm "${robot[@]}" --constraints $constraints --plan "$work/plan.json" --log "$work/log.csv" -o "$work/out.csv"
  done
done
run 0 check robots/four-bar.urdf --constraints examples/constraints/four-bar.json

# wrong FILE ARGUMENT …: the file cut short at many places, and with characters put in; @ stands for it.
wrong() {
  local file=$1 size at
  shift
  size=$(stat -c %s "$file")
  for ((k = 0; k < 24; ++k)); do
    at=$((size * k / 24 + k))
    head -c $at "$file" >"$work/cut"
    { head -c $at "$file"; printf '%s' '-1e999"<,{'; tail -c +$((at + 2)) "$file"; } >"$work/altered"
    run "0 1 3 4" "${@//@/$work/cut}"
    run "0 1 3 4" "${@//@/$work/altered}"
  done
}
head -n 3 robots/arm.csv >"$work/short.csv"
run 0 optimise robots/arm.urdf --sensors forward-dynamics -o "$work/good.json"
wrong robots/four-bar.urdf info @
wrong "$work/short.csv" compute aba robots/arm.urdf --log @ -o "$work/out.csv"
wrong "$work/good.json" solve robots/arm.urdf --sensors forward-dynamics --plan @ --log "$work/short.csv" -o "$work/out.csv"
wrong examples/constraints/four-bar.json check robots/four-bar.urdf --constraints @
echo "$runs runs of the sanitized program"
exit $failed
