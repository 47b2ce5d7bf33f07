#!/bin/sh
# Every kind of generated program: the counts in its manifest are those of its text, counted by another program.
#   recount.sh SPARSEDYN SOURCE_FOLDER PYTHON
set -eu
sparsedyn=$1 source=$2 python=$3
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

cat >"$work/noisy.json" <<'END'
{"name": "noisy", "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
END
for algorithm in rnea aba crba minverse rnea-derivatives aba-derivatives; do
  "$sparsedyn" generate "$source/robots/arm.urdf" --algorithm $algorithm --name "f$(echo $algorithm | tr - _)" --health --quiet -o "$work"
done
for algorithm in rnea aba-derivatives; do  # equal legs are lanes
  "$sparsedyn" generate "$source/robots/quadruped.urdf" --floating --algorithm $algorithm --name "legs_$(echo $algorithm | tr - _)" --quiet -o "$work"
done
"$sparsedyn" generate "$source/robots/arm.urdf" --algorithm rnea-second-derivatives --name second --quiet -o "$work"  # so are freedoms
"$sparsedyn" generate "$source/robots/arm.urdf" --algorithm rnea-derivatives --all-inputs --name wrenches --quiet -o "$work"
"$sparsedyn" generate "$source/robots/quadruped.urdf" --floating --sensors forward-dynamics --name q --quiet -o "$work"
"$sparsedyn" generate "$source/robots/arm.urdf" --sensors inverse-dynamics --outputs tau,f --all-inputs --name w --quiet -o "$work"
"$sparsedyn" generate "$source/robots/arm.urdf" --sensors "$work/noisy.json" --outputs tau,ddq --sd --name e --quiet -o "$work"
rm "$work/noisy.json"
"$python" "$source/bench/race/count_flops.py" --check "$work"/*.json
