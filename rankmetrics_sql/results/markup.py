"""Tables as Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .grids import BREAKS, Cell, Grid, on_one_line

# What would be markup; an underscore within a word is none.
_MARKDOWN = r"[\\`*\[\]<>&~|]|(?<![^\W_])_|_(?![^\W_])"


def _in_markdown(text: str) -> str:
    """Return the text of a cell; characters that no cell can hold, such as a line break, become their numbers."""
    numbered = "\t\n\r\u2028\u2029"
    shown = re.sub(BREAKS, lambda found: found[0] if found[0] in numbered else on_one_line(found[0]), text)
    escaped = re.sub(_MARKDOWN, r"\\\g<0>", shown)
    return re.sub(rf"[{numbered}]|^ | $", lambda found: f"&#{ord(found[0])};", escaped)


def markdown(grid: Grid) -> str:
    """A table of Markdown."""
    lines = [list(map(_in_markdown, grid.header)), ["---:" if right else "---" for right in grid.numeric]]
    for block in grid.blocks:
        if block.title:
            lines.append([f"*{_in_markdown(block.title)}*", *[""] * (len(grid.header) - 1)])
        lines += [list(map(_markdown_cell, row)) for row in block.rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return table + (f"\n{_in_markdown(grid.caption)}\n" if grid.caption else "")


def _markdown_cell(cell: Cell) -> str:
    text = _in_markdown(cell.text)
    above = f"<sup>{_in_markdown(cell.above)}</sup>" if cell.above else ""
    return (f"**{text}**" if cell.is_best else text) + (r"\*" if cell.is_marked else "") + above


# A bracket or star at the beginning of a row would belong to the line break before.
_LATEX = str.maketrans(
    {mark: "\\" + mark for mark in "&%$#_{}"}
    | {mark: f"{{{mark}}}" for mark in "[*"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    | {"\N{MINUS SIGN}": "$-$", "\N{INFINITY}": r"$\infty$"}
)


def _in_latex(text: str) -> str:
    return on_one_line(text).translate(_LATEX)


def latex(grid: Grid) -> str:
    """A tabular; with a caption in a float, as a paper has it."""
    lines = [rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in grid.numeric)}}}", r"\toprule"]
    lines += [_latex_row(map(_in_latex, grid.header)), r"\midrule"]
    for number, block in enumerate(grid.blocks):
        lines += [r"\midrule"] if number else []
        if block.title:
            lines.append(_latex_row([rf"\multicolumn{{{len(grid.header)}}}{{l}}{{{_in_latex(block.title)}}}"]))
        lines += [_latex_row(map(_latex_cell, row)) for row in block.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if grid.caption:
        caption = rf"\caption{{{_in_latex(grid.caption)}}}"
        lines = [r"\begin{table}", r"\centering", caption, *lines, r"\end{table}"]
    return "\n".join([r"% \usepackage{booktabs}", *lines, ""])


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(cell: Cell) -> str:
    """The mark takes no room, so that digits stay below each other."""
    text = _in_latex(cell.text)
    above = rf"\textsuperscript{{{_in_latex(cell.above)}}}" if cell.above else ""
    shown = rf"\textbf{{{text}}}" if cell.is_best else rf"{{\footnotesize {text}}}" if cell.is_small else text
    return shown + (r"\rlap{$^{*}$}" if cell.is_marked else "") + above
