// The drawer of the editor: templates, and the attachments and pictures of the page, which are changed without leaving the text. Without this script
// there is the screen of attachments.

// A block scope, as scripts of a document share their global names.
(() => {
  const drawer = byId("editor-drawer");
  if (!form || !drawer) return;
  const data = drawer.dataset;
  const words = JSON.parse(data.texts);
  const filled = (text, name) => text.replace(":name", name);

  function make(tag, attributes = {}, ...parts) {
    const made = own(document, "createElement")(tag);
    for (const [name, value] of Object.entries(attributes))
      if (typeof value === "function") made.addEventListener(name, value);
      else if (value !== undefined) made.setAttribute(name, value);
    made.append(...parts);
    return made;
  }

  const button = (text, run, attributes = {}) =>
    make("button", { type: "button", class: "small secondary outline", click: run, ...attributes }, text);

  // Fields of the drawer's own are no part of the page.
  const isOwn = ({ target }) => !target.name;

  async function ask(path, body) {
    const sent = body && new FormData();
    for (const [name, value] of Object.entries(body ?? {})) sent.set(name, value);
    const response = await fetch(path, {
      method: body ? "POST" : "GET",
      body: sent,
      headers: { accept: "application/json" },
      redirect: "error",
    }).catch(() => undefined);
    const answer = await response?.json().catch(() => undefined);
    if (response?.ok && answer) return answer;
    throw new Error(answer?.error?.message || words.failed);
  }

  const insert = (detail) => own(form, "dispatchEvent")(new CustomEvent("editor-insert", { detail }));
  const plain = (name) => name.replace(/[[\]"<>&]/g, " ").trim();

  const files = byId("drawer-files");
  const list = files?.querySelector(".drawer-list");
  const told = files?.querySelector(".uploads");
  const picker = files?.querySelector("input[type=file]");
  let replaced;

  function fault(message) {
    told.append(make("li", {}, make("span", { class: "fault", role: "alert" }, message)));
  }

  // Does something to an attachment, and shows the list as it is then.
  async function change(id, body, focus) {
    told.replaceChildren();
    try {
      await ask(data.file + id, body);
    } catch (error) {
      fault(error.message);
    }
    await showFiles();
    const row = list.querySelector(`[data-id="${id}"]`) ?? list.querySelector("li");
    (row?.querySelector(focus) ?? files.querySelector("[data-add-files]")).focus();
  }

  async function showFiles() {
    if (!files || said.page === "") return;
    try {
      const { data: found } = await ask(data.files + said.page);
      list.replaceChildren(...found.map((file, at) => rowOf(file, at, found.length)));
    } catch (error) {
      fault(error.message);
    }
  }

  function rowOf({ id, name, external, url }, at, count) {
    const link = make("a", { href: url, target: "_blank", rel: "noopener" }, name);
    const acts = make(
      "div",
      { class: "actions" },
      button(words.insert, () =>
        insert({
          html: own(make("p", {}, make("a", { href: url }, name)), "outerHTML"),
          markdown: `[${plain(name)}](${url})`,
          at: "cursor",
        }),
      ),
      button(words.rename, () => rename(row, id, name)),
    );
    if (!external) acts.append(button(words.replace, () => choose(id)));
    if (at > 0) acts.append(button(words.up, () => change(id, { order: String(at) }, "summary")));
    if (at < count - 1) acts.append(button(words.down, () => change(id, { order: String(at + 2) }, "summary")));
    acts.append(button(words.delete, () => void remove(id, name), { class: "small danger" }));
    const menu = make("summary", { "aria-label": filled(words.actions, name) }, "\u22EF");
    const row = make("li", { "data-id": String(id) }, link, make("details", {}, menu, acts));
    return row;
  }

  function rename(row, id, name) {
    const field = make("input", {
      "aria-label": words.name,
      maxlength: "255",
      keydown(event) {
        if (event.key === "Escape") void change(id, { name }, "summary");
        if (event.key !== "Enter") return;
        event.preventDefault();
        void change(id, { name: field.value }, "summary");
      },
    });
    field.value = name;
    row.querySelector("a").replaceWith(field);
    row.querySelector("details").open = false;
    field.select();
  }

  function remove(id, name) {
    const dialog = byId("dialog");
    const act = (run) => () => {
      dialog.close();
      return run?.();
    };
    const cancel = make("button", { type: "button", class: "secondary", autofocus: "", click: act() }, words.cancel);
    const confirm = make(
      "button",
      { type: "button", class: "danger", click: act(() => change(id, { act: "delete" }, "summary")) },
      words.delete,
    );
    dialog.replaceChildren(
      make(
        "section",
        { class: "confirm" },
        make("h2", {}, filled(words.question, name)),
        make("p", {}, words.detail),
        make("div", { class: "ends" }, cancel, confirm),
      ),
    );
    dialog.showModal();
    cancel.focus();
  }

  function choose(id) {
    replaced = id;
    picker.multiple = id === undefined;
    picker.click();
  }

  // One after another, so that they keep the order in which they were chosen.
  async function add(chosen) {
    told.replaceChildren();
    const fit = chosen.filter((file) => {
      if (file.size <= Number(data.limit)) return true;
      fault(filled(words.large, file.name));
      return false;
    });
    const rows = fit.map((file) => {
      const bar = make("progress", { max: "1", value: "0", "aria-label": filled(words.uploading, file.name) });
      return told.appendChild(make("li", {}, file.name, bar));
    });
    for (const [index, file] of fit.entries()) {
      try {
        await send(file, rows[index].querySelector("progress"));
      } catch (error) {
        fault(error.message === "" ? filled(words.lost, file.name) : `${file.name}: ${error.message}`);
      }
      rows[index].remove();
    }
    await showFiles();
  }

  async function send(file, bar) {
    // A new page has a draft page, which files are attached to, once its draft was saved.
    if (said.page === "") await keepNow();
    if (said.page === "") throw new Error("");
    const body = new FormData();
    body.set("file", file);
    const request = new XMLHttpRequest();
    const done = new Promise((resolve) => request.addEventListener("loadend", resolve));
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.max = total;
      bar.value = loaded;
    });
    request.open("POST", data.files + said.page);
    request.setRequestHeader("accept", "application/json");
    request.send(body);
    await done;
    if (request.status !== 200) throw new Error(answerOf(request).error?.message ?? "");
  }

  const pictures = byId("drawer-pictures");

  async function showPictures() {
    if (!pictures || said.page === "") return;
    const { data: found } = await ask(data.pictures + said.page).catch(() => ({ data: [] }));
    pictures.querySelector(".drawer-empty").hidden = found.length > 0;
    pictures.querySelector(".drawer-pictures").replaceChildren(
      ...found.map(({ name, thumb, html, markdown }) => {
        const image = make("img", { src: thumb, alt: "", loading: "lazy", width: "96", height: "96" });
        const label = filled(words.insertPicture, name);
        const place = () => insert({ html, markdown, at: "cursor" });
        return make(
          "li",
          {},
          make("button", { type: "button", title: name, "aria-label": label, click: place }, image),
        );
      }),
    );
  }

  async function showTemplates() {
    const part = byId("drawer-templates");
    if (!part) return;
    const { data: found } = await ask(data.templates).catch(() => ({ data: [] }));
    part.hidden = found.length === 0;
    part.querySelector(".drawer-list").replaceChildren(
      ...found.map(({ name, html, markdown }) => {
        const acts = ["start", "cursor", "end"].map((at) => button(words[at], () => insert({ html, markdown, at })));
        const menu = make("summary", { "aria-label": filled(words.template, name) }, name);
        return make("li", {}, make("details", {}, menu, make("div", { class: "actions" }, ...acts)));
      }),
    );
  }

  // Below the text on a phone, where it is opened when it is needed.
  if (matchMedia("(max-width: 52rem)").matches) drawer.open = false;
  for (const type of ["input", "change"])
    drawer.addEventListener(type, (event) => {
      if (isOwn(event)) event.stopPropagation();
    });
  if (files) {
    files.querySelector("[data-add-files]").addEventListener("click", () => choose());
    picker.addEventListener("change", () => {
      const chosen = [...picker.files];
      picker.value = "";
      if (replaced === undefined) void add(chosen);
      else if (chosen.length > 0) void change(replaced, { file: chosen[0] }, "summary");
    });
  }
  // Read again where the page has become one, or its text has other pictures: a list that is drawn anew closes what is open in it.
  const seen = () => `${said.page} ${String(typed().get("content")).split("/uploads/images/").length}`;
  let shown = seen();
  listen(form, "editor-kept", () => {
    if (shown === seen()) return;
    if (shown.split(" ")[0] !== said.page) void showFiles();
    void showPictures();
    shown = seen();
  });
  void showFiles();
  void showPictures();
  void showTemplates();
})();
