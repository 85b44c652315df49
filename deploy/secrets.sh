#!/bin/sh
# Makes the secrets that docker-compose.yml mounts, each only where it is missing: sh deploy/secrets.sh [FOLDER]
# Needs openssl for the key that signs evidence.
#
# Compose mounts these files as they are, with this machine's owner and mode, into containers whose users are others. So
# the files can be read by all, and the folder, which no container sees, by its owner alone.
set -eu

FOLDER=${1:-$(dirname "$0")/secrets}

random() {
  head -c 32 /dev/urandom
}

# keep NAME COMMAND...: the file NAME, from what COMMAND prints.
keep() {
  name=$1
  shift
  if [ -s "$FOLDER/$name" ]; then
    echo "kept $name"
    return
  fi
  "$@" >"$FOLDER/$name.new"
  mv "$FOLDER/$name.new" "$FOLDER/$name"
  chmod 0644 "$FOLDER/$name"
  echo "made $name"
}

password() {
  random | base64 | tr -d '/+=\n'
}

webhook() {
  echo "whsec_$(random | base64)"
}

encryption() {
  echo "key-$(date -u +%Y-%m): $(random | base64)"
}

evidence() {
  openssl genpkey -algorithm ed25519
}

mkdir -p "$FOLDER"
chmod 0700 "$FOLDER"
keep postgres_password password
keep grafana_password password
keep webhook_secrets webhook
keep encryption_keys encryption
keep evidence_key evidence
keep mcp_state_key random
