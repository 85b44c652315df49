#!/bin/sh
# Creates Temporal's two databases and brings their schemas to the version of this image. Safe to run again.
# Needs POSTGRES_SEEDS (host), DB_PORT, POSTGRES_USER, and the password in SQL_PASSWORD_FILE.
set -eu

# temporal-sql-tool reads it itself; on its command line everybody could.
SQL_PASSWORD=$(cat "$SQL_PASSWORD_FILE")
export SQL_PASSWORD
SCHEMA=/etc/temporal/schema/postgresql/v12

sql() {
  temporal-sql-tool --plugin postgres12 --ep "$POSTGRES_SEEDS" -p "$DB_PORT" -u "$POSTGRES_USER" "$@"
}

# prepare DATABASE FOLDER
prepare() {
  sql --db "$1" create
  sql --db "$1" setup-schema -v 0.0
  sql --db "$1" update-schema -d "$SCHEMA/$2/versioned"
}

prepare temporal temporal
prepare temporal_visibility visibility
echo "The schemas are up to date."
