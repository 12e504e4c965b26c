"""Results of `bench` side by side, as one page that opens without a network."""
