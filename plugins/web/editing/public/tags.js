// Rows of tags: further ones, and suggestions of names and values that others use. The rows work without this script.

// A block scope, as scripts of a document share their global names.
(() => {
  const PAUSE_MS = 150;
  let last = 0;

  function addRow(button) {
    const rows = button.parentElement.querySelectorAll(".tag-row");
    const row = rows[rows.length - 1].cloneNode(true);
    for (const input of row.querySelectorAll("input")) {
      input.name = input.name.replace(/\[\d+\]/, `[${rows.length}]`);
      input.value = "";
    }
    button.before(row);
    row.querySelector("input").focus();
  }

  // The list that the browser offers below a field.
  function listOf(fields) {
    const shown = fields.querySelector("datalist") ?? own(document, "createElement")("datalist");
    shown.id = "tag-suggestions";
    fields.append(shown);
    return shown;
  }

  async function suggest(input, fields) {
    last++;
    const number = last;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (number !== last) return;
    const query = new URLSearchParams({ query: input.value });
    if (input.name.endsWith("[value]")) {
      const name = input.parentElement.querySelector("input").value;
      if (name.trim() === "") return;
      query.set("name", name);
    }
    try {
      const response = await fetch(`${fields.dataset.suggestions}?${query}`, {
        headers: { accept: "application/json" },
      });
      const { data = [] } = await response.json();
      if (number !== last) return;
      const options = data.map((value) => {
        const option = own(document, "createElement")("option");
        option.value = value;
        return option;
      });
      listOf(fields).replaceChildren(...options);
      input.setAttribute("list", "tag-suggestions");
    } catch {
      // Without a connection nothing is suggested, and what was typed stays.
    }
  }

  listen(document, "click", (event) => {
    const button = event.target.closest?.("[data-add-row]");
    if (button) addRow(button);
  });
  for (const type of ["focusin", "input"])
    listen(document, type, ({ target }) => {
      const fields = target.closest?.(".tag-row input") && target.closest("[data-suggestions]");
      if (fields) void suggest(target, fields);
    });
})();
