// Progressive enhancement: the screens work without this script.
// There is no inline code, so that the Content-Security-Policy stays strict.

// Reads a property from the prototypes, as named elements of content shadow properties of documents and forms (`<img name=body>`).
function own(target, name) {
  for (let from = Object.getPrototypeOf(target); from; from = Object.getPrototypeOf(from)) {
    const found = Object.getOwnPropertyDescriptor(from, name);
    if (found) return found.get ? found.get.call(target) : found.value.bind(target);
  }
  return undefined;
}
const listen = (target, name, run, options) => EventTarget.prototype.addEventListener.call(target, name, run, options);
const one = (selector, within = document) => own(within, "querySelector")(selector);
const all = (selector, within = document) => own(within, "querySelectorAll")(selector);
const byId = (id) => own(document, "getElementById")(id);

// Times in the user's time zone.
function localise(within) {
  const format = new Intl.DateTimeFormat(own(document, "documentElement").lang || undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  for (const time of all("time[datetime]:not([data-local])", within)) {
    time.title = time.textContent ?? "";
    time.textContent = format.format(new Date(time.dateTime));
    time.dataset.local = "";
  }
}

// Copy buttons, also without a secure context; leaving before a secret was copied asks once.
let uncopied = new Set();
async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = own(document, "createElement")("textarea");
    area.value = text;
    area.className = "unseen";
    own(document, "body").append(area);
    area.select();
    own(document, "execCommand")("copy");
    area.remove();
    button.focus();
  }
  const label = one("span", button) ?? button;
  const before = label.textContent;
  if (before === button.dataset.done) return;
  label.textContent = button.dataset.done;
  setTimeout(() => (label.textContent = before), 2000);
}

async function copy(button) {
  const source = byId(button.dataset.copy);
  if (!source) return;
  await copyText(source.value, button);
  // After one of several secrets was copied, leaving asks no more.
  if (uncopied.has(source.id)) uncopied = new Set();
}

function reveal(button) {
  const source = byId(button.dataset.reveal);
  if (!source) return;
  const shown = source.type === "text";
  source.type = shown ? "password" : "text";
  button.setAttribute("aria-pressed", String(!shown));
}

// Where a dialog was opened; in a menu that has closed since, the menu.
function focusAgain(opener) {
  const menu = opener.checkVisibility() ? null : opener.closest("details");
  (menu ? one("summary", menu) : opener)?.focus();
}

// A confirmation in a dialog instead of a screen of its own.
async function ask(link, opener = link) {
  const dialog = one("#dialog");
  const response = await fetch(link.href, { headers: { accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const main = one("main .confirm", page);
  if (!response.ok || !main) return location.assign(link.href);
  dialog.replaceChildren(own(document, "adoptNode")(main));
  listen(dialog, "close", () => focusAgain(opener), { once: true });
  dialog.showModal();
  one("[autofocus]", dialog)?.focus();
  return undefined;
}

listen(document, "click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const found = (selector) => target?.closest(selector);
  if (found("[data-copy]")) return void copy(found("[data-copy]"));
  if (found("[data-reveal]")) return void reveal(found("[data-reveal]"));
  if (found("[data-print]")) return window.print();
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (found("a[data-dialog]") && isPlain) {
    event.preventDefault();
    return void ask(found("a[data-dialog]"));
  }
  if (found("dialog [data-close]")) {
    event.preventDefault();
    return one("#dialog").close();
  }
  // Menus close at a click elsewhere.
  for (const menu of all("details.dropdown[open]")) if (!menu.contains(target)) menu.open = false;
  return undefined;
});

// Whether keys mean letters there.
const isField = (target) =>
  target instanceof Element &&
  (target.isContentEditable ||
    target.matches("input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select"));

// How much is new behind an entry of the menu, which the document, that is kept, cannot say; on the screen of the entry itself it is asked anew.
async function showCount(link) {
  const cache = link.matches("[aria-current]") ? "reload" : "default";
  // A session that has ended leads to the sign-in screen, whose markup is no number.
  const response = await fetch(link.dataset.count, { cache, redirect: "error" });
  if (!response.ok) return;
  const made = new DOMParser().parseFromString(await response.text(), "text/html").body;
  const said = one(".unseen", made)?.textContent;
  if (!said) return;
  link.append(" ", ...made.childNodes);
  // Where the menu is folded, its button says so.
  const button = one(".menu-button");
  if (!button) return;
  button.dataset.new = "";
  button.ariaLabel += ` ${said}`;
}
for (const link of all("a[data-count]"))
  showCount(link).catch(() => {
    // Without a number the entry says as much as without a script.
  });

// "?" lists the keys.
listen(document, "keydown", (event) => {
  if (event.key !== "?" || event.defaultPrevented || event.isComposing || event.repeat) return;
  if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target) || one("dialog[open]")) return;
  const link = one("a[data-keys]");
  if (!link) return;
  event.preventDefault();
  void ask(link, own(document, "activeElement"));
});

listen(document, "keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of all("details.dropdown[open]")) {
    menu.open = false;
    one("summary", menu)?.focus();
  }
});

// Text that the editor keeps in this browser goes with the session (`save.js` of the editor).
listen(document, "submit", (event) => {
  if (!event.target.matches("form[action$='/logout']")) return;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith("lectern-text ")) localStorage.removeItem(key);
  } catch {
    // A forbidden store holds nothing.
  }
});

// Forms that declare it are submitted when a select changes.
listen(document, "change", (event) => {
  const form = event.target instanceof HTMLElement ? event.target.closest("form[data-auto]") : null;
  form?.requestSubmit();
});

listen(window, "beforeunload", (event) => {
  if (uncopied.size > 0) event.preventDefault();
  uncopied = new Set();
});

// A select of time zones starts with the user's, unless a time is set already.
function beginInOwnZone() {
  const zone = one("select[name=zone]");
  if (!zone || one("input[type=datetime-local]", zone.form)?.value) return;
  zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone.selectedIndex < 0) zone.value = "UTC";
}

own(document, "documentElement").classList.add("has-script");
beginInOwnZone();

// What narrow screens fold is shown on wide ones by style sheets, and is open there for screen readers too.
for (const [selector, isWide] of [
  ["details.fold", "(min-width: 52.01rem)"],
  ["nav.toc > details", "(min-width: 75rem)"],
])
  if (matchMedia(isWide).matches) for (const fold of all(selector)) fold.open = true;
localise(document);
uncopied = new Set([...all("input[type=password][readonly]")].map(({ id }) => id));
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) localise(node);
}).observe(own(document, "body"), { childList: true, subtree: true });
