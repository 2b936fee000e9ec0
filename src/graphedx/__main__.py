"""``python -m graphedx`` is the command line."""

from graphedx.cli import main

if __name__ == "__main__":
    main()
