// Shows code blocks of diagrams as pictures. A frame of an origin of its own draws them one by one (`frame.ts`); what it answers is
// checked and shown as the picture of an `<img>`. Without this script the code stays.
// `own`, `listen`, `one` and `all` are those of web.js, which is loaded before.

// The names of a script of screens are those of all of them.
(() => {
  const LONGEST_MS = 15_000;
  const IDLE_MS = 60_000;
  const MOST_DIAGRAMS = 100;
  const MOST_CHARS = 2_000_000;
  const MOST_REASON = 500;
  const MOST_PIXELS = 30_000;
  const BLOCKS = ".page-content:not(.rich-text) pre > code.language-mermaid";
  // Nothing in the picture of an <img> runs, loads or leads anywhere; what would elsewhere is no diagram of the library.
  const PICTURE = /^<svg\s.*<\/svg>$/s;
  const REFUSED =
    /<(?:\?|!|script|foreignobject|iframe|object|embed|image|feimage|audio|video|handler)|\son[a-z]+\s*=|href\s*=\s*(?!["']#)/i;

  const given = own(own(document, "currentScript"), "dataset");
  const words = JSON.parse(given.texts);
  const filled = (text, reason) => text.replace(":reason", () => reason);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () =>
    (own(document, "documentElement").dataset.theme ?? (scheme.matches ? "dark" : "light")) === "dark";
  const element = (name, members = {}) => Object.assign(own(document, "createElement")(name), members);

  // The frame, and the drawing that it is asked for: one at a time, so that one that never ends costs itself alone.
  let frame;
  let answered;
  let last = Promise.resolve();
  let lastId = 0;
  let idle;

  function opened() {
    if (frame) return frame.ready;
    const shown = element("iframe", { src: given.frame, className: "diagram-frame", tabIndex: -1 });
    shown.sandbox.add("allow-scripts");
    shown.setAttribute("aria-hidden", "true");
    const begun = { shown };
    begun.ready = within(
      LONGEST_MS,
      new Promise((resolve, reject) => {
        answered = ({ ready }) => (ready ? resolve() : reject(new Error(words.lost)));
      }),
      words.lost,
    );
    frame = begun;
    own(document, "body").append(shown);
    return begun.ready;
  }

  function close() {
    clearTimeout(idle);
    frame?.shown.remove();
    frame = undefined;
  }

  function within(ms, promise, reason) {
    let timer;
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(reason)), ms);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }

  async function asked(text, dark) {
    try {
      await opened();
      lastId++;
      const id = lastId;
      const answer = new Promise((resolve, reject) => {
        answered = (data) => {
          if (data.id !== id) return;
          if (data.error === undefined) resolve(data);
          else reject(Object.assign(new Error(String(data.error).slice(0, MOST_REASON)), { isOfText: true }));
        };
      });
      // A frame of another origin gives its own no name, so the message goes to whoever is in it: the text is on the screen anyway.
      frame.shown.contentWindow.postMessage({ id, text, isDark: dark }, "*");
      const picture = pictureOf(await within(LONGEST_MS, answer, words.slow));
      // The library takes some 50 MB of the browser's memory.
      clearTimeout(idle);
      idle = setTimeout(close, IDLE_MS);
      return picture;
    } catch (error) {
      if (!error.isOfText) close();
      throw error;
    }
  }

  const made = new Map();

  // The picture of a text: { address, width, height, title }.
  function pictureFor(text, dark) {
    const key = `${dark} ${text}`;
    const found = made.get(key);
    if (found) return found;
    if (made.size > MOST_DIAGRAMS) made.clear();
    const drawn = last.then(() => asked(text, dark));
    last = drawn.catch(() => {});
    made.set(key, drawn);
    return drawn;
  }

  // Checks what the frame answered by its text: parsed here, its styles would be refused by the policy of the screen. Throws where it is no picture.
  function pictureOf({ svg, width, height, title }) {
    const isSize = (value) => typeof value === "number" && value > 0 && value < MOST_PIXELS;
    if (typeof svg !== "string" || typeof title !== "string" || svg.length > MOST_CHARS) throw refused();
    if (!isSize(width) || !isSize(height) || !PICTURE.test(svg) || REFUSED.test(svg)) throw refused();
    const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    return { address, width: Math.ceil(width), height: Math.ceil(height), title };
  }

  const refused = () => Object.assign(new Error(words.refused), { isOfText: true });

  // A block: its code, where it is shown, and the picture in its place.
  async function show(block) {
    const text = block.code.textContent;
    const dark = isDark();
    try {
      const { address, width, height, title } = await pictureFor(text, dark);
      const image = element("img", { src: address, width, height, alt: title === "" ? text.trim() : title });
      await image.decode().catch(() => {
        throw refused();
      });
      if (!block.place.isConnected) return;
      const details = one("details", block.figure) ?? element("details");
      if (!details.firstChild) details.append(element("summary", { textContent: words.source }));
      block.figure.className = dark ? "diagram is-dark" : "diagram";
      block.place.replaceWith(block.figure);
      details.append(block.pre);
      block.figure.replaceChildren(image, details);
      block.place = block.figure;
    } catch (error) {
      if (!block.place.isConnected) return;
      block.fault ??= element("p", { className: "fault diagram-fault" });
      block.fault.textContent = filled(words.failed, error.message);
      block.pre.before(block.fault);
    }
  }

  const blocks = new Set();
  const seen = new WeakSet();

  function look() {
    for (const block of blocks) if (!block.place.isConnected && !block.pre.isConnected) blocks.delete(block);
    for (const code of all(BLOCKS)) {
      if (seen.has(code) || blocks.size >= MOST_DIAGRAMS) continue;
      seen.add(code);
      const pre = code.parentElement;
      const block = { code, pre, place: pre, figure: element("figure") };
      blocks.add(block);
      void show(block);
    }
  }

  listen(window, "message", ({ source, data }) => {
    if (frame && source === frame.shown.contentWindow && typeof data === "object" && data !== null) answered(data);
  });
  listen(scheme, "change", () => {
    for (const block of blocks) void show(block);
  });
  look();
  const preview = one("#preview");
  if (preview) new MutationObserver(look).observe(preview, { childList: true, subtree: true });
})();
