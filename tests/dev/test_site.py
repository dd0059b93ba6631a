"""The documentation site: its generated pages are current, whole and linked, and every page is in the navigation."""

from __future__ import annotations

import re
import tomllib

import duckdb
import nbformat
import pytest

import rankmetrics_sql as rm
from dev.site import api, assembly, charts, flow, markup, notebooks, phrasebook, pictures, reference, stages
from rankmetrics_sql.definitions.catalogue import metrics, options
from rankmetrics_sql.definitions.profiles import profiles
from rankmetrics_sql.definitions.resolution import find_metric, resolve, resolve_options
from rankmetrics_sql.errors import DataError


@pytest.fixture(scope="module")
def pages():
    return reference.pages()


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr(assembly, "TARGET", tmp_path / "site")
    return assembly.assemble().parent


def test_written_pages_are_current():
    assert assembly.stale(assembly.generated_files()) == [], "run: python -m dev.site write"


PICTURE = """<svg xmlns="http://www.w3.org/2000/svg"><g><path aria-label="queries: 4,000; value: {value}" d="M{x},2"/>
<text x="{x}">{text}</text></g></svg>"""


def test_a_picture_is_what_it_shows():
    """The last digit of a value, and where a machine's letters put things, are not shown; labels and values are."""
    there = PICTURE.format(value="39.523805296697525", x=3, text="old")
    assert charts.labels(there) == charts.labels(PICTURE.format(value="39.52380529669814", x=4, text="old"))
    assert charts.labels(there) != charts.labels(PICTURE.format(value="39.5238063", x=3, text="old"))
    assert charts.labels(there) != charts.labels(PICTURE.format(value="39.523805296697525", x=3, text="new"))
    assert charts.labels(there) != charts.labels(there.replace("4,000", "4,001"))
    assert charts.labels(there) != charts.labels(there.replace("path", "line"))
    assert charts.marks(there) != charts.marks(there.replace("M3,2", "M3,5"))
    assert charts.marks(there) == charts.marks(there.replace("M3,2", "M3.0000000000004,2"))


@pytest.mark.parametrize("name", metrics())
def test_every_metric_has_its_entry(name, pages):
    text, metric = pages[f"metrics/{name}.md"], metrics()[name]
    title = text.partition("\n")[0].replace("&#95;", "_")
    assert re.fullmatch(rf"# .+ \({name}(, [^\s,]+)*\)", title)
    assert resolve(reference.spelled(metric), resolve_options({})).name == name
    assert f"({name}.md)" in pages["metrics/index.md"]
    assert ('class="beads"' in text) == bool(metric.examples)
    assert "".join(re.findall(r"^\| (?:\[)?<code>([^<]*)", text, re.MULTILINE)).replace("&#95;", "_") == "".join(
        metric.params
    )


def test_every_public_name_has_its_page():
    named = [name for group in api.GROUPS.values() for name in group]
    assert sorted([*named, *api.classes()]) == sorted(rm.__all__)
    listed = re.findall(r"^\| \[.*?\]\(api/(\w+\.md)\)", api.index(), re.MULTILINE)
    assert sorted(listed) == sorted(map(api.file_of, rm.__all__))
    written = api.pages()
    for name in rm.__all__:
        text = written[f"api/{api.file_of(name)}"]
        about = api.documentation(getattr(rm, name))
        assert text.startswith(f"# rm.{name}\n")
        text = text.replace("&#95;", "_")
        named = [*about.entries("Args"), *about.entries("Attributes")]
        assert [one for one in named if f"| <code>{one}</code> |" not in text and f"## .{one}\n" not in text] == []
        assert named or not {"Args", "Attributes"} & about.sections.keys()


def test_every_option_has_its_entry(pages):
    assert sorted(re.findall(r"{ #(\w+) }", pages["options.md"])) == sorted(options())


def test_every_page_is_in_the_navigation(site):
    def paths(entry):
        if isinstance(entry, str):
            return [entry]
        return [path for each in (entry if isinstance(entry, list) else entry.values()) for path in paths(each)]

    shown = paths(tomllib.loads((site / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"])
    there = {path.relative_to(site / "pages").as_posix() for path in (site / "pages").rglob("*.md")}
    apart = {f"metrics/{name}.md" for name in metrics()} | api.pages().keys()  # the indexes have them
    assert sorted(shown) == sorted(there - apart)


def test_links_lead_to_pages_and_headings(site):
    """Here without the generator, which looks at them when it builds; what leads out of the site is left to nobody."""
    texts = {path.resolve(): path.read_text(encoding="utf-8") for path in (site / "pages").rglob("*.md")}
    for path, text in texts.items():
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", prose):
            if not link.startswith(("http", "#")):
                assert (path.parent / link.partition("#")[0]).resolve().exists(), (path.name, link)


def test_a_link_to_what_is_not_there_is_an_error():
    with pytest.raises(DataError, match=r"docs/start\.md: a link to \.\./nowhere\.md"):
        assembly._relink("start.md", "[x](../nowhere.md)")


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[x](../sql/README.md)", "[x](package.md)"),
        ("[x](../sql/README.md#options)", "[x](options.md)"),
        ("[x](README.md)", "[x](index.md)"),
        ("[x](../LICENSE)", "x (`LICENSE`)"),
        ("[x](start.md#y)", "[x](start.md#y)"),
        ("[x](notebooks/log.ipynb)", "[x](notebooks/log.md)"),
        ("[x](https://a.example/b.md)", "[x](https://a.example/b.md)"),
    ],
)
def test_links_out_of_docs_stay_in_the_site(link, expected):
    assert assembly._relink("page.md", link) == expected


def test_commands_and_what_they_print_are_blocks_of_their_own():
    """A command may have several lines; what is printed may end in a backslash, as LaTeX does."""
    page = "```console\n$ one \\\n    two\nprinted\n$ three\n$ four\nlast \\\\\n```"
    bash, text = "```bash\none \\\n    two\n```\n\n", "```text\nprinted\n```\n"
    assert assembly._copyable(page) == f"{bash}{text}```bash\nthree\nfour\n```\n\n```text\nlast \\\\\n```"


def test_the_header_links_the_repository_that_the_project_names():
    named = '[project]\nname = "x"\n[project.urls]\nRepository = "https://example.org/x"\n'
    assert assembly._repository(named) == 'repo_url = "https://example.org/x"\n'
    assert assembly._repository('[project]\nname = "x"\n') == ""


def test_notebooks_are_pages(tmp_path, monkeypatch):
    shown = ({"text/plain": "2"}, {"text/html": "<p>2</p>", "text/plain": "2"}, {"image/svg+xml": "<svg/>"})
    outputs = [nbformat.v4.new_output("display_data", data) for data in shown]
    cells = [nbformat.v4.new_markdown_cell("# A title"), nbformat.v4.new_code_cell("1 + 1", outputs=outputs)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "a_log.ipynb")
    monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
    code, text, table = "```python\n1 + 1\n```", "```text\n2\n```", '<div class="output"><p>2</p></div>'
    assert notebooks.pages()["notebooks/a_log.md"].startswith(
        "\n\n".join(["# A title", code, text, table, "<img class"])
    )
    assert '"Notebooks" = [{ "A log" = "notebooks/a_log.md" }]' in assembly._nav()


@pytest.mark.parametrize("name", phrasebook.TITLES)
def test_the_words_of_a_tool_are_understood(name):
    profile = profiles()[name]
    for metric in profile.computes:
        for word in phrasebook.tool_names(profile, metric):
            assert find_metric(word, resolve_options({}, name))[0] == metric


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h_k / k", "h<sub>k</sub> / k"),
        ("p^{r − 1}", "p<sup>r − 1</sup>"),
        ("β^(r − 1) x", "β<sup>r − 1</sup> x"),
        ("Σ_{i: r_i ≤ k}", "Σ<sub>i: r<sub>i</sub> ≤ k</sub>"),
        ("min_rel", "min&#95;rel"),
        ("Σ_{i<j}", "Σ<sub>i&lt;j</sub>"),
        ("(1 − α)^c_s(r)", "(1 − α)<sup>c<sub>s</sub>(r)</sup>"),
    ],
)
def test_formulas_have_what_stands_lower_and_higher(text, expected):
    assert markup.formula(text) == expected


@pytest.mark.parametrize("name", metrics())
def test_nothing_of_a_formula_is_left_raw(name):
    shown = markup.formula(metrics()[name].formula)
    assert re.search(r"[_^|*]|{(?![^{}]*:)", shown.replace("{items", "").replace("{r:", "").replace("{s:", "")) is None


def test_the_last_stage_is_the_answer():
    text = rm.sql(list(stages.METRICS), "run", "qrels", level="summary")
    with duckdb.connect() as connection:
        connection.execute(stages.TABLES)
        _, query = stages.stages(text)[""]
        assert connection.sql(query).fetchall() == connection.sql(text).fetchall()
        assert len(stages.stages(text)) == text.count(" AS (\n") + text.count(" AS NOT MATERIALIZED (\n") + 1


def test_the_picture_of_the_stages_has_an_arrow_for_each_table_that_is_read():
    """The summary reads the values, which are those per query one below the other."""
    picture = flow.flow()
    edges = "run-ranked ranked-rows qrels-rows rows-per_query per_query-summary"
    assert picture.count('class="edge"') == len(edges.split())
    assert picture.count('class="box"') == len(flow.PLACES)


def test_pictures_show_the_values():
    """The rank of the only relevant item: 1/rank, and 1/log2(rank + 1)."""
    drawn = re.findall(r'class="n"[^>]*>([^<]*)<', pictures.one_item())
    assert drawn[1] == "0.63"
    assert drawn[11] == drawn[21] == "0.50"
