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
    "compute compute") words="rnea aba bias gravity crba minverse rnea-derivatives aba-derivatives rnea-second-derivatives aba-second-derivatives rnea-with-derivatives coriolis christoffel hamilton regressor regressor-times regressor-transposed-times kinematics jacobians jacobian-rates energy momentum momentum-rate centroidal-momentum-matrix centre-of-mass-jacobian contact-dynamics contact-inverse-dynamics contact-derivatives contact-second-derivatives ik sensitivities" ;;
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
      info) words="-h --help --log-header --base-parameters --save --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --json --quiet --strict" ;;
      check) words="-h --help --sensors --constraints --over-time --rows --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --json --quiet --strict" ;;
      optimise | optimize) words="-h --help --sensors --constraints -o --output --outputs --gaps --over-time --rows --formulation --cost --no-cache --judge-all --seed --budget --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma --json --quiet --strict" ;;
      solve) words="-h --help --sensors --constraints --plan --log -o --output --outputs --compiled --sd --sd-scaled --innovations --robust --robust-threshold --offsets --corrected --report --beside --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --rate --no-stand-in --separator --decimal-comma --json --quiet --strict" ;;
      compute) words="-h --help --log -o --output --npy --contract --plan --target --constraints --effort-limits --sensors --outputs --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma --json --quiet --strict" ;;
      track) words="-h --help --sensors --constraints --log -o --output --outputs --sd --plan --rows --lag --batch --iterations --robust --report --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --uniform-time --separator --decimal-comma --json --quiet --strict" ;;
      live) words="-h --help --sensors --over-time --plan --outputs --sd --input --format --columns -o --output --control --diagnostics --rate --wait --max-gap --missing-after --record --replay --priority --lock-memory --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --json --quiet --strict" ;;
      flops) words="-h --help --sensors --all --chain -o --output --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --json --quiet --strict" ;;
      simulate) words="-h --help --sensors --seconds --rate --seed -o --output --forward --constraints --plan --from --hold --targets --repeat --integrator --project --effort-limits --report --package-path --no-meshes --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma --json --quiet --strict" ;;
      differentiate) words="-h --help -o --output --cutoff --window --rate --report --separator --decimal-comma --json --quiet --strict" ;;
      inspect) words="-h --help --log --sensors --report --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma --json --quiet --strict" ;;
      sensors) words="-h --help -o --output --sigma --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --json --quiet --strict" ;;
      verify) words="-h --help --samples --seed --no-programs --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --json --quiet --strict" ;;
      generate) words="-h --help --algorithm --sensors --stage --constraints --plan --name -o --output --over-time --outputs --all-inputs --sd --derivatives --weights --parameters --forces --base-parameters --distinct --health --dtype --no-batch --unchecked --cpp --language --casadi-derivatives --acados --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --json --quiet --strict" ;;
      identify) words="-h --help --log --holdout --cross-validate -o --output --fit --sensors --prior --robust --urdf-out --joints-out --report --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --separator --decimal-comma --json --quiet --strict" ;;
      excite) words="-h --help --seconds --rate -o --output --fit --harmonics --criterion --budget --seed --floating --lock --cut --gravity --snap --lenient --mimic --joints --urdf-dynamics --urdf-transmissions --json --quiet --strict" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))
}
complete -o filenames -F _sparsedyn sparsedyn
