# Completion of sparsedyn's commands, options and files for bash. Written by tools/completions/generate.
_sparsedyn() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=""
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "info check optimise optimize solve compute track live flops simulate differentiate inspect sensors verify generate identify excite --help --version" -- "$word"))
    return
  fi
  case "$command $before" in
    "info --log-header") words="forward-dynamics inverse-dynamics" ;;
    "check --sensors") words="forward-dynamics inverse-dynamics" ;;
    "optimise --sensors" | "optimize --sensors") words="forward-dynamics inverse-dynamics" ;;
    "solve --sensors") words="forward-dynamics inverse-dynamics" ;;
    "compute --sensors") words="forward-dynamics inverse-dynamics" ;;
    "compute compute") words="rnea aba bias gravity crba minverse rnea-derivatives aba-derivatives rnea-second-derivatives aba-second-derivatives rnea-with-derivatives coriolis christoffel hamilton regressor regressor-times regressor-transposed-times kinematics jacobians jacobian-rates energy momentum momentum-rate centroidal-momentum-matrix centre-of-mass-jacobian contact-dynamics contact-inverse-dynamics contact-derivatives ik sensitivities" ;;
    "track --sensors") words="forward-dynamics inverse-dynamics" ;;
    "live --sensors") words="forward-dynamics inverse-dynamics" ;;
    "flops --sensors") words="forward-dynamics inverse-dynamics" ;;
    "simulate --sensors") words="forward-dynamics inverse-dynamics" ;;
    "inspect --sensors") words="forward-dynamics inverse-dynamics" ;;
    "generate --algorithm") words="rnea aba bias gravity crba minverse rnea-derivatives aba-derivatives rnea-second-derivatives aba-second-derivatives rnea-with-derivatives coriolis christoffel hamilton regressor regressor-times regressor-transposed-times kinematics jacobians jacobian-rates energy momentum momentum-rate centroidal-momentum-matrix centre-of-mass-jacobian contact-dynamics contact-inverse-dynamics contact-derivatives contact-second-derivatives" ;;
    "generate --sensors") words="forward-dynamics inverse-dynamics" ;;
    "identify --sensors") words="forward-dynamics inverse-dynamics" ;;
  esac
  if [[ $word == -* ]]; then
    case $command in
      info) words="-h --help --log-header --base-parameters --save --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions" ;;
      check) words="-h --help --sensors --constraints --over-time --rows --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions" ;;
      optimise | optimize) words="-h --help --sensors --constraints -o --output --formulation --cost --outputs --gaps --over-time --rows --no-cache --seed --budget --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma" ;;
      solve) words="-h --help --sensors --constraints --plan --log -o --output --outputs --sd --sd-scaled --report --beside --innovations --robust --robust-threshold --offsets --corrected --compiled --no-stand-in --rate --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma" ;;
      compute) words="-h --help --log -o --output --npy --contract --sensors --outputs --plan --constraints --effort-limits --target --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma" ;;
      track) words="-h --help --sensors --constraints --log -o --output --outputs --sd --lag --batch --iterations --rows --plan --robust --uniform-time --report --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma" ;;
      live) words="-h --help --sensors --over-time --plan --input --format --columns -o --output --outputs --sd --rate --wait --max-gap --missing-after --diagnostics --record --replay --control --priority --lock-memory --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions" ;;
      flops) words="-h --help --sensors --all --chain -o --output --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions" ;;
      simulate) words="-h --help --sensors --seconds --rate --seed -o --output --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --forward --constraints --plan --from --hold --targets --repeat --integrator --project --effort-limits --report --package-path --no-meshes --separator --decimal-comma" ;;
      differentiate) words="-h --help -o --output --cutoff --window --rate --report --json --quiet --strict --separator --decimal-comma" ;;
      inspect) words="-h --help --log --sensors --report --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma" ;;
      sensors) words="-h --help -o --output --sigma --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions" ;;
      verify) words="-h --help --samples --seed --no-programs --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions" ;;
      generate) words="-h --help --algorithm --sensors --stage --constraints --plan --outputs --all-inputs --sd --derivatives --weights --parameters --base-parameters --name -o --output --distinct --health --no-batch --unchecked --dtype --over-time --casadi-derivatives --acados --cpp --language --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions" ;;
      identify) words="-h --help --log --holdout --cross-validate --fit --robust --sensors --prior -o --output --urdf-out --report --joints-out --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma" ;;
      excite) words="-h --help --seconds --rate --seed --harmonics --budget --criterion --fit -o --output --json --quiet --strict --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))
}
complete -o filenames -F _sparsedyn sparsedyn
