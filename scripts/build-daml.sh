#!/bin/sh
# Builds the Daml packages of a folder with the compiler that is installed. Without sources or compiler there is nothing
# to build, and that is no error: LocalNet has its packages built in.
set -eu
folder=${1:-daml}
built_in="LocalNet uses the packages that are built into it."

if [ ! -f "$folder/daml.yaml" ] && [ ! -f "$folder/multi-package.yaml" ]; then
  echo "build-daml: there are no Daml sources in ./$folder. $built_in"
  exit 0
fi
for compiler in dpm daml; do
  if command -v "$compiler" >/dev/null 2>&1; then
    echo "build-daml: building ./$folder with $compiler"
    cd "$folder"
    if [ -f multi-package.yaml ]; then exec "$compiler" build --all; fi
    exec "$compiler" build
  fi
done
echo "build-daml: neither dpm nor daml is installed, so ./$folder is not built. $built_in"
