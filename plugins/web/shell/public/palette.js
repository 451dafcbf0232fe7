// What may be meant, while somebody types: below the search box of the header, and in a dialog (Ctrl+K, Cmd+K or "/"). Both are comboboxes with
// a listbox of groups: what the server suggests, the actions of this screen and of the menus, and the search itself. Without this script, or
// without an answer, the box leads to the search screen.

// A block scope, as scripts of a document share their global names.
(() => {
  const form = one("form.search[data-suggestions]");
  const box = form && one("input[type=search]", form);
  if (!box) return;
  const words = JSON.parse(form.dataset.texts);
  const PAUSE_MS = 120;
  const SLOW_MS = 400;
  // Answers that are kept while this document is shown, for letters that are taken back.
  const MAX_KEPT = 30;
  const MAX_ACTIONS = 8;
  const kept = new Map();

  const make = (tag, attributes = {}, ...parts) => {
    const made = own(document, "createElement")(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...parts);
    return made;
  };
  const parsed = (markup) => [...new DOMParser().parseFromString(markup, "text/html").body.childNodes];
  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const filled = (text, name, value) => text.replace(`:${name}`, () => value);

  async function fetched(query, signal) {
    if (kept.has(query)) return kept.get(query);
    const address = `${form.dataset.suggestions}?${new URLSearchParams({ query })}`;
    // A session that has ended leads to the sign-in screen, whose markup is no answer.
    const response = await fetch(address, { signal, redirect: "error" });
    if (!response.ok) throw new Error(`found status ${response.status}`);
    const markup = await response.text();
    kept.set(query, markup);
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value);
    return markup;
  }

  // The actions of this screen, then those of the menus: what is offered there is permitted, and a script of theirs runs as if they were clicked.
  function actions(query) {
    const wanted = folded(query).split(/\s+/);
    const found = [];
    const seen = new Set();
    const offer = (text, icon, path, source) => {
      if (seen.has(text) || found.length >= MAX_ACTIONS) return;
      if (!wanted.every((word) => folded(text).includes(word))) return;
      seen.add(text);
      const option = make("a", { role: "option", tabindex: "-1", "aria-selected": "false" });
      if (path !== undefined) option.href = path;
      option.append(...(icon ? [icon, " "] : []), make("span", { class: "told" }, text));
      if (source) option.source = source;
      found.push(option);
    };
    const labelled = (source) => {
      const text = source.textContent.replace(/\s+/g, " ").trim();
      const href = source.matches("a") ? source.getAttribute("href") : undefined;
      if (text !== "") offer(text, one("svg", source)?.cloneNode(true), href, source);
    };
    const here = [...all("main .actions :is(a[href], button)")];
    const isInMenu = (source) => source.closest("details") !== null;
    for (const source of here.filter((each) => !isInMenu(each))) labelled(source);
    for (const { text, icon, path } of words.entries) offer(text, parsed(icon)[0], path);
    for (const source of here.filter(isInMenu)) labelled(source);
    for (const source of all("header.top nav.menu :is(a[href], button)")) labelled(source);
    return found;
  }

  // A combobox: `input` types, `list` is the listbox, `status` says what a screen reader has to know.
  function combobox(input, list, status, { isChosen, leave, shown }) {
    let number = 0;
    let running;
    let timer;
    let active;

    const options = () => [...all("[role=option]", list)];

    function choose(option) {
      active?.setAttribute("aria-selected", "false");
      active = option;
      if (option) {
        option.setAttribute("aria-selected", "true");
        input.setAttribute("aria-activedescendant", option.id);
        option.scrollIntoView({ block: "nearest" });
      } else input.removeAttribute("aria-activedescendant");
    }

    function draw(suggested, told) {
      const query = input.value.trim();
      const groups = [...suggested];
      // Of what was opened last, this screen is of no use.
      for (const part of query === "" ? groups : [])
        if (part instanceof Element)
          for (const here of all("[role=option]", part)) if (here.pathname === location.pathname) here.remove();
      const found = actions(query);
      const title = `${list.id}-actions`;
      if (found.length > 0)
        groups.push(
          make(
            "div",
            { role: "group", "aria-labelledby": title },
            make("div", { class: "group", id: title }, words.actions),
            ...found,
          ),
        );
      if (query !== "") {
        const everywhere = make("a", { role: "option", tabindex: "-1", "aria-selected": "false" });
        everywhere.href = `${form.action}?${new URLSearchParams({ [box.name]: query })}`;
        const icon = parsed(words.icon)[0];
        everywhere.append(
          ...(icon ? [icon, " "] : []),
          make("span", { class: "told" }, filled(words.everywhere, "query", query)),
        );
        everywhere.className = "everywhere";
        groups.push(everywhere);
      }
      choose(undefined);
      list.replaceChildren(...groups);
      for (const [at, option] of options().entries()) option.id = `${list.id}-${at}`;
      // The ids of groups are once in a document, though there are two lists.
      for (const group of all("[role=group]", list)) {
        const label = one(".group", group);
        label.id = `${list.id}-${label.id}`;
        group.setAttribute("aria-labelledby", label.id);
      }
      status.textContent = told;
      shown(groups.length > 0);
    }

    async function ask(query, isNow) {
      number += 1;
      const mine = number;
      running?.abort();
      running = new AbortController();
      clearTimeout(timer);
      const { signal } = running;
      if (!kept.has(query)) {
        // Until it is answered nothing is chosen: Enter searches.
        choose(undefined);
        if (!isNow) await new Promise((resolve) => (timer = setTimeout(resolve, PAUSE_MS)));
        timer = setTimeout(() => draw([], words.waiting), SLOW_MS);
      }
      try {
        const markup = await fetched(query, signal);
        if (mine !== number) return;
        clearTimeout(timer);
        const suggested = parsed(markup);
        const count = suggested.reduce(
          (sum, part) => sum + (part instanceof Element ? all("[role=option]", part).length : 0),
          0,
        );
        const told = filled(words.found, "count", String(count));
        draw(suggested, count > 0 ? told : query === "" ? "" : words.none);
        if (isChosen) choose(options()[0]);
      } catch {
        // An aborted one is followed by another.
        if (mine !== number) return;
        clearTimeout(timer);
        draw([], words.failed);
      }
    }

    function open(option, isElsewhere) {
      if (isElsewhere && option.href) return void window.open(option.href, "_blank", "noopener");
      leave();
      // Entries of closed menus work as open ones do.
      if (option.source) return void option.source.click();
      location.assign(option.href);
      return undefined;
    }

    function close() {
      number += 1;
      running?.abort();
      clearTimeout(timer);
      choose(undefined);
      shown(false);
    }

    listen(input, "input", () => void ask(input.value.trim(), false));
    listen(input, "keydown", (event) => {
      if (event.isComposing) return;
      const list = options();
      const at = list.indexOf(active);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined && list.length > 0) {
        event.preventDefault();
        choose(list[at < 0 ? (step > 0 ? 0 : list.length - 1) : (at + step + list.length) % list.length]);
      } else if (event.key === "Enter") {
        if (active) {
          event.preventDefault();
          open(active, event.ctrlKey || event.metaKey);
        }
      } else if (event.key === "Escape" && input.getAttribute("aria-expanded") === "true") {
        // Browsers empty a search box.
        event.preventDefault();
        leave();
      }
    });
    listen(list, "mousedown", (event) => {
      // The focus stays in the field.
      if (event.button === 0) event.preventDefault();
    });
    listen(list, "click", (event) => {
      const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
      if (!option || event.button !== 0) return;
      // Without an address there is no other tab to open it in.
      if (option.href && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
      event.preventDefault();
      open(option, false);
    });
    return { ask, close };
  }

  function listFor(input, id, label) {
    const list = make("div", { id, role: "listbox", "aria-label": label, class: "suggestions" });
    const status = make("p", { role: "status", class: "suggestion-status" });
    for (const [name, value] of Object.entries({
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": id,
      "aria-autocomplete": "list",
      autocomplete: "off",
    }))
      input.setAttribute(name, value);
    return { list, status };
  }

  // Below the search box.
  const below = listFor(box, "search-suggestions", words.label);
  const popup = make("div", { class: "suggestion-popup", hidden: "" }, below.list, below.status);
  form.append(popup);
  const ofBox = combobox(box, below.list, below.status, {
    isChosen: false,
    leave: () => ofBox.close(),
    shown: (isShown) => {
      popup.hidden = !isShown || own(document, "activeElement") !== box;
      box.setAttribute("aria-expanded", String(!popup.hidden));
    },
  });
  box.setAttribute("aria-keyshortcuts", "Control+K Meta+K /");
  listen(box, "focus", () => {
    if (box.value.trim() !== "") void ofBox.ask(box.value.trim(), true);
  });
  listen(box, "blur", () => ofBox.close());
  listen(form, "submit", () => ofBox.close());

  // In a dialog, which is made when it is opened first.
  let dialog;
  let ofDialog;
  let field;
  function makeDialog() {
    field = make("input", { type: "search", "aria-label": words.label, placeholder: words.hint, enterkeyhint: "go" });
    const { list, status } = listFor(field, "palette-suggestions", words.label);
    const closer = make("button", { type: "button", class: "secondary outline small", title: "Esc" }, words.close);
    listen(closer, "click", () => dialog.close());
    const bar = make("div", { class: "palette-bar" }, field, closer);
    dialog = make(
      "dialog",
      { id: "palette", "aria-label": words.label },
      make("div", { class: "palette-box" }, bar, list, status),
    );
    ofDialog = combobox(field, list, status, {
      isChosen: true,
      leave: () => dialog.close(),
      shown: (isShown) => {
        list.hidden = !isShown;
        field.setAttribute("aria-expanded", String(isShown));
        if (!isShown && !dialog.open) list.replaceChildren();
      },
    });
    // Enter before there is an answer searches.
    listen(field, "keydown", (event) => {
      if (event.key !== "Enter" || event.defaultPrevented || event.isComposing || field.value.trim() === "") return;
      location.assign(`${form.action}?${new URLSearchParams({ [box.name]: field.value.trim() })}`);
    });
    listen(dialog, "click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    listen(dialog, "close", () => ofDialog.close());
    own(document, "body").append(dialog);
  }

  function openPalette() {
    if (!dialog) makeDialog();
    if (dialog.open) return field.select();
    // What was opened since is shown.
    kept.delete("");
    field.value = "";
    dialog.showModal();
    field.focus();
    return void ofDialog.ask("", true);
  }

  // Where the header has no room for the box, an icon leads to the search screen.
  listen(document, "click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a.search-button") : null;
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain) return;
    event.preventDefault();
    openPalette();
  });

  listen(document, "keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.repeat) return;
    const isCommand = event.ctrlKey !== event.metaKey && !event.shiftKey && event.key.toLowerCase() === "k";
    const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey;
    // Another dialog has its own keys.
    const isElsewhere = [...all("dialog[open]")].some((each) => each !== dialog);
    if (isElsewhere || (!isCommand && !isSlash) || (isSlash && isField(event.target))) return;
    // Editors have links at Ctrl+K.
    if (
      isCommand &&
      event.target instanceof Element &&
      (event.target.isContentEditable || event.target.matches("textarea"))
    )
      return;
    event.preventDefault();
    openPalette();
  });
})();
