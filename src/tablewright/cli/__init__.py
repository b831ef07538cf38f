"""The command line, one module per group of commands; see :mod:`tablewright.cli.main`."""

__all__ = ["main"]


def main() -> None:
    """The `tablewright` command."""
    from tablewright.cli.main import run

    run()
