"""The documentation site: ``python -m tests.site serve`` or ``build``; ``write`` makes the generated pages of docs/."""
