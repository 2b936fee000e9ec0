"""Datasets: the paper's seven, embedded ones and a user's own, with exact labels."""
