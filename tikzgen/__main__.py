"""`python -m tikzgen` is the command line."""

from tikzgen.cli import main

if __name__ == "__main__":
    main()
