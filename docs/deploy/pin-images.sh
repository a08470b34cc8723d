#!/bin/sh
# Pins the images of docker-compose.yml by digest, in the given file (default: .env next to it), so that the images that run are the ones that
# were inspected, even if a tag moves. Run it again to update; other lines are kept. Needs docker with buildx.
#
#   sh docs/deploy/pin-images.sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
file=${1:-$root/.env}
new=$(mktemp "$file.XXXXXX")
trap 'rm -f "$new"' EXIT
if [ -e "$file" ]; then grep -vE '^(NODE|POSTGRES|REDIS|PROMETHEUS|GRAFANA)_IMAGE=' "$file" > "$new" || true; fi

# pin VARIABLE IMAGE: writes a line with the current digest of the tag, for all platforms.
pin() {
  digest=$(docker buildx imagetools inspect "$2" --format '{{.Manifest.Digest}}')
  if ! printf '%s' "$digest" | grep -qxE 'sha256:[0-9a-f]{64}'; then
    echo "$2: expected a digest such as sha256:…, got \"$digest\". Nothing was changed." >&2
    exit 1
  fi
  echo "$1=$2@$digest" >> "$new"
}

pin NODE_IMAGE node:24-bookworm-slim
pin POSTGRES_IMAGE postgres:18-bookworm
pin REDIS_IMAGE redis:7.2-bookworm
pin PROMETHEUS_IMAGE prom/prometheus:v3.5.0
pin GRAFANA_IMAGE grafana/grafana:12.1.0
mv "$new" "$file"
