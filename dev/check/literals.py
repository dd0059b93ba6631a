"""Rules about the records that macros pass on: each is one literal, which has all of its keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jinja2 import nodes

from .repository import Finding, Repository, folder_of

# The literals, and the macro that returns each.
MADE_BY = {
    "arguments": "rm_arguments",
    "request": "rm_request",
    "plan": "rm_plan",
    "ranking": "rm_ranking",
    "pass": "rm_pass",
    "facts": "rm_facts",
    "student": "rm_student",
    "log": "rm_log",
    "plan.stages": "rm_plan_stages",
    "pass.stages": "rm_pass_stages",
}
_LOGS = ("rm_ubi_log", "rm_ga4_log", "rm_segment_log", "rm_snowplow_log")
_OTHER_MAKERS = {
    "rm_student_of": "student",
    "rm_plan_of_pairs": "plan",
    "rm_plan_of_ends": "plan",
    "rm_human_plan": "plan",
    "rm_human_pass": "pass",
    **dict.fromkeys(_LOGS, "log"),
}
_MAKERS = {maker: kind for kind, maker in MADE_BY.items()} | _OTHER_MAKERS
# Keys that are read by a computed name.
READ_BY_NAME = {("plan.stages", f"groups_of_{relation}") for relation in ("run", "qrels", "query_list")}


def kind_of(node: nodes.Node) -> str | None:
    """Return which of the literals an expression is, by its name or its source; None for anything else."""
    match node:
        case nodes.Name():
            return node.name if node.name in MADE_BY else None
        case nodes.Getattr():
            path = f"{kind_of(node.node)}.{node.attr}"
            return {"pass.plan": "plan", "student.stages": "plan.stages"}.get(path, path if path in MADE_BY else None)
        case nodes.Getitem():
            return "pass" if getattr(node.node, "name", "") == "passes" else None
        case nodes.Call(node=nodes.Getattr(attr=name)):
            return _MAKERS.get(name)
    return None


def _macros(repository: Repository) -> Mapping[str, tuple[str, nodes.Macro]]:
    """Return every macro by its name, with its file."""
    return {
        macro.name: (path, macro) for path in repository.templates() for macro in repository.nodes(path, nodes.Macro)
    }


def _written_keys(repository: Repository) -> Iterator[tuple[str, str, str, int]]:
    """Yield the kind of each literal and each of its keys, with the file and the line that write it."""
    macros = _macros(repository)
    for kind, maker in MADE_BY.items():
        path, macro = macros[maker]
        for call in macro.find_all(nodes.Call):
            if getattr(call.node, "name", "") == "return":
                for key in _keys_of(call.args[0], macro):
                    yield kind, key.value, path, key.lineno


def _keys_of(returned: nodes.Node, macro: nodes.Macro) -> Iterator[nodes.Const]:
    """Yield the keys of a literal; of one with a name, what it is set with and what loops add."""
    if isinstance(returned, nodes.Name):
        for assignment in macro.find_all(nodes.Assign):
            if assignment.target == nodes.Name(returned.name, "store"):
                yield from _keys_of(assignment.node, macro)
        yield from (name for loop in macro.find_all(nodes.For) for name in loop.iter.find_all(nodes.Const))
    else:
        literal = returned if isinstance(returned, nodes.Dict) else returned.find(nodes.Dict)
        yield from (pair.key for pair in literal.items) if literal else ()


def _read_keys(repository: Repository) -> Iterator[tuple[str, str, str, int]]:
    """Yield each key that is read, with the kind of its literal before it, and the file and the line behind it."""
    for path in repository.templates():
        for node in repository.nodes(path, nodes.Getattr):
            if kind := kind_of(node.node):
                yield kind, node.attr, path, node.lineno


def keys_are_no_methods(repository: Repository) -> Iterator[Finding]:
    """plan.items would be the method of the dictionary in one engine and the key in another."""
    for kind, key, path, line in _written_keys(repository):
        if key in dir(dict):
            yield Finding(path, line, f"{kind}.{key} is a method of dictionaries; expected another name of the key")


def keys_are_written(repository: Repository) -> Iterator[Finding]:
    """A template reads only keys that the literal has; the definitions have dictionaries of other kinds."""
    written_keys = {(kind, key) for kind, key, _, _ in _written_keys(repository)}
    for kind, key, path, line in _read_keys(repository):
        if (kind, key) not in written_keys and folder_of(path) != "definitions":
            yield Finding(path, line, f"{kind}.{key} is read; expected a key that {MADE_BY[kind]} writes")


def keys_are_read(repository: Repository) -> Iterator[Finding]:
    """What no template reads need not be written."""
    read_keys = {(kind, key) for kind, key, _, _ in _read_keys(repository)} | READ_BY_NAME
    for kind, key, path, line in _written_keys(repository):
        if (kind, key) not in read_keys:
            yield Finding(path, line, f"{kind}.{key} is read nowhere; expected no such key")


def parameters_are_called_by_kind(repository: Repository) -> Iterator[Finding]:
    """A literal has the same name in every macro, so that its kind is known where it is read."""
    macros = {name: macro for name, (_, macro) in _macros(repository).items()}
    for path in repository.templates():
        if folder_of(path) == "definitions":
            continue
        for call in repository.nodes(path, nodes.Call):
            if isinstance(call.node, nodes.Getattr) and call.node.attr in macros:
                for parameter, argument in zip(macros[call.node.attr].args, call.args, strict=False):
                    if (parameter.name in MADE_BY or kind_of(argument)) and kind_of(argument) != parameter.name:
                        problem = f"{call.node.attr} takes {parameter.name}; expected it to be given one, and so called"
                        yield Finding(path, call.lineno, problem)
        for assignment in repository.nodes(path, nodes.Assign):
            name = getattr(assignment.target, "name", None)
            if name in MADE_BY and kind_of(assignment.node) != name:
                yield Finding(path, assignment.lineno, f"{name} is set; expected what {MADE_BY[name]} returns")


RULES = (keys_are_no_methods, keys_are_written, keys_are_read, parameters_are_called_by_kind)
