"""Tables of the ledger."""

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS calls (
        id INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        tool TEXT NOT NULL,
        item TEXT NOT NULL,
        idempotency_key TEXT,
        transaction_id TEXT,
        effect INTEGER NOT NULL,
        replayed INTEGER NOT NULL,
        answer TEXT NOT NULL
    )""",
    """CREATE TABLE IF NOT EXISTS effects (
        id INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        tool TEXT NOT NULL,
        item TEXT NOT NULL,
        idempotency_key TEXT,
        transaction_id TEXT,
        answer TEXT NOT NULL
    )""",
    # Not unique: a tool that never looks at its key may do a thing twice, and that must be seen.
    "CREATE INDEX IF NOT EXISTS effects_by_key ON effects (tool, idempotency_key)",
    "CREATE INDEX IF NOT EXISTS effects_by_item ON effects (item, tool)",
    """CREATE TABLE IF NOT EXISTS knobs (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        tool TEXT,
        item TEXT,
        seconds REAL NOT NULL,
        remaining INTEGER,
        source TEXT
    )""",
)
