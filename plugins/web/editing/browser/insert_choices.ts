/**
 * Choices of the menu that ask first, or load something: a file, which becomes an attachment and a link; an include of a page or of a part
 * of it; and a template. What is offered is what the server shows the writer; without a connection it is nothing.
 */
import type { Editor } from "@tiptap/core";
import type { Transaction } from "@tiptap/pm/state";
import { insertBlocks } from "./blocks.ts";
import { inertDocument } from "./inert.ts";
import { setLink } from "./inline.ts";
import { type Insertion, insertAt } from "./insertions.ts";
import { ask, filled, make, type Texts } from "./screen.ts";
import type { Choice } from "./suggestions.ts";

/** What the choices get from the screen. */
export interface ChoiceOptions {
  readonly texts: Texts;
  /** Addresses of the server; a page's id follows those of `files` and `blocks`. */
  readonly pages: string;
  readonly templates: string;
  readonly files: string;
  readonly blocks: string;
  /** The form, which tells the page that files belong to. */
  readonly form: HTMLFormElement;
  /** Tells the writer what happens. */
  note(text: string): void;
}

const PAUSE_MS = 200;
const LOOK_MS = 250;
const LOOKS = 40;
const EXCERPT = 60;

/** The choices, in the order of the menu. */
export function insertChoices(options: ChoiceOptions): readonly Choice[] {
  const { texts } = options;
  const of = (name: string, run: Choice["run"]): Choice => ({ text: texts[name] ?? name, run });
  return [
    of("file", (editor) => chooseFile(editor, options)),
    of("include", (editor) => void includeDialog(editor, options)),
    of("template", (editor) => void templateDialog(editor, options)),
  ];
}

/** What an address answers with as `data`; nothing where it was not reached. */
async function listFrom<Row>(address: string): Promise<readonly Row[]> {
  try {
    const response = await fetch(address, { headers: { accept: "application/json" } });
    return ((await response.json()) as { data?: readonly Row[] }).data ?? [];
  } catch {
    return [];
  }
}

interface Searchable<Row> {
  readonly label: string;
  readonly address: string;
  nameOf(row: Row): string;
  chosen(row: Row | undefined): void;
}

/** A field whose words search, above the list of what they find. */
function searchList<Row>({ label, address, nameOf, chosen }: Searchable<Row>, texts: Texts) {
  const words = make("input", { id: "rich-search", type: "search", autocomplete: "off" });
  const list = make("select", { size: "6", "aria-label": label });
  let rows: readonly Row[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const search = async () => {
    const { value } = words;
    const found = await listFrom<Row>(`${address}?query=${encodeURIComponent(value)}`);
    if (value !== words.value) return;
    rows = found;
    list.replaceChildren(...rows.map((row, index) => make("option", { value: String(index) }, nameOf(row))));
    list.selectedIndex = rows.length > 0 ? 0 : -1;
    none.hidden = rows.length > 0;
    chosen(rows[0]);
  };
  const none = make("p", { class: "quiet", role: "status", hidden: true }, texts.nothingFound);
  words.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void search(), PAUSE_MS);
  });
  list.addEventListener("change", () => chosen(rows[list.selectedIndex]));
  void search();
  return [make("label", { for: words.id }, texts.search), words, list, none];
}

/** Asks for a page and a part of it, and inserts their include. */
async function includeDialog(editor: Editor, { texts, pages, blocks }: ChoiceOptions): Promise<void> {
  let id: number | undefined;
  const part = make("select", { id: "rich-part" });
  const whole = () => make("option", { value: "" }, texts.wholePage);
  const show = async (page: { id: number } | undefined) => {
    id = page?.id;
    part.replaceChildren(whole());
    const found = page ? await listFrom<{ html: string }>(`${blocks}${page.id}`) : [];
    if (id !== page?.id) return;
    part.replaceChildren(whole(), ...found.flatMap(({ html }) => partsOf(html)));
  };
  const fields = searchList<{ id: number; name: string; place: string }>(
    {
      ...{ label: texts.pages ?? "", address: pages, chosen: (page) => void show(page) },
      nameOf: ({ name, place }) => (place === "" ? name : `${name} · ${place}`),
    },
    texts,
  );
  const chosen = await ask(
    texts.include ?? "",
    [...fields, make("label", { for: part.id }, texts.part), part],
    [
      { text: texts.insert ?? "", value: "insert", isMain: true },
      { text: texts.cancel ?? "", value: "" },
    ],
  );
  if (chosen !== "" && id !== undefined) {
    const section = part.value === "" ? "" : `#${part.value}`;
    insertBlocks(editor, `<p>{{@${id}${section}}}</p>`);
  }
  editor.view.focus();
}

/** Options for the parts of a page that have an id, named by how they begin. */
function partsOf(html: string): HTMLElement[] {
  const { body } = inertDocument(html);
  return [...body.querySelectorAll("[id]")].flatMap((element) => {
    const text = (element.textContent ?? "").replace(/\s+/g, " ").trim();
    if (text === "" || !/^[\w-]+$/.test(element.id)) return [];
    const excerpt = [...text].length > EXCERPT ? `${[...text].slice(0, EXCERPT).join("")}…` : text;
    return [make("option", { value: element.id }, excerpt)];
  });
}

/** Asks for a template and its place, and inserts it. */
async function templateDialog(editor: Editor, { texts, templates }: ChoiceOptions): Promise<void> {
  let html: string | undefined;
  const fields = searchList<{ name: string; html: string }>(
    {
      ...{ label: texts.templates ?? "", address: templates, nameOf: ({ name }) => name },
      chosen(template) {
        html = template?.html;
      },
    },
    texts,
  );
  const chosen = await ask(texts.template ?? "", fields, [
    { text: texts.atCursor ?? "", value: "cursor", isMain: true },
    { text: texts.atStart ?? "", value: "start" },
    { text: texts.atEnd ?? "", value: "end" },
    { text: texts.cancel ?? "", value: "" },
  ]);
  if (chosen !== "" && html !== undefined) insertAt(editor, html, chosen as Insertion["at"]);
  editor.view.focus();
}

/** Asks for a file, and inserts a link to it once it is an attachment. */
function chooseFile(editor: Editor, options: ChoiceOptions): void {
  const picker = make("input", { type: "file" });
  picker.addEventListener("change", () => {
    const [file] = picker.files ?? [];
    if (file) void attach(editor, file, options);
  });
  picker.click();
}

async function attach(editor: Editor, file: File, { texts, files, form, note }: ChoiceOptions): Promise<void> {
  let at = editor.state.selection.from;
  const follow = ({ transaction }: { transaction: Transaction }) => {
    at = transaction.mapping.map(at);
  };
  editor.on("transaction", follow);
  note(filled(texts.uploading, { name: file.name }));
  const made = await uploaded(`${files}${await pageIdOf(form)}`, file);
  editor.off("transaction", follow);
  if (editor.isDestroyed) return;
  note(made.url === undefined ? filled(texts.notAttached, { name: file.name, reason: made.reason ?? "" }) : "");
  if (made.url === undefined) return;
  editor.commands.setTextSelection(at);
  setLink(made.url, file.name)(editor.state, editor.view.dispatch);
  editor.view.focus();
}

/** The id of the page, or of the draft page of a new one, which its draft makes; "" where there is none in time. */
async function pageIdOf(form: HTMLFormElement): Promise<string> {
  const { dataset } = form;
  if ((dataset.page ?? "") === "") EventTarget.prototype.dispatchEvent.call(form, new Event("input"));
  for (let look = 0; look < LOOKS && (dataset.page ?? "") === ""; look++)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  return dataset.page ?? "";
}

async function uploaded(address: string, file: File): Promise<{ readonly url?: string; readonly reason?: string }> {
  const body = new FormData();
  body.set("file", file);
  try {
    const headers = { accept: "application/json" };
    const response = await fetch(address, { method: "POST", body, headers, redirect: "error" });
    const { url, error } = (await response.json()) as { url?: string; error?: { message?: string } };
    return url === undefined ? { reason: error?.message ?? String(response.status) } : { url };
  } catch (error) {
    return { reason: String(error) };
  }
}
