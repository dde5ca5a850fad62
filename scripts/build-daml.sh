#!/bin/sh
# Builds the Daml packages of a folder with the compiler that is installed, and uploads them where LocalNet runs. Without
# sources or compiler there is nothing to build, and that is no error: LocalNet has its packages built in.
set -eu
folder=${1:-daml}
tenure="$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)/cli/tenure"
built_in="LocalNet uses the packages that are built into it."

if [ ! -f "$folder/daml.yaml" ] && [ ! -f "$folder/multi-package.yaml" ]; then
  echo "build-daml: there are no Daml sources in ./$folder. $built_in"
  exit 0
fi
for compiler in dpm daml; do
  if command -v "$compiler" >/dev/null 2>&1; then
    echo "build-daml: building ./$folder with $compiler"
    all=""
    if [ -f "$folder/multi-package.yaml" ]; then all=--all; fi
    (cd "$folder" && "$compiler" build $all)
    exec find "$folder" -path '*/.daml/dist/*.dar' -exec "$tenure" localnet upload --if-running {} +
  fi
done
echo "build-daml: neither dpm nor daml is installed, so ./$folder is not built. $built_in"
