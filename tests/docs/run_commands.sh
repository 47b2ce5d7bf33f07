#!/usr/bin/env bash
# Runs the commands that a page shows in its indented blocks, in order, in one empty folder: those of the program and of the
# examples, with the robots that ship. The reader's own robot and sensors (my.urdf, my-sensors.json) are the quadruped and its
# motors, and my.csv a log of theirs; what else a page takes for granted, tests/docs/own/PAGE.sh makes. A command with "…" in it
# is not whole, and is passed over, and so are ```console blocks, of a robot, a network or a package that is not here; where one of
# MORE_FILES is missing the page is not run (exit code 77). A ```json block before a command is the file that it reads by the name
# that the text gives it (standing.json). Long ranges of chains are cut short, and logs to 100 rows.
#   run_commands.sh PAGE SOURCE FOLDER_OF_THE_PROGRAM FOLDER_OF_THE_EXAMPLES [MORE_FILES …]
set -uo pipefail
page=$1 source=$2
for file in "${@:5}"; do
  [[ -e $file ]] || { echo "$page: not run: $file is missing"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/build"
ln -s "$source/robots" "$work/robots"
ln -s "$source/examples" "$work/examples"
ln -s "$3" "$work/build/tools"
ln -s "$4" "$work/build/examples"
cp "${@:5}" "$source/robots/quadruped.urdf" "$work"
cd "$work" || exit 1
mv quadruped.urdf my.urdf
cat >my-sensors.json <<'END'
{"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*"},
             {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
             {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
END
export PATH=$3:$PATH
sparsedyn simulate my.urdf --seconds 2 -o my.csv >/dev/null || exit 1
own=$source/tests/docs/own/$(basename "$page" .md).sh
if [[ -e $own ]]; then bash -e "$own" >/dev/null || { echo "$own failed"; exit 1; }; fi

# The last ```json block of the page.
awk '/^```json$/ { text = ""; inside = 1; next } /^```/ { inside = 0 } inside { text = text $0 "\n" } END { printf "%s", text }' \
  "$page" >standing.json

count=0
while IFS= read -r line; do
  command=$(sed -E 's/ +#.*//; s/--chain 2\.\.[0-9]+/--chain 2..4/; s/--seconds 40/--seconds 0.4/' <<<"$line")
  timeout 120 bash -c "$command" >out.txt 2>err.txt </dev/null || { echo "$page: exit code $?: $command"; cat out.txt err.txt; exit 1; }
  count=$((count + 1))
done < <(sed -E ':join; /^    .*\\$/ { N; s/\\\n */ /; b join }' "$page" |
  grep -E '^    (sparsedyn|build/tools/sparsedyn|build/examples/[a-z0-9_]+) ' | sed 's/^    //' | grep -v …)
((count)) || { echo "$page: no commands"; exit 1; }
echo "$page: $count commands ran as written"
