// What scripts add: everything on the screens works without this file.
// No inline code anywhere, so that the policy of the documents stays strict.

const one = (selector, within = document) => within.querySelector(selector);

// Times in the reader's own zone.
function localise(root) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang || undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    time.title = time.textContent ?? "";
    time.textContent = format.format(new Date(time.dateTime));
    time.dataset.local = "";
  }
}

// Copying, also where the page is not a secure context; leaving before a secret is copied asks once.
let uncopied = new Set();
async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  if (!source) return;
  try {
    await navigator.clipboard.writeText(source.value);
  } catch {
    const area = document.createElement("textarea");
    area.value = source.value;
    area.className = "unseen";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  uncopied.delete(source.id);
  const label = one("span", button) ?? button;
  const before = label.textContent;
  label.textContent = button.dataset.done;
  setTimeout(() => (label.textContent = before), 2000);
}

function reveal(button) {
  const source = document.getElementById(button.dataset.reveal);
  if (!source) return;
  const shown = source.type === "text";
  source.type = shown ? "password" : "text";
  button.setAttribute("aria-pressed", String(!shown));
}

// A question in a dialog in place of a screen of its own.
async function ask(link) {
  const dialog = one("#dialog");
  const response = await fetch(link.href, { headers: { accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const main = one("main .confirm", page);
  if (!response.ok || !main) return location.assign(link.href);
  dialog.replaceChildren(document.adoptNode(main));
  dialog.showModal();
  one("[autofocus]", dialog)?.focus();
  return undefined;
}

document.addEventListener("click", (event) => {
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
  // Menus close when something else is chosen.
  for (const menu of document.querySelectorAll("details.dropdown[open]")) if (!menu.contains(target)) menu.open = false;
  return undefined;
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.dropdown[open]")) {
    menu.open = false;
    one("summary", menu)?.focus();
  }
});

// A form sends itself when one of its choices changes, where it says so.
document.addEventListener("change", (event) => {
  const form = event.target instanceof HTMLElement ? event.target.closest("form[data-auto]") : null;
  form?.requestSubmit();
});

window.addEventListener("beforeunload", (event) => {
  if (uncopied.size > 0) event.preventDefault();
  uncopied = new Set();
});

document.documentElement.classList.add("has-script");
localise(document);
uncopied = new Set([...document.querySelectorAll("input[type=password][readonly]")].map(({ id }) => id));
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) localise(node);
}).observe(document.body, { childList: true, subtree: true });
