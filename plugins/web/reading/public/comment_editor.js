// The small editor of comments: buttons and keys for formatting beneath a text area of Markdown, and a preview in its place. Without this script
// the text area stays, and the preview is a screen of its own, of which this script takes the preview. Helpers are those of web.js.

(() => {
  const around = one("[data-words]");
  if (!around) return;
  const [group, textWord, write, people, choice, ...names] = own(around, "dataset").words.split("|");
  const element = (name, members = {}) => Object.assign(own(document, "createElement")(name), members);

  // What a button does to the selected text: signs around it, or before each of its lines.
  const TOOLS = [
    { shape: "M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z", key: "b", around: ["**", "**"] },
    { shape: "M10 5h8M6 19h8M14 5l-4 14", key: "i", around: ["*", "*"] },
    {
      shape: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
      key: "k",
      run: link,
    },
    { shape: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01", before: "- " },
    { shape: "m8 7-5 5 5 5M16 7l5 5-5 5", run: code },
    { shape: "M5 5v14M10 8h9M10 12h9M10 16h6", before: "> " },
  ];

  // A picture of a path, beside which screen readers get the name of the button.
  function icon(shape) {
    const [svg, path] = ["svg", "path"].map((name) =>
      own(document, "createElementNS")("http://www.w3.org/2000/svg", name),
    );
    const look = {
      viewBox: "0 0 24 24",
      fill: "none",
      stroke: "currentColor",
      "stroke-width": "2.2",
      "stroke-linecap": "round",
      "aria-hidden": "true",
    };
    for (const [name, value] of Object.entries(look)) svg.setAttribute(name, value);
    path.setAttribute("d", shape);
    svg.append(path);
    return svg;
  }

  // Replaces a range of a text area so that it can be undone.
  function replace(area, [start, end], text, [from, to]) {
    area.focus();
    area.setSelectionRange(start, end);
    if (!own(document, "execCommand")("insertText", false, text)) {
      area.setRangeText(text, start, end, "end");
      area.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
    area.setSelectionRange(from, to);
  }

  function enclose(area, [open, close]) {
    const { selectionStart: start, selectionEnd: end, value } = area;
    const isWithin = value.slice(start - open.length, start) === open && value.slice(end, end + close.length) === close;
    const selected = value.slice(start, end);
    if (isWithin && (open !== "*" || value.slice(start - 2, start) !== "**")) {
      const at = start - open.length;
      return replace(area, [at, end + close.length], selected, [at, at + selected.length]);
    }
    // Blanks at the ends stay outside, as Markdown wants.
    const text = selected.trim() === "" ? selected : selected.trim();
    const before = text === "" ? "" : selected.slice(0, selected.indexOf(text));
    const after = selected.slice(before.length + text.length);
    const at = start + before.length + open.length;
    return replace(area, [start, end], before + open + text + close + after, [at, at + text.length]);
  }

  // Puts signs before lines, or takes them off where all have them.
  function prefix(area, sign) {
    const { value } = area;
    const start = value.lastIndexOf("\n", area.selectionStart - 1) + 1;
    const next = value.indexOf("\n", Math.max(area.selectionEnd - 1, area.selectionStart));
    const end = next < 0 ? value.length : next;
    const lines = value.slice(start, end).split("\n");
    const isOn = lines.every((line) => line.startsWith(sign));
    // A list or quote begins after a blank line.
    const gap =
      !isOn &&
      start > 0 &&
      !value.slice(0, start).endsWith("\n\n") &&
      !value.slice(0, start).split("\n").at(-2).startsWith(sign);
    const text = lines.map((line) => (isOn ? line.slice(sign.length) : sign + line)).join("\n");
    const at = start + (gap ? 1 : 0) + text.length;
    replace(area, [start, end], (gap ? "\n" : "") + text, [at, at]);
  }

  function link(area) {
    const { selectionStart: start, selectionEnd: end, value } = area;
    const selected = value.slice(start, end);
    const isAddress = /^https?:\/\/\S+$/.test(selected);
    const [text, address] = isAddress ? [textWord, selected] : [selected || textWord, "https://"];
    const at = start + (isAddress ? 1 : text.length + 3);
    replace(area, [start, end], `[${text}](${address})`, [at, at + (isAddress ? text.length : address.length)]);
  }

  function code(area) {
    const selected = area.value.slice(area.selectionStart, area.selectionEnd);
    enclose(area, selected.includes("\n") ? ["```\n", "\n```"] : ["`", "`"]);
  }

  function run(tool, area) {
    if (tool.run) tool.run(area);
    else if (tool.around) enclose(area, tool.around);
    else prefix(area, tool.before);
  }

  // Adds the buttons to the form of a text area.
  function equip(area) {
    const form = area.closest("form.comment-fields");
    if (!form || form.dataset.equipped || one("input[name=format]", form)?.value !== "markdown") return;
    form.dataset.equipped = "";
    const tools = element("div", { className: "comment-tools" });
    tools.setAttribute("role", "group");
    tools.setAttribute("aria-label", group);
    for (const [at, tool] of TOOLS.entries()) {
      const button = element("button", { type: "button", className: "secondary outline", title: names[at] });
      button.append(icon(tool.shape));
      button.setAttribute("aria-label", names[at]);
      if (tool.key) button.setAttribute("aria-keyshortcuts", `Control+${tool.key.toUpperCase()}`);
      // The text keeps its focus and selection.
      listen(button, "mousedown", (event) => event.preventDefault());
      listen(button, "click", () => run(tool, area));
      tools.append(button);
    }
    one(".ends", form).append(tools);
    offerPeople(area, form);
    listen(area, "keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.isComposing) return;
      if (event.key === "Enter") {
        event.preventDefault();
        form.requestSubmit();
      }
      const tool = TOOLS.find(({ key }) => key === event.key.toLowerCase());
      if (!tool) return;
      event.preventDefault();
      // Keys of other scripts, such as that of the search, do not run too.
      event.stopPropagation();
      run(tool, area);
    });
    listen(form, "submit", (event) => {
      if (event.submitter?.name !== "preview") return;
      event.preventDefault();
      void preview(form, area, event.submitter);
    });
  }

  // People who can be mentioned, behind an @ that is within no address and no word: arrow keys choose, Enter and Tab take one, Escape leaves it.
  const MENTION = /(?:^|[^\p{L}\p{N}_@./-])@([\p{L}\p{N}_-]{0,40})$/u;
  let lists = 0;
  function offerPeople(area, form) {
    const list = element("ul", { className: "comment-people", id: `comments-people-${++lists}`, hidden: true });
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", people);
    const spoken = element("p", { className: "unseen", role: "status" });
    area.closest("label").after(list, spoken);
    let found = [];
    let current = 0;
    let search = 0;
    const typed = () => MENTION.exec(area.value.slice(Math.max(0, area.selectionStart - 50), area.selectionStart))?.[1];
    const close = () => {
      search++;
      found = [];
      list.hidden = true;
      spoken.textContent = "";
      for (const name of ["aria-controls", "aria-activedescendant"]) area.removeAttribute(name);
    };
    const take = ({ slug }) => {
      const end = area.selectionStart;
      const start = end - typed().length;
      close();
      replace(area, [start, end], `${slug} `, [start + slug.length + 1, start + slug.length + 1]);
    };
    const draw = () => {
      list.replaceChildren(
        ...found.map((person, at) => {
          const option = element("li", { id: `${list.id}-${at}`, textContent: `${person.name} · @${person.slug}` });
          option.setAttribute("role", "option");
          option.setAttribute("aria-selected", String(at === current));
          listen(option, "mousedown", (event) => {
            event.preventDefault();
            take(person);
          });
          return option;
        }),
      );
      list.hidden = false;
      area.setAttribute("aria-controls", list.id);
      area.setAttribute("aria-activedescendant", `${list.id}-${current}`);
      const values = { name: found[current].name, number: current + 1, count: found.length };
      spoken.textContent = choice.replace(/:(name|number|count)/g, (_, name) => values[name]);
    };
    const ask = async () => {
      const query = typed();
      if (query === undefined) return close();
      const number = ++search;
      await new Promise((resolve) => setTimeout(resolve, 150));
      if (number !== search) return undefined;
      const root = form.action.slice(0, form.action.lastIndexOf("/comments"));
      const address = `${root}/comments/people/${one("[name=page_id]", form).value}?query=${encodeURIComponent(query)}`;
      const response = await fetch(address, { headers: { accept: "application/json" } }).catch(() => undefined);
      const { data = [] } = response?.ok ? await response.json() : {};
      if (number !== search) return undefined;
      if (data.length === 0) return close();
      [found, current] = [data, 0];
      return draw();
    };
    listen(area, "input", ask);
    listen(area, "blur", close);
    listen(area, "keydown", (event) => {
      if (list.hidden || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const by = { ArrowDown: 1, ArrowUp: found.length - 1 }[event.key];
      if (by) {
        current = (current + by) % found.length;
        draw();
      } else if (event.key === "Enter" || event.key === "Tab") take(found[current]);
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // Shows the preview in place of the text, and the text again.
  async function preview(form, area, button) {
    const shown = one(".comment-preview", form);
    if (shown) {
      shown.remove();
      area.hidden = false;
      button.textContent = button.dataset.text;
      return area.focus();
    }
    const body = new URLSearchParams(new FormData(form));
    body.set("preview", "1");
    const response = await fetch(form.action, { method: "POST", body, headers: { accept: "text/html" } }).catch(
      () => undefined,
    );
    const page = response?.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : undefined;
    const found = page && one(".comment-preview", page);
    // The form itself shows what is wrong.
    if (!found) {
      form.append(element("input", { type: "hidden", name: "preview", value: "1" }));
      return form.submit();
    }
    const box = own(document, "adoptNode")(found);
    box.style.minHeight = `${area.offsetHeight}px`;
    area.after(box);
    area.hidden = true;
    button.dataset.text = button.textContent;
    button.textContent = write;
    box.tabIndex = -1;
    return box.focus();
  }

  const begin = ({ target }) => {
    if (target instanceof Element && target.matches("form.comment-fields textarea[name=text]")) equip(target);
  };
  listen(document, "focusin", begin);
  const active = own(document, "activeElement");
  if (active) begin({ target: active });
})();
