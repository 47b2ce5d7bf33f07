#!/usr/bin/env bash
# The package as users get it: wheel.sh PYTHON SOURCE WORK builds a wheel, makes it fit for other machines, installs it in a
# fresh environment, and runs the examples there. BUILD_FLAGS: those of the main build, so that the compiler's cache serves both.
set -euo pipefail
python=$1 source=$2 work=$3
rm -rf "$work" && mkdir -p "$work"
export CCACHE_BASEDIR=$source CCACHE_NOHASHDIR=1 CMAKE_GENERATOR=Ninja CC=cc CXX=c++  # names are in the cache's keys, too
launcher=(--config-settings cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache --config-settings cmake.define.CMAKE_C_COMPILER_LAUNCHER=ccache)
"$python" -m pip wheel --quiet --no-deps --no-build-isolation -w "$work/plain" --config-settings build-dir="$source/build-wheel" \
  --config-settings cmake.define.SPARSEDYN_WERROR="${WERROR:-OFF}" "${launcher[@]}" "$source"
PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --wheel-dir "$work/repaired" "$work"/plain/*.whl
wheel=$(echo "$work"/repaired/*.whl)
echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes"
(($(stat -c %s "$wheel") < 12000000)) || { echo "the wheel is larger than 12 MB"; exit 1; }

# By the pip that is here; the two thousand files of NumPy and PyArrow are compiled where they are imported.
"$python" -m venv --without-pip "$work/venv"
"$python" -m pip --python "$work/venv" install --quiet --no-compile "$wheel" pyarrow
cd "$work"
if "$work/venv/bin/python" -c 'import sparsedyn, sys; sys.exit(not sparsedyn.__file__.startswith(sys.argv[1]))' "$work"; then :; else
  echo "another sparsedyn than the wheel's was imported"
  exit 1
fi
cd "$source"
for example in python/examples/*.py examples/*.py; do
  echo "$example"
  if grep -q '^import casadi' "$example"; then echo "passed over: CasADi is no part of the wheel"; continue; fi
  env -i HOME="$HOME" PATH=/usr/bin:/bin "$work/venv/bin/python" "$example"
done
# Besides the C and C++ runtime it needs nothing of this machine.
core=$("$work/venv/bin/python" -c 'import sparsedyn._core as c; print(c.__file__)')
if ldd "$core" | grep -E '=> /(usr/)?lib' | grep -vE '/(libc|libm|libstdc\+\+|libgcc_s|ld-linux[^/]*|libpthread|libdl)\.so'; then
  echo "these libraries are the machine's"
  exit 1
fi
