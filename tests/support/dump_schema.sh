#!/usr/bin/env bash
# Migrates the empty database of DATABASE_URL and prints its schema, without what differs between
# minor releases of pg_dump (version comments, the random \restrict keys), runs of blank lines and tabs.
# usage: dump_schema.sh PROGRAM
set -euo pipefail
"$1" migrate >&2
"${JOBFORGE_PG_BIN:-/usr/lib/postgresql/15/bin}/pg_dump" --schema-only --dbname "$DATABASE_URL" |
    sed -E '/^-- Dumped (from|by)/d; /^\\(un)?restrict /d; s/\t/    /g' | cat -s
