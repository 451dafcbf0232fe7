// Saves the page from the editor without leaving it before the server has it, and keeps copies of the text in this browser: while a draft is
// not saved, the text is in the store of the browser, by user and page, and the next opening of the editor offers it. A copy goes away with
// the save of its draft or page, when it is thrown away, and when the user signs out (`web.js`). Copies are bounded in number and size.

const COPY_AFTER_MS = 300;
const MAX_COPIES = 8;
const MAX_COPY_LENGTH = 1_000_000;
const SAVE_TIMEOUT_MS = 60_000;
// Errors of the server that go away by themselves, or that its screen cannot show with the text.
const isPassing = (status) => status >= 500 || [408, 413, 425, 429].includes(status);

let copyTimer;
// A form that the browser submits itself, as the server answers it with a screen.
let handedOver = false;

const about = () => own(form, "elements").about.value;
const copiesOf = () => `lectern-text ${said.root} ${said.user} ${about()} `;
const opened = Date.now().toString(36) + Math.random().toString(36).slice(2, 6);

function copyKeys(prefix = "lectern-text ") {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
}

function copyAt(key) {
  try {
    const copy = JSON.parse(localStorage.getItem(key) ?? "");
    return Array.isArray(copy.fields) ? copy : undefined;
  } catch {
    return undefined;
  }
}

// Keeps what is written in the store of the browser; returns whether it is there.
function keepCopy() {
  clearTimeout(copyTimer);
  if (said.draft === "") return false;
  const fields = [...typed()].filter(([, value]) => typeof value === "string");
  const { slot, kept_at } = own(form, "elements");
  const copy = JSON.stringify({ at: Date.now(), slot: slot?.value ?? "", kept_at: kept_at.value, fields });
  if (copy.length > MAX_COPY_LENGTH) return false;
  const key = copiesOf() + opened;
  try {
    const older = copyKeys().filter((one) => one !== key);
    older.sort((one, two) => (copyAt(one)?.at ?? 0) - (copyAt(two)?.at ?? 0));
    for (const one of older.slice(0, Math.max(0, older.length - MAX_COPIES + 1))) localStorage.removeItem(one);
    localStorage.setItem(key, copy);
    return true;
  } catch {
    // The store is full or forbidden.
    return false;
  }
}

function dropCopy(key = copiesOf() + opened) {
  clearTimeout(copyTimer);
  try {
    localStorage.removeItem(key);
  } catch {
    // A forbidden store holds nothing.
  }
}

const named = (fields, name) => fields.find(([field]) => field === name)?.[1] ?? "";
const textOf = (fields) =>
  JSON.stringify([
    named(fields, "name"),
    named(fields, "content").replaceAll("\r\n", "\n").trim(),
    ...fields.filter(([name, value]) => name.startsWith("tags") && value !== "").map(([, value]) => value),
  ]);

// Offers the copies of earlier openings, unless the form holds the same.
function offerCopies() {
  let keys = [];
  try {
    keys = copyKeys(copiesOf());
  } catch {
    return;
  }
  const now = textOf([...typed()]);
  for (const key of keys) {
    const copy = copyAt(key);
    if (!copy || textOf(copy.fields) === now || named(copy.fields, "content").trim() === "") dropCopy(key);
    else offer(key, copy);
  }
}

function offer(key, copy) {
  const shown = own(document, "importNode")(byId("copy-offer").content, true);
  const [box, time, full] = ["div", "time", "pre"].map((tag) => shown.querySelector(tag));
  time.dateTime = new Date(copy.at).toISOString();
  full.textContent = `${named(copy.fields, "name")}\n\n${named(copy.fields, "content")}`;
  box.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-copy-act]");
    const act = button?.dataset.copyAct;
    if (act === "show") {
      full.hidden = !full.hidden;
      button.setAttribute("aria-expanded", String(!full.hidden));
    }
    if (act === "drop") {
      dropCopy(key);
      box.remove();
      text.focus();
    }
    if (act === "restore") void restore(key, copy);
  });
  byId("copy-offers").append(shown);
}

// Makes the copy the draft, which the editor then opens: a copy may have another format than the form.
async function restore(key, copy) {
  const ownSlot = own(form, "elements").slot?.value ?? "";
  const body = new FormData();
  for (const [name, value] of copy.fields) body.append(name, value);
  body.set("kept_at", copy.slot === ownSlot ? own(form, "elements").kept_at.value : copy.kept_at);
  let answer;
  try {
    const response = await fetch(said.draft, { method: "POST", body, headers: { accept: "application/json" } });
    answer = await response.json();
    // The draft was changed since: its own editor offers the copy beside it.
    if (!response.ok && !(response.status === 409 && copy.slot !== ownSlot))
      throw new Error(answer.error?.message ?? "");
    if (response.ok) dropCopy(key);
  } catch (error) {
    const reason = error instanceof TypeError ? texts.offline : error.message;
    return say(reason === "" ? texts.failed : `${texts.failed}: ${reason}`, true);
  }
  changed = false;
  dropCopy();
  const path = own(form, "getAttribute")("action");
  location.assign(copy.slot === "" ? path : `${path}?slot=${encodeURIComponent(copy.slot)}`);
}

// The bar says who else writes here, as often as a draft is saved.
function showOthers(others) {
  const shown = others.map(({ name, saved }) => {
    const line = own(document, "createElement")("span");
    line.textContent = (saved ? texts.hasSaved : texts.also).replace(":name", name || texts.someone);
    return line;
  });
  byId("editor-others").replaceChildren(...shown.flatMap((line) => [line, " "]));
}

function isBusy(value) {
  if (value) said.saving = "";
  else delete said.saving;
  for (const button of own(form, "querySelectorAll")("#editor-bar button[name=act]"))
    if (value) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
}

async function save(submitter) {
  if (said.saving !== undefined) return;
  isBusy(true);
  say(texts.saving);
  const body = new FormData(form);
  body.set("act", submitter.value);
  const sent = asQuery(typed());
  try {
    const response = await fetch(own(form, "getAttribute")("action"), {
      method: "POST",
      body,
      headers: { accept: "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(SAVE_TIMEOUT_MS),
    });
    const answer = await response.json().catch(() => ({}));
    // Until the next screen is there, a second click does nothing.
    if (response.ok && answer.page && submitter.value !== "stay") return leave(answer);
    // The page has more than the form now.
    if (response.ok && answer.merged) return leave({ page: answer.edit });
    if (isPassing(response.status)) sayFault(texts.unsaved, answer.error?.message ?? "");
    else if (!response.ok || !answer.page) handOver(submitter);
    else goOn(answer, sent);
  } catch {
    sayFault(texts.unsaved, texts.offline);
  }
  return isBusy(false);
}

// Conflicts, errors of fields and the sign-in have screens of the server, with the text in them.
function handOver(submitter) {
  handedOver = true;
  changed = false;
  // The screen of a conflict has the text and drops the copy.
  if (keepCopy()) sessionStorage.setItem("lectern-handed-over", copiesOf() + opened);
  own(form, "requestSubmit")(submitter);
}

function leave({ page }) {
  changed = false;
  dropCopy();
  location.assign(page);
}

// The form stays open over the page as it is saved now.
function goOn(answer, sent) {
  const fields = own(form, "elements");
  dropCopy();
  fields.about.value = answer.about;
  fields.kept_at.value = "";
  fields.slot?.remove();
  fields.summary.value = "";
  for (const name of ["base_revision", "base_tags"]) {
    const base = fields[name] ?? own(document, "createElement")("input");
    Object.assign(base, { type: "hidden", name, value: JSON.stringify(answer[name]) });
    own(form, "append")(base);
  }
  own(form, "setAttribute")("action", answer.edit);
  said.draft = answer.draft;
  said.page = String(answer.page_id);
  byId("editor-discard").href = answer.discard;
  byId("editor-close").href = answer.page;
  byId("editor-title").textContent = answer.title;
  history.replaceState(history.state, "", answer.edit);
  say(texts.pageSaved.replace(":time", clock()));
  // What was typed meanwhile is a draft of the page that was saved.
  const current = new URLSearchParams([...typed()]);
  const before = new URLSearchParams(sent);
  for (const name of ["about", "slot", "base_revision", "base_tags", "summary", "target"]) {
    current.delete(name);
    before.delete(name);
  }
  changed = current.toString() !== before.toString();
  if (changed) later();
}

if (form && text) {
  offerCopies();
  listen(form, "input", () => {
    clearTimeout(copyTimer);
    copyTimer = setTimeout(keepCopy, COPY_AFTER_MS);
  });
  listen(form, "editor-kept", ({ detail }) => {
    if (!changed) dropCopy();
    if (detail.others) showOthers(detail.others);
  });
  // An editor that could not make of the text what the page holds.
  listen(form, "lectern-unsaved", ({ detail }) => sayFault(texts.unsaved, detail));
  listen(form, "submit", (event) => {
    if (handedOver) {
      handedOver = false;
      return;
    }
    const submitter = event.submitter ?? own(form, "querySelector")("button[value=save]");
    event.preventDefault();
    void save(submitter);
  });
  // A draft that is discarded leaves nothing behind.
  listen(document, "submit", ({ target }) => {
    if (!own(target, "getAttribute")("action")?.includes("/editor/discard/")) return;
    changed = false;
    clearTimeout(timer);
    dropCopy();
  });
  listen(window, "pagehide", () => {
    if (changed) keepCopy();
  });
  listen(window, "online", () => {
    if (changed) void keepNow();
  });
  listen(window, "pageshow", ({ persisted }) => persisted && isBusy(false));
  // An editor may mean something else by the keys, as leaving a block of code by Ctrl+Enter.
  listen(document, "keydown", (event) => {
    if (event.defaultPrevented || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    const act = { s: "stay", Enter: "save" }[event.key];
    // Within a dialog the keys are those of the dialog.
    if (act === undefined || one("dialog[open]")) return;
    event.preventDefault();
    const find = own(form, "querySelector");
    own(form, "requestSubmit")(find(`button[value=${act}]`) ?? find("button[value=save]"));
  });
  for (const [act, keys] of [
    ["save", "Control+Enter"],
    ["stay", "Control+S"],
  ])
    own(form, "querySelector")(`button[value=${act}]`)?.setAttribute("aria-keyshortcuts", keys);
  const note = own(form, "querySelector")(".editor-note");
  listen(note, "toggle", () => note.open && note.querySelector("input").focus());
  // Tools of the editors stick below the bar, however high it is.
  const bar = byId("editor-bar");
  new ResizeObserver(() => {
    own(document, "documentElement").style.setProperty("--editor-bar", `${bar.offsetHeight}px`);
  }).observe(bar);
}
