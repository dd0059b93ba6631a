"""Compiles the templates when the package is built: hatch runs it, with nothing installed but hatch and Jinja."""

from __future__ import annotations

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileTemplates(BuildHookInterface):
    """Write ``build/templates``, which an editable installation reads; a wheel takes a copy."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before hatch collects the files."""
        sys.path.insert(0, self.root)
        from dev.compile_templates import compile_templates

        folder = compile_templates()
        if version != "editable":
            build_data["force_include"][str(folder)] = "rankmetrics_sql/_templates"
