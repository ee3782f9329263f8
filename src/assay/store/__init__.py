"""What is kept: trials in SQLite; baselines and the ledger as files in git."""
