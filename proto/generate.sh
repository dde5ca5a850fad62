#!/bin/sh
# Regenerates proto/gen: the TypeScript and, for reflection, the descriptor set. Needs no network.
# Usage: sh proto/generate.sh [directory that receives gen/, default proto]
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
base=${1:-$here}
mkdir -p "$base/gen"
base=$(CDPATH='' cd -- "$base" && pwd)
PATH="$here/../node_modules/.bin:$PATH"
export PATH
cd "$here"
# A message that left the protocol must not live on as a file.
find "$base/gen" -type f \( -name '*.ts' -o -name '*.binpb' \) -delete
# Timestamp, Duration, Any and friends come with buf and are generated beside ours.
buf generate --include-imports --include-wkt --output "$base"
buf build --exclude-source-info --as-file-descriptor-set -o "$base/gen/ledger-api.binpb"
