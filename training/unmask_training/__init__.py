"""How the bundled models were made: one file a verb (see README.md)."""
