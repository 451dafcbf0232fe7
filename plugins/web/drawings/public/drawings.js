// Drawings in the page editor: opens draw.io in a dialog (`drawing_frame.js`), uploads what was drawn, and puts it into the text, in place
// of the drawing that was changed. `own`, `listen`, `one`, `all` and `byId` are those of web.js, which is loaded before.

(() => {
  const WAIT_MS = 10_000;
  const given = own(own(document, "currentScript"), "dataset");
  const words = JSON.parse(given.texts);
  const form = byId("editor");
  if (!form) return;
  const area = byId("field-content");
  const element = (name, members = {}) => Object.assign(own(document, "createElement")(name), members);
  const isRich = () => own(form, "dataset").surface === "rich";
  // Ids by the addresses of pictures, since an editor may show a picture alone.
  const known = new Map();

  function learn(text) {
    for (const [, id, src] of text.matchAll(/drawio-diagram=["']?(\d{1,10})["']?[^>]*>\s*<img[^>]*?\ssrc="([^"]*)"/g))
      known.set(new URL(src, location.href).href, id);
  }

  function htmlOf({ id, url }) {
    const picture = element("img", { src: url });
    const around = element("div");
    around.setAttribute("drawio-diagram", id);
    around.append(picture);
    return around.outerHTML;
  }

  // A new page has a draft page, which images are uploaded to, once its draft was saved.
  async function pageId() {
    const said = own(form, "dataset");
    if (said.page === "") area.dispatchEvent(new Event("input", { bubbles: true }));
    for (const end = Date.now() + WAIT_MS; said.page === "" && Date.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 100));
    if (said.page === "") throw new Error(words.noPage);
    return said.page;
  }

  async function upload(picture) {
    const body = new FormData();
    body.set("image", asBlob(picture), "drawing.png");
    const response = await fetch(given.drawings + (await pageId()), {
      method: "POST",
      body,
      headers: { accept: "application/json" },
      redirect: "error",
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error?.message ?? String(response.status));
    return answer;
  }

  // The policy lets no script fetch a data URL.
  function asBlob(address) {
    const text = atob(address.slice(address.indexOf(",") + 1));
    return new Blob([Uint8Array.from(text, (letter) => letter.charCodeAt(0))], { type: "image/png" });
  }

  async function pictureOf(id) {
    const response = await fetch(given.drawings + id);
    if (!response.ok) throw new Error(words.notLoaded);
    const bytes = new Uint8Array(await response.arrayBuffer());
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return `data:image/png;base64,${btoa(text)}`;
  }

  function put(made, old) {
    const html = htmlOf(made);
    known.set(new URL(made.url, location.href).href, String(made.id));
    if (old === "") {
      const detail = { html, markdown: `\n\n${html}\n\n`, at: "cursor" };
      own(form, "dispatchEvent")(new CustomEvent("editor-insert", { detail }));
    } else if (isRich()) {
      const detail = { attribute: "drawio-diagram", value: old, html };
      own(form, "dispatchEvent")(new CustomEvent("editor-replace", { detail }));
    } else replaceInText(old, html);
  }

  function replaceInText(old, html) {
    const start = area.value.search(new RegExp(`<div\\b[^>]*\\bdrawio-diagram=["']?${Number(old)}\\b`, "i"));
    const end = start < 0 ? -1 : area.value.indexOf("</div>", start);
    if (end < 0) throw new Error(words.notFound);
    area.setRangeText(html, start, end + "</div>".length, "preserve");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }

  async function open(old) {
    const state = element("p", { className: "fault", role: "alert" });
    const close = element("button", { type: "button", className: "small secondary outline", textContent: words.close });
    const head = element("div", { className: "drawing-head" });
    const frame = element("iframe", { src: given.frame, title: words.drawing });
    const dialog = element("dialog", { className: "drawing-dialog" });
    dialog.setAttribute("aria-label", words.drawing);
    head.append(state, close);
    dialog.append(head, frame);
    const picture = old === "" ? "" : await pictureOf(old).catch((error) => error);
    own(document, "body").append(dialog);
    const hear = ({ source, origin, data }) => {
      if (source === frame.contentWindow && origin === location.origin) void heard(data);
    };
    const heard = async ({ kind, picture: drawn }) => {
      if (kind === "ready" && typeof picture === "string")
        frame.contentWindow.postMessage({ kind: "open", picture }, location.origin);
      if (kind === "closed") dialog.close();
      if (kind !== "drawn") return;
      try {
        put(await upload(drawn), old);
        dialog.close();
      } catch (error) {
        state.textContent = words.failed.replace(":reason", () => error.message);
      }
    };
    if (picture instanceof Error) state.textContent = picture.message;
    listen(window, "message", hear);
    close.addEventListener("click", () => dialog.close());
    // The key would close it while something is drawn.
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.addEventListener("close", () => {
      EventTarget.prototype.removeEventListener.call(window, "message", hear);
      dialog.remove();
    });
    dialog.showModal();
  }

  // A button on each drawing of the preview, and one beside the rich editor for the drawing that is chosen there.
  const button = (id) => {
    const made = element("button", {
      type: "button",
      className: "small secondary drawing-edit",
      textContent: words.edit,
    });
    made.dataset.drawing = id;
    return made;
  };

  function mark() {
    learn(area.value);
    for (const drawing of all("#preview [drawio-diagram]")) {
      if (!one(".drawing-edit", drawing)) drawing.append(button(drawing.getAttribute("drawio-diagram")));
    }
  }

  const chosen = element("p", { className: "drawing-chosen", hidden: true });
  function showChosen() {
    const picture = one("#rich-text .ProseMirror-selectednode img") ?? one("#rich-text img.ProseMirror-selectednode");
    const id = picture ? known.get(picture.src) : undefined;
    chosen.hidden = id === undefined;
    if (id === undefined) return;
    const surface = one(".rich-surface");
    if (surface && chosen.previousElementSibling !== surface) surface.after(chosen);
    if (one("button", chosen)?.dataset.drawing !== id) chosen.replaceChildren(button(id));
  }

  listen(document, "click", ({ target }) => {
    const pressed = target instanceof Element ? target.closest("[data-drawing]") : null;
    if (pressed) void open(pressed.dataset.drawing);
  });
  listen(document, "selectionchange", () => setTimeout(showChosen));
  listen(document, "keyup", showChosen);
  const preview = byId("preview");
  if (preview) new MutationObserver(mark).observe(preview, { childList: true });
  mark();
})();
