#!/usr/bin/env bash
# What shells and man know of the program is what its --help says, and bash completes by it.
#   completions.sh PROGRAM SOURCE
set -u  # no pipefail: grep -q ends before what it reads does
program=$1 tools=$2/tools failed=0
fail() { echo "$*" && failed=1; }

"$tools/completions/generate" "$program" --check || failed=1
command -v zsh >/dev/null && { zsh -n "$tools/completions/_sparsedyn" || fail "_sparsedyn: zsh cannot read it"; }

source "$tools/completions/sparsedyn.bash"
# What bash offers after these words, the last of which is being written.
offers() {
  COMP_WORDS=(sparsedyn "$@") COMP_CWORD=$# COMPREPLY=()
  _sparsedyn
  printf '%s\n' "${COMPREPLY[@]}"
}
expect() {
  local expected=$1
  shift
  [[ $(offers "$@" | paste -sd' ') == "$expected" ]] || fail "after '$*': '$(offers "$@" | paste -sd' ')'; expected '$expected'"
}
cd "$2/robots" || exit 1
expect "solve" so
expect "--sensors --sd --sd-scaled --snap --separator --strict" solve arm.urdf --s
expect "rnea rnea-derivatives rnea-second-derivatives rnea-with-derivatives" compute rn
expect "forward-dynamics" check arm.urdf --sensors for
expect "arm.urdf" info arm.u

# Every option of every command, taken from --help another way than tools/completions/generate does.
for command in $("$program" --help | sed '1,/^Subcommands/d' | grep -oE '^  [a-z]+'); do
  for option in $("$program" "$command" --help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    offers "$command" -- | grep -qxF -- "$option" || fail "bash: $command $option"
    sed "/^  $command[)|]/,/;;/!d" "$tools/completions/_sparsedyn" | grep -qE -- "(^|[ {,'])$option['},]" || fail "zsh: $command $option"
    sed "/^\.SS $command/,/^\.S[SH] /!d" "$tools/man/sparsedyn.1" | grep -qF -- "${option//-/\\-}\\fR" || fail "man page: $command $option"
  done
done
exit $failed
