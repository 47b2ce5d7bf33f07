"""MCAP files: their records, what is known of each file before it is read, and samples of its topics."""
