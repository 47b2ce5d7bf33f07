"""Logs that outgrow a machine: formats, pieces of data sets, what is done with a piece, and sums over pieces."""
