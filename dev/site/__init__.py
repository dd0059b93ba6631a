"""The documentation site: ``python -m dev.site serve`` or ``build``; ``write`` makes the generated pages of docs/."""
