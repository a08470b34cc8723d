#!/bin/sh
# Creates the secrets of docker-compose.yml: one file each, in the given directory (default: .data/secrets). Existing files are kept.
# Needs openssl and a built checkout.
#
#   sh docs/deploy/make-secrets.sh
#
# Compose mounts each file with its owner and mode, and containers run as different users. So the files are readable by everyone, but
# only their owner can enter the directory.
set -eu
# Parent directories are private too: .data is also the DATA_DIR of a service that runs outside compose.
umask 077
root=$(cd "$(dirname "$0")/../.." && pwd)
directory=${1:-$root/.data/secrets}
mkdir -p "$directory"
chmod 0700 "$directory"
cd "$directory"

# keep NAME COMMAND…: stores the command's output in a file, completely or not at all.
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
