// Rows of tags: further ones, and suggestions of names and values that others use. The rows work without this script.

// A block scope, as scripts of a document share their global names.
(() => {
  const PAUSE_MS = 150;
  let last = 0;
  let offered;

  function addRow(button) {
    const rows = button.parentElement.querySelectorAll(".tag-row");
    const row = rows[rows.length - 1].cloneNode(true);
    for (const input of row.querySelectorAll("input")) {
      input.name = input.name.replace(/\[\d+\]/, `[${rows.length}]`);
      input.value = "";
      input.removeAttribute("list");
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

  // The list belongs to one field at a time: at once, so that the arrow keys open it there, and without what another field was offered.
  function offer(input, fields) {
    if (input.getAttribute("list") && input === offered) return;
    offered?.removeAttribute("list");
    offered = input;
    listOf(fields).replaceChildren();
    input.setAttribute("list", "tag-suggestions");
  }

  async function suggest(input, fields) {
    last++;
    const number = last;
    offer(input, fields);
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
