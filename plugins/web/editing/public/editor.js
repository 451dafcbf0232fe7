// The editor: saves drafts, uploads images and other files, inserts Markdown. `save.js` saves the page. The form works without these scripts.

// The preview is inside the form, so its properties are read by `own` of web.js (DOM clobbering), which is loaded before.
const form = byId("editor");
const text = form && own(form, "querySelector")("textarea[name=content]");
const pickers = form ? own(form, "querySelectorAll")(".editor-pictures input[type=file]") : [];
const state = byId("draft-state");
const uploads = byId("uploads");
const said = form ? own(form, "dataset") : {};
const texts = JSON.parse(said.texts ?? "{}");
const KEEP_AFTER_MS = 1500;
const LONGEST_WAIT_MS = 60_000;

let timer;
let wait = KEEP_AFTER_MS;
let changed = false;
// Drafts are saved one at a time, and so are images uploaded; the form is submitted after both.
let keeping = Promise.resolve();
let uploading = Promise.resolve();
let busy = 0;
// The form was submitted and waits for both: their messages do not replace the one that says so.
let submitting = false;

function say(message, isBad = false) {
  if (!state || submitting) return;
  state.textContent = message;
  state.classList.toggle("fault", isBad);
}

const clock = () =>
  new Intl.DateTimeFormat(own(document, "documentElement").lang, { timeStyle: "short" }).format(new Date());

// All input, so that input during a request is not considered saved.
function typed() {
  const fields = new FormData(form);
  fields.delete("pictures[]");
  fields.delete("photo");
  fields.delete("kept_at");
  return fields;
}

const asQuery = (fields) => new URLSearchParams([...fields]).toString();

// What failed, why, and whether the text is safe meanwhile.
function sayFault(fault, reason) {
  const why = reason !== "" || navigator.onLine ? reason : texts.offline;
  const kept = keepCopy() ? ` ${texts.kept}` : "";
  say(`${fault}${why === "" ? "" : `: ${why}`}.${kept}`.replace("..", "."), true);
}

async function keep() {
  clearTimeout(timer);
  timer = undefined;
  if (said.draft === "") return;
  const fields = own(form, "elements");
  const body = typed();
  const sent = asQuery(body);
  body.set("kept_at", fields.kept_at.value);
  let reason = "";
  try {
    const response = await fetch(said.draft, {
      method: "POST",
      body,
      headers: { accept: "application/json" },
      redirect: "error",
    });
    const answer = await response.json();
    if (response.status === 409) return say(answer.error.message, true);
    if (!response.ok) reason = answer.error?.message ?? "";
    if (!response.ok) throw new Error(String(response.status));
    wait = KEEP_AFTER_MS;
    fields.kept_at.value = answer.kept_at;
    if (answer.page_id !== undefined && fields.slot) said.page = answer.page_id ?? "";
    if (sent === asQuery(typed())) changed = false;
    say(texts.saved.replace(":time", clock()));
    own(form, "dispatchEvent")(new CustomEvent("editor-kept", { detail: answer }));
  } catch {
    sayFault(texts.failed, reason);
    // After a sign-out or beyond a limit, retries would go on for as long as the window is open.
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    later(wait);
  }
}

function keepNow() {
  busy++;
  keeping = keeping.then(keep).finally(() => busy--);
  return keeping;
}

function later(after = KEEP_AFTER_MS) {
  clearTimeout(timer);
  // A saved page ends its draft (`save.js`): what is typed while it is on its way is kept afterwards.
  timer = setTimeout(() => void (said.saving === undefined ? keepNow() : later()), after);
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
  return own(form, "elements").source.value === "markdown"
    ? `![${plain}](${url})`
    : `<p><img src="${url}" alt="${plain}"></p>`;
};

// While an editor is open in place of the textarea, it places images; it is told by events.
const isRich = () => said.surface === "rich";
const isPlacedByEditor = () => isRich() || said.placesPictures !== undefined;
const tellRich = (name, detail) => own(form, "dispatchEvent")(new CustomEvent(name, { detail }));
let lastKey = 0;

// Placeholders for all images are inserted at once, so that the order does not depend on the duration of uploads.
function addPictures(files) {
  const fit = files.filter((file) => {
    const fault = faultOf(file);
    if (fault) tell(file, fault);
    return !fault;
  });
  if (fit.length === 0) return;
  const places = isPlacedByEditor() ? fit.map(placeInRich) : placesInText(fit);
  for (const [index, file] of fit.entries()) {
    const row = rowFor(file);
    busy++;
    uploading = uploading.then(() => addPicture(file, places[index], row)).finally(() => busy--);
  }
}

// A place replaces itself by the image, or is removed where there is no address.
function placesInText(files) {
  const marks = files.map(({ name }) => asText("", texts.uploading.replace(":name", name)));
  insert(asParagraphs(marks));
  return marks.map((mark, index) => (url) => {
    const at = text.value.indexOf(mark);
    if (at < 0) return;
    const written = url === "" ? "" : asText(url, files[index].name);
    text.setRangeText(written, at, at + mark.length, "preserve");
    text.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

function placeInRich({ name }) {
  lastKey++;
  const key = String(lastKey);
  tellRich("lectern-picture-begun", { key, name });
  const place = (url) => {
    if (isPlacedByEditor()) tellRich("lectern-picture-ended", { key, name, url });
    // The writer has changed to an editor that has not loaded yet.
    else if (url !== "") insert(asParagraphs([asText(url, name)]));
  };
  place.progress = (part) => tellRich("lectern-picture-progress", { key, part });
  return place;
}

// Images are paragraphs of their own, unless the cursor is within a line.
function asParagraphs(places) {
  const isStart = /(^|\n)$/.test(text.value.slice(0, text.selectionStart));
  const isEnd = /^(\n|$)/.test(text.value.slice(text.selectionEnd));
  if (!isStart && !isEnd) return places.join(" ");
  return `${isStart ? "" : "\n\n"}${places.join("\n\n")}\n\n`;
}

async function addPicture(file, place, row) {
  let url = "";
  try {
    const sent = { field: "image", to: said.pictures, progress: place.progress };
    url = (await upload(file, row.querySelector("progress"), sent)).url;
    row.remove();
    say(texts.uploaded.replace(":name", file.name));
  } catch (error) {
    tell(file, error.message, row);
  }
  place(url);
  if (url !== "") tellRich("lectern-picture-uploaded", { url, name: file.name });
}

// Other files become attachments of the page, with a link in the text.
function addFiles(files) {
  for (const file of files) {
    if (file.size > Number(said.limit)) tell(file, texts.large);
    else {
      const row = rowFor(file);
      busy++;
      uploading = uploading.then(() => addFile(file, row)).finally(() => busy--);
    }
  }
}

async function addFile(file, row) {
  try {
    const { url, name } = await upload(file, row.querySelector("progress"), { field: "file", to: said.files });
    row.remove();
    say(texts.uploaded.replace(":name", file.name));
    const plain = name.replace(/[[\]"<>&]/g, " ").trim();
    const detail = { html: `<p><a href="${url}">${plain}</a></p>`, markdown: `[${plain}](${url})`, at: "cursor" };
    tellRich("editor-insert", detail);
  } catch (error) {
    tell(file, error.message, row);
  }
}

const isPicture = ({ type }) => type.startsWith("image/") && !type.startsWith("image/svg");

function faultOf(file) {
  if (!said.types.split(",").includes(file.type)) return texts.unfit;
  return file.size > Number(said.limit) ? texts.large : undefined;
}

function rowFor(file) {
  const row = own(document, "createElement")("li");
  const bar = own(document, "createElement")("progress");
  bar.max = 1;
  bar.value = 0;
  const name = texts.uploading.replace(":name", file.name);
  bar.setAttribute("aria-label", name);
  row.append(name, bar);
  uploads.append(row);
  return row;
}

// An error stays until images are added again.
function tell(file, message, row = uploads.appendChild(own(document, "createElement")("li"))) {
  const fault = own(document, "createElement")("span");
  fault.className = "fault";
  fault.setAttribute("role", "alert");
  row.replaceChildren(fault);
  fault.textContent = message.includes(":name") ? message.replace(":name", file.name) : `${file.name}: ${message}`;
}

// A new page has a draft page, which files are uploaded to, once its draft was saved.
async function upload(file, bar, { field, to, progress }) {
  if (said.page === "") await keepNow();
  if (said.page === "") throw new Error(texts.lost);
  const body = new FormData();
  body.set(field, file);
  const request = new XMLHttpRequest();
  const done = new Promise((resolve) => request.addEventListener("loadend", resolve));
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    bar.max = total;
    bar.value = loaded;
    progress?.(loaded / total);
  });
  request.open("POST", to + said.page);
  request.setRequestHeader("accept", "application/json");
  request.send(body);
  await done;
  const answer = answerOf(request);
  if (request.status === 200 && answer.url) return answer;
  throw new Error(answer.error?.message || texts.lost);
}

function answerOf(request) {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return {};
  }
}

function take(event, transfer) {
  const files = [...(transfer?.files ?? [])];
  // Word processors copy text together with an image of it: the text is meant.
  if (files.length === 0 || (event.type === "paste" && transfer.getData("text/plain") !== "")) return;
  // By default, the browser would navigate to a dropped file.
  event.preventDefault();
  addAll(files);
}

function addAll(files) {
  uploads.replaceChildren(...uploads.querySelectorAll("li:has(progress)"));
  addPictures(files.filter(isPicture));
  addFiles(files.filter((file) => !isPicture(file)));
}

if (form && text) {
  listen(form, "input", () => {
    changed = true;
    later();
  });
  text.addEventListener("paste", (event) => take(event, event.clipboardData));
  text.addEventListener("dragover", (event) => event.preventDefault());
  text.addEventListener("drop", (event) => take(event, event.dataTransfer));
  for (const picker of pickers)
    picker.addEventListener("change", () => {
      const files = [...picker.files];
      picker.value = "";
      addAll(files);
    });
  listen(form, "lectern-files", ({ detail }) => addAll(detail));
  listen(form, "click", (event) => {
    const tool = event.target.closest("[data-before]");
    if (tool) insert(tool.dataset.before.replace("\\n", "\n"), tool.dataset.after);
  });
  // Drafts and images under way come first; `save.js` sends the form.
  listen(form, "submit", (event) => {
    clearTimeout(timer);
    if (busy === 0) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (submitting) return;
    say(uploads?.querySelector("progress") ? texts.waiting : texts.saving);
    submitting = true;
    void uploading
      .then(() => keeping)
      .then(() => {
        submitting = false;
        own(form, "requestSubmit")(event.submitter);
      });
  });
  listen(window, "beforeunload", (event) => {
    if (changed) event.preventDefault();
  });
  // What comes from the drawer and other plugins; the textarea takes it unless another editor is in its place.
  listen(form, "editor-insert", ({ detail }) => {
    if (isRich() || !text.checkVisibility()) return;
    const content = own(form, "elements").source.value === "markdown" ? detail.markdown : detail.html;
    const at = { start: 0, end: text.value.length }[detail.at] ?? undefined;
    text.focus();
    if (at !== undefined) text.setSelectionRange(at, at);
    const gap = detail.at === "start" || detail.at === "end" ? "\n\n" : "";
    const added = detail.at === "end" ? gap + content : content + gap;
    // One step of the browser's undo, which `setRangeText` would end.
    if (!own(document, "execCommand")("insertText", false, added)) insert(added);
  });
}
