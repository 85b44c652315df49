#!/bin/sh
# Creates the namespace with its retention, and Confirmo's search attributes. Safe to run again.
# Needs TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, which the temporal command line reads itself, and RETENTION.
set -eu

ATTEMPTS=${ATTEMPTS:-60}

# A namespace takes some seconds until every part of the server knows it, so each step is tried again.
again() {
  left=$ATTEMPTS
  until "$@"; do
    left=$((left - 1))
    if [ "$left" -le 0 ]; then
      echo "Given up: $*" >&2
      exit 1
    fi
    sleep 1
  done
}

namespace() {
  if temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
    temporal operator namespace update --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
  else
    temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
  fi
}

again temporal operator cluster health
again namespace
for name in ConfirmoStatus ConfirmoTool ConfirmoTenant ConfirmoOutcome; do
  again temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$name" --type Keyword
done
echo "The namespace $TEMPORAL_NAMESPACE keeps closed transactions for $RETENTION."
