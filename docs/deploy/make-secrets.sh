#!/bin/sh
# Creates the secrets of docker-compose.yml: one file each, in the given directory (default: .data/secrets). Existing files stay.
# Needs openssl and a built checkout.
#
#   sh docs/deploy/make-secrets.sh
#
# Compose mounts a file with the owner and the mode that it has here, and every container runs as a different user. So every user may read
# the files, and only their owner may enter the directory.
set -eu
# Parent directories are for their owner alone, too: .data is the DATA_DIR of a service that runs beside compose.
umask 077
root=$(cd "$(dirname "$0")/../.." && pwd)
directory=${1:-$root/.data/secrets}
mkdir -p "$directory"
chmod 0700 "$directory"
cd "$directory"

# keep NAME COMMAND…: stores what the command prints in a file that exists completely or not at all.
keep() {
  name=$1
  shift
  if [ -s "$name" ]; then return; fi
  "$@" > "$name.new"
  chmod 0444 "$name.new"
  mv "$name.new" "$name"
}

keep owner-password openssl rand -hex 24
keep service-password openssl rand -hex 24
keep grafana-admin-password openssl rand -hex 24
keep owner-database-url echo "postgresql://catalog_owner:$(cat owner-password)@database:5432/catalog"
keep service-database-url echo "postgresql://catalog_service:$(cat service-password)@database:5432/catalog"
keep redis-password openssl rand -hex 24
keep redis-configuration echo "requirepass $(cat redis-password)"
keep redis-url echo "redis://:$(cat redis-password)@redis:6379"
keep cursor-secret openssl rand -hex 32
keep token-signing-keys node -p "require('$root/dist/src/auth/signing-keys.js').createSigningKeySet()"
