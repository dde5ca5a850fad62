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
# ts-proto gives up at 100 nested messages. A Daml value may nest 100 deep, and each level is up to three messages: one
# such contract of anybody's would end every stream that shows it. What nests deeper is refused in words, so a server
# reads two and three times as much.
find "$base/gen" -type f -name '*.ts' -exec sed -i.orig \
  's/previousRecursionDepth >= 100)/previousRecursionDepth >= 1000)/' {} +
find "$base/gen" -type f -name '*.orig' -delete
buf build --exclude-source-info --as-file-descriptor-set -o "$base/gen/ledger-api.binpb"
