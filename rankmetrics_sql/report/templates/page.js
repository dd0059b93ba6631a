"use strict";
(() => {
  const rows = JSON.parse(document.getElementById("rows").textContent);
  const escaped = (text) => String(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
  // A cell is text, or text and the number that it is sorted by.
  const textOf = (cell) => typeof cell === "object" ? cell.t : cell;
  const render = (cell, type) => {
    const text = textOf(cell), value = typeof cell === "object" ? cell.n : cell;
    if (type === "display") return `<bdi>${escaped(text)}</bdi>`;
    return type === "sort" || type === "type" ? value : text;
  };
  // What the page itself has in a cell is markup around its text.
  const plain = (markup) => new DOMParser().parseFromString(markup, "text/html").body.textContent;
  const language = { search: "Search:", lengthMenu: "_MENU_ rows", info: "_START_ to _END_ of _TOTAL_", infoEmpty: "no rows",
    infoFiltered: "(out of _MAX_)", emptyTable: "no rows", zeroRecords: "no row has that" };

  // A choice for each column of few names, such as the run and the metric.
  function addFilters(table, api, name, known) {
    const box = document.createElement("div");
    box.className = "filters dt-layout-row";
    api.columns().every(function () {
      const column = this, title = column.title();
      if (column.header().classList.contains("number") || column.index() === 0 && ["queries", "losing"].includes(name)) return;
      const values = [...new Set(column.data().toArray().map((cell) => known ? textOf(cell) : plain(cell)))];
      if (values.length < 2 || values.length > 200 || column.header().classList.contains("interval")) return;
      const label = document.createElement("label"), select = document.createElement("select");
      select.add(new Option("all", ""));
      values.forEach((value, place) => select.add(new Option(value, String(place))));
      select.addEventListener("change", () => {
        const wanted = select.value === "" ? null : values[Number(select.value)];
        column.search(wanted === null ? "" : (text) => text === wanted).draw();
      });
      label.append(`${title} `, select);
      box.append(label);
    });
    if (box.childElementCount) table.closest(".dt-container").prepend(box);
  }

  for (const table of document.querySelectorAll("table.grid")) {
    const name = table.dataset.name, known = rows[name], box = table.parentElement;
    if (table.tBodies[0].rows.length < 2) continue;
    const heads = [...table.tHead.rows[0].cells];
    const of = (kind) => heads.flatMap((cell, place) => cell.classList.contains(kind) ? [place] : []);
    const columns = [
      { targets: of("number"), className: "number", type: "num" },
      { targets: of("interval"), className: "interval", type: "num" },
      ...(known ? [{ targets: [...heads.keys()], render }, { targets: 0, cellType: "th",
        createdCell: (cell) => cell.setAttribute("scope", "row") }] : []),
    ];
    box.replaceWith(table);
    const long = Boolean(known);
    const api = new DataTable(table, {
      ...(known ? { data: known } : {}), columnDefs: columns, order: [], autoWidth: false, language,
      paging: long, searching: true, info: long, pageLength: 20, lengthMenu: [20, 50, 100, 500],
      layout: { topStart: long ? "pageLength" : null, topEnd: long ? "search" : null, bottomStart: long ? "info" : null,
        bottomEnd: long ? "paging" : null },
    });
    const called = () => {
      const pages = table.closest(".dt-container").querySelector(".dt-paging nav");
      if (pages) pages.setAttribute("aria-label", `Pages of ${name}`);
    };
    api.on("draw", called);
    called();
    box.replaceChildren();
    const parent = table.parentElement;
    parent.insertBefore(box, table);
    box.append(table);
    addFilters(table, api, name, known);
  }

  // A table as Markdown: its rows as they are searched, filtered and sorted.
  function markdown(table) {
    const cell = (text) => text.trim().replace(/\s+/g, " ").replace(/[\\`*_[\]|<>~]/g, "\\$&");
    const line = (cells) => `| ${cells.join(" | ")} |`;
    const heads = [...table.tHead.rows[0].cells];
    const titles = heads.map((head) => cell((head.querySelector(".dt-column-title") || head).textContent));
    const rules = heads.map((head) => head.classList.contains("number") ? "---:" : "---");
    const body = DataTable.isDataTable(table)
      ? new DataTable(table).rows({ search: "applied", order: "applied" }).data().toArray()
        .map((row) => row.map((found) => rows[table.dataset.name] ? textOf(found) : plain(found["@data"] || found.display || found)))
      : [...table.tBodies[0].rows].map((row) => [...row.cells].map((found) => found.textContent));
    return [line(titles), line(rules), ...body.map((row) => line(row.map((text) => cell(String(text)))))].join("\n");
  }

  async function copy(text, fallback) {
    const status = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(fallback);
      status.textContent = "Selected; copy it with the keyboard.";
    }
  }

  for (const button of document.querySelectorAll("button.copy, button.copy-table")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      if (button.classList.contains("copy")) {
        const code = button.parentElement.querySelector("code");
        copy(code.textContent, code);
      } else {
        const table = button.closest("table");
        copy(markdown(table), table);
      }
    });
  }
})();
