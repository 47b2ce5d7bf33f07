#!/usr/bin/env bash
# Runs a page of docs/ as a reader does: every ```sh block, in order, in one empty folder that has the robots that ship; where a
# ```text block follows, the commands say just that. What differs from machine to machine (speed, rounding) is left out.
# Where one of MORE_FILES is missing the page is not run (exit code 77).
#   run_page.sh PAGE SOURCE FOLDER_OF_THE_PROGRAM [MORE_FILES …]
set -uo pipefail
page=$1 source=$2
for file in "${@:4}"; do
  [[ -e $file ]] || { echo "$page: not run: $file is missing"; exit 77; }
done
export PATH=$3:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$source/robots" "$work/robots"
(($# > 3)) && cp "${@:4}" "$work"

# work/1.sh, work/1.text, work/2.sh, …
awk -v work="$work" '
  /^```sh$/   { file = work "/" ++blocks ".sh"; next }
  /^```text$/ { file = work "/" blocks ".text"; next }
  /^```/      { file = ""; next }
  file        { print > file }' "$page"

stable() { sed -E 's/[0-9]+ rows\/s/… rows\/s/; s/(worst backward error) [0-9.e+-]+ \(componentwise [0-9.e+-]+\)/\1 …/; s/(worst growth) [0-9.e+-]+/\1 …/'; }

cd "$work" || exit 1
shopt -s nullglob
scripts=("$work"/*.sh)
((${#scripts[@]})) || { echo "$page: no \`\`\`sh block"; exit 1; }
for ((k = 1; k <= ${#scripts[@]}; ++k)); do
  bash -e "$k.sh" >"$k.out" 2>&1 || { echo "$page: block $k failed:"; cat "$k.sh" "$k.out"; exit 1; }
  [[ -e $k.text ]] || continue
  diff -u --label "$page" --label "what block $k says" <(stable <"$k.text") <(stable <"$k.out") || exit 1
done
echo "$page: ${#scripts[@]} blocks ran as written"
