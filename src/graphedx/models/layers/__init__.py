"""What models are put together from."""
