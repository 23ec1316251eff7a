"""`python -m framegauge`: the same as the command `framegauge`."""

import sys

from framegauge.cli import main

if __name__ == "__main__":
    sys.exit(main())
