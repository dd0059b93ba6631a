"use strict";
(() => {
  const rows = JSON.parse(document.getElementById("rows").textContent);
  const escaped = (text) => String(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
  // A cell is text, or text and the number that it is sorted by.
  const render = (cell, type) => {
    const [text, value] = Array.isArray(cell) ? cell : [cell, cell];
    if (type === "display") return `<bdi>${escaped(text)}</bdi>`;
    return type === "sort" || type === "type" ? value : text;
  };
  const language = { search: "Search:", lengthMenu: "_MENU_ rows", info: "_START_ to _END_ of _TOTAL_", infoEmpty: "no rows",
    infoFiltered: "(out of _MAX_)", emptyTable: "no rows", zeroRecords: "no row has that" };

  // A choice for each column of few names, such as the run and the metric.
  function addFilters(table, api, name) {
    const box = document.createElement("div");
    box.className = "filters dt-layout-row";
    api.columns().every(function () {
      const column = this, title = column.title();
      if (column.header().classList.contains("number") || column.index() === 0 && name === "queries") return;
      const values = [...new Set(column.data().toArray().map((cell) => Array.isArray(cell) ? cell[0] : cell))];
      if (values.length < 2 || values.length > 200 || /interval/.test(title)) return;
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
    const numbers = [...table.tHead.rows[0].cells].flatMap((cell, place) => cell.classList.contains("number") ? [place] : []);
    const all = [...table.tHead.rows[0].cells].keys();
    const columns = [
      { targets: numbers, className: "number", type: "num" },
      ...(known ? [{ targets: [...all], render }, { targets: 0, cellType: "th",
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
    box.replaceChildren();
    const parent = table.parentElement;
    parent.insertBefore(box, table);
    box.append(table);
    addFilters(table, api, name);
  }

  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("code"), status = document.getElementById("copied");
      try {
        await navigator.clipboard.writeText(code.textContent);
        status.textContent = "Copied.";
      } catch {
        getSelection().selectAllChildren(code);
        status.textContent = "Selected; copy it with the keyboard.";
      }
    });
  }
})();
