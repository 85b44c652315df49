#!/bin/sh
# Starts the Temporal server with its password from a file; everything else comes from the variables that the server's
# built-in configuration reads. Needs POSTGRES_PWD_FILE.
set -eu

POSTGRES_PWD=$(cat "$POSTGRES_PWD_FILE")
# Listening on every address, it has to be told which one is its own.
TEMPORAL_BROADCAST_ADDRESS=${TEMPORAL_BROADCAST_ADDRESS:-$(hostname -i | cut -d ' ' -f 1)}
export POSTGRES_PWD TEMPORAL_BROADCAST_ADDRESS
exec temporal-server start
