#!/usr/bin/env bash
# The steps of a release, without the upload: makes all packages twice, compares those that must be the same each
# time, and tests them. With a tag as argument, the version must be that of the tag.
set -euo pipefail
cd "$(dirname "$0")/../.."

VERSION=$(node -p "require('./package.json').version")
if [ -n "${1:-}" ] && [ "$1" != "v$VERSION" ]; then
  echo "The tag $1 does not match version $VERSION of package.json. Tag the commit as v$VERSION, or change the version." >&2
  exit 1
fi
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

(umask 077 && TZ=Asia/Tokyo npm run --silent package -- npm sbom executable licenses deb image)
FIRST=$(cd out && sha256sum ./*.tgz ./*.cdx.json ./*.deb ./*-image.tar)
npm test -- --package
(cd out && sha256sum --check --quiet <<< "$FIRST")
(cd out && sha256sum --check --quiet SHA256SUMS)
