# Completion of sparsedyn's commands, options and files for bash. Written by tools/completions/generate.
_sparsedyn() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=""
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "info check optimise optimize solve compute flops simulate sensors generate --help --version" -- "$word"))
    return
  fi
  case "$command $before" in
    "info --log-header") words="forward-dynamics inverse-dynamics" ;;
    "check --sensors") words="forward-dynamics inverse-dynamics" ;;
    "optimise --sensors" | "optimize --sensors") words="forward-dynamics inverse-dynamics" ;;
    "solve --sensors") words="forward-dynamics inverse-dynamics" ;;
    "compute compute") words="rnea aba crba minverse rnea-derivatives aba-derivatives rnea-second-derivatives aba-second-derivatives coriolis christoffel hamilton regressor kinematics energy momentum" ;;
    "flops --sensors") words="forward-dynamics inverse-dynamics" ;;
    "simulate --sensors") words="forward-dynamics inverse-dynamics" ;;
    "generate --algorithm") words="rnea aba crba minverse coriolis rnea-derivatives aba-derivatives rnea-second-derivatives rnea-with-derivatives" ;;
    "generate --sensors") words="forward-dynamics inverse-dynamics" ;;
  esac
  if [[ $word == -* ]]; then
    case $command in
      info) words="-h --help --floating --lock --cut --gravity --snap --lenient --log-header --json --quiet" ;;
      check) words="-h --help --floating --lock --cut --gravity --snap --lenient --sensors --json --quiet" ;;
      optimise | optimize) words="-h --help --floating --lock --cut --gravity --snap --lenient --sensors -o --output --formulation --cost --outputs --seed --budget --json --quiet" ;;
      solve) words="-h --help --floating --lock --cut --gravity --snap --lenient --sensors --plan --log -o --output --outputs --sd --report --innovations --compiled --json --quiet" ;;
      compute) words="-h --help --floating --lock --cut --gravity --snap --lenient --log -o --output --npy --contract --json --quiet" ;;
      flops) words="-h --help --floating --lock --cut --gravity --snap --lenient --sensors --chain -o --output --json --quiet" ;;
      simulate) words="-h --help --floating --lock --cut --gravity --snap --lenient --sensors --seconds --rate --seed -o --output --json --quiet" ;;
      sensors) words="-h --help --floating --lock --cut --gravity --snap --lenient -o --output --sigma --json --quiet" ;;
      generate) words="-h --help --floating --lock --cut --gravity --snap --lenient --algorithm --sensors --plan --outputs --all-inputs --sd --weights --name -o --output --distinct --health --cpp --language --json --quiet" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))
}
complete -o filenames -F _sparsedyn sparsedyn
