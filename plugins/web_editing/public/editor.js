// The editor: keeps what is typed as a draft, puts pictures and marks into the text. The form works without it.

const form = document.getElementById("editor");
const text = form?.querySelector("textarea[name=content]");
const state = document.getElementById("draft-state");
const KEEP_AFTER_MS = 1500;

let timer;
let changed = false;
let keeping = Promise.resolve();

function say(message) {
  if (state) state.textContent = message;
}

// Everything that is typed, so that what was typed while it travelled is not taken for kept.
const typed = () =>
  new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string")).toString();

async function keep() {
  clearTimeout(timer);
  timer = undefined;
  if (form.dataset.draft === "") return;
  const sent = typed();
  try {
    const response = await fetch(form.dataset.draft, {
      method: "POST",
      body: new FormData(form),
      headers: { accept: "application/json" },
      redirect: "error",
    });
    if (!response.ok) throw new Error(String(response.status));
    await response.json();
    if (sent === typed()) changed = false;
    const time = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "medium" }).format(new Date());
    say(form.dataset.saved.replace(":time", time));
  } catch {
    say(form.dataset.failed);
    later();
  }
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(() => (keeping = keeping.then(keep)), KEEP_AFTER_MS);
}

function insert(before, after = "", start = text.selectionStart, end = text.selectionEnd) {
  const chosen = text.value.slice(start, end);
  text.setRangeText(before + chosen + after, start, end, "end");
  if (chosen === "") text.selectionStart = text.selectionEnd = start + before.length;
  text.dispatchEvent(new Event("input", { bubbles: true }));
  text.focus();
}

const asText = (url, name) => {
  const plain = name.replace(/[[\]"<>&]/g, " ").trim();
  return form.elements.source.value === "markdown" ? `![${plain}](${url})` : `<p><img src="${url}" alt="${plain}"></p>`;
};

async function addPicture(file) {
  const place = asText("", form.dataset.uploading.replace(":name", file.name));
  insert(`${place}\n`);
  let written = "";
  try {
    written = asText(await addressOf(file), file.name);
  } catch (error) {
    say(error.message);
  }
  const at = text.value.indexOf(place);
  if (at < 0) return;
  text.setRangeText(written, at, at + place.length, "end");
  text.dispatchEvent(new Event("input", { bubbles: true }));
}

// A new page has no place for pictures yet: they travel within the text and are kept with it.
async function addressOf(file) {
  if (form.dataset.picture === "") return dataAddress(file);
  const body = new FormData();
  body.set("image", file);
  const response = await fetch(form.dataset.picture, { method: "POST", body, headers: { accept: "application/json" } });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? String(response.status));
  return answer.url;
}

function dataAddress(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

function picturesOf(transfer) {
  return [...(transfer?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
}

function take(event, transfer) {
  // A file that is dropped would otherwise take the place of the screen.
  if (event.type === "drop" && (transfer?.files.length ?? 0) > 0) event.preventDefault();
  const pictures = picturesOf(transfer);
  if (pictures.length === 0) return;
  event.preventDefault();
  for (const picture of pictures) void addPicture(picture);
}

if (form && text) {
  form.addEventListener("input", () => {
    changed = true;
    later();
  });
  text.addEventListener("paste", (event) => take(event, event.clipboardData));
  text.addEventListener("dragover", (event) => event.preventDefault());
  text.addEventListener("drop", (event) => take(event, event.dataTransfer));
  form.addEventListener("click", (event) => {
    const tool = event.target.closest("[data-before]");
    if (tool) insert(tool.dataset.before.replace("\\n", "\n"), tool.dataset.after);
  });
  form.addEventListener("submit", () => {
    changed = false;
    clearTimeout(timer);
  });
  window.addEventListener("beforeunload", (event) => {
    if (changed) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      form.requestSubmit(form.querySelector("button[value=save]"));
    }
  });
}

// Further rows of tags.
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-add-row]");
  if (!button) return;
  const rows = button.parentElement.querySelectorAll(".tag-row");
  const row = rows[rows.length - 1].cloneNode(true);
  for (const input of row.querySelectorAll("input")) {
    input.name = input.name.replace(/\[\d+\]/, `[${rows.length}]`);
    input.value = "";
  }
  button.before(row);
  row.querySelector("input").focus();
});
