/**
 * The source editor of a page, for Markdown and HTML. The textarea stays the field of the form: each change is written to it at once, with an
 * `input` event, and a change that another script makes to it, such as the rich editor when it closes, is taken over as one step
 * of undo. Where it is hidden with its field, as the rich editor is open, it takes no pictures and inserts nothing. Drafts, uploads and saving
 * are those of `public/editor.js`.
 */

import { startCompletion } from "@codemirror/autocomplete";
import { isolateHistory } from "@codemirror/commands";
import { EditorState, Prec, Transaction } from "@codemirror/state";
import { EditorView, keymap, type ViewUpdate } from "@codemirror/view";
import { filled, find, make, type Texts } from "./screen.ts";
import { insertions } from "./source_choices.ts";
import { completion } from "./source_completion.ts";
import { insertBlock, type Place } from "./source_insert.ts";
import { pastedLinks, sourceLinkDialog } from "./source_link.ts";
import { beginPicture, endPicture, pictures, showProgress } from "./source_pictures.ts";
import { ScrollAlong } from "./source_preview.ts";
import { formatKeys, setup } from "./source_setup.ts";
import { change, type Format } from "./source_text.ts";
import { sourceToolbar } from "./source_toolbar.ts";
import { wordCount } from "./words.ts";

/** What the server says to this script. */
interface Given {
  readonly pages: string;
  readonly people: string;
  readonly pictures: string;
  readonly languages: string;
  readonly texts: Texts;
}

const COUNT_AFTER_MS = 400;

/** The editor of one form. */
class SourceEditor {
  readonly #form: HTMLFormElement;
  readonly #text: HTMLTextAreaElement;
  readonly #texts: Texts;
  readonly #format: Format;
  readonly #view: EditorView;
  readonly #showTools: (state: EditorState) => void;
  readonly #words = make("span", { class: "source-words" });
  readonly #along: ScrollAlong | undefined;
  #counting: ReturnType<typeof setTimeout> | undefined;

  constructor(form: HTMLFormElement, text: HTMLTextAreaElement, given: Given) {
    const { texts } = given;
    this.#form = form;
    this.#text = text;
    this.#texts = texts;
    this.#format = find<HTMLInputElement>("input[name=source]", form)?.value === "html" ? "html" : "markdown";
    const format = this.#format;
    const link = (view: EditorView) => {
      void sourceLinkDialog(view, format, texts);
      return true;
    };
    const picker = find<HTMLInputElement>("input[type=file]", form);
    const made = insertions({
      format,
      texts,
      added: [...(find("#editor-insert")?.querySelectorAll("button") ?? [])],
      pictures: () => picker?.click(),
    });
    const former = find(".toolbar:not(.rich-toolbar)", form);
    const bar = sourceToolbar(() => this.#view, {
      format,
      texts,
      added: former ? [...former.children].slice(Number(former.dataset.own ?? 0)).filter(isElement) : [],
      link,
      insert: made.insert,
      openMenu,
    });
    this.#showTools = bar.show;
    this.#view = new EditorView({
      state: EditorState.create({
        doc: text.value,
        extensions: [
          Prec.high(keymap.of([...formatKeys(format, link)])),
          setup(format, texts, given.languages),
          completion({ ...given, format, choices: made.menu }),
          pictures((files) => this.#tell("lectern-files", files)),
          pastedLinks(format),
          EditorView.contentAttributes.of(this.#attributes()),
          EditorView.updateListener.of((update) => this.#updated(update)),
        ],
      }),
    });
    former?.remove();
    this.#place(bar.element);
    const preview = find("#preview");
    this.#along = preview ? new ScrollAlong(this.#view, preview, format) : undefined;
    this.#listen();
    bar.show(this.#view.state);
    this.#count();
  }

  /** The label, errors and hints of the textarea become those of the editor. */
  #attributes(): Record<string, string> {
    const described = [this.#text.getAttribute("aria-describedby"), "source-help"].filter(Boolean).join(" ");
    const invalid = this.#text.getAttribute("aria-invalid");
    return {
      id: "source-text",
      tabindex: "0",
      "aria-labelledby": "source-label",
      "aria-describedby": described,
      ...(invalid !== null && { "aria-invalid": invalid }),
      spellcheck: "true",
      autocorrect: "on",
      autocapitalize: "sentences",
    };
  }

  #place(tools: HTMLElement): void {
    const text = this.#text;
    const label = text.labels[0];
    if (label) {
      label.id = "source-label";
      label.removeAttribute("for");
      label.addEventListener("click", () => this.#view.focus());
    }
    const hasFocus = document.activeElement === text;
    const { selectionStart, selectionEnd } = text;
    const help = make(
      "p",
      { class: "quiet source-foot" },
      make("span", { id: "source-help" }, this.#texts.sourceHelp),
      this.#words,
    );
    text.before(make("div", { class: "source" }, tools, this.#view.dom, help));
    text.hidden = true;
    Element.prototype.setAttribute.call(this.#form, "data-places-pictures", "");
    this.#view.dispatch({ selection: { anchor: selectionStart, head: selectionEnd } });
    if (hasFocus) this.#view.focus();
  }

  get #isOpen(): boolean {
    return Element.prototype.getAttribute.call(this.#form, "data-surface") !== "rich";
  }

  #tell(name: string, detail: unknown): void {
    EventTarget.prototype.dispatchEvent.call(this.#form, new CustomEvent(name, { detail }));
  }

  #listen(): void {
    const on = <Detail>(name: string, run: (detail: Detail, event: Event) => void) =>
      EventTarget.prototype.addEventListener.call(this.#form, name, (event) => {
        if (this.#isOpen) run((event as CustomEvent<Detail>).detail, event);
      });
    on<{ key: string; name: string }>("lectern-picture-begun", (detail) =>
      beginPicture(this.#view, this.#texts, detail),
    );
    on<{ key: string; part: number }>("lectern-picture-progress", (detail) => showProgress(this.#view, detail));
    // The rich editor inserts a picture that was begun here before the writer changed to it: only its place is given up.
    EventTarget.prototype.addEventListener.call(this.#form, "lectern-picture-ended", (event) => {
      const { detail } = event as CustomEvent<{ key: string; name: string; url: string }>;
      endPicture(this.#view, this.#format, this.#isOpen ? detail : { ...detail, url: "" });
    });
    on<{ html?: string; markdown?: string; at?: Place }>("editor-insert", ({ html, markdown, at = "cursor" }) => {
      const text = this.#format === "markdown" ? (markdown ?? html) : html;
      if (text !== undefined && text !== "") insertFrom(this.#view, text, at);
    });
    this.#text.addEventListener("input", () => this.#follow());
    // What is typed in the editor is told by the textarea's own event, once it is written there; what is searched for is no change.
    find(".source", this.#form)?.addEventListener("input", (event) => event.stopPropagation());
    // Buttons of plugins, before `public/editor.js` writes to the textarea.
    EventTarget.prototype.addEventListener.call(
      this.#form,
      "click",
      (event) => {
        const tool = (event.target as Element).closest<HTMLElement>("[data-before]");
        if (!tool || !this.#isOpen) return;
        event.stopPropagation();
        insertAround(this.#view, tool.dataset.before ?? "", tool.dataset.after ?? "");
      },
      true,
    );
  }

  #updated({ docChanged, selectionSet, state, transactions, focusChanged }: ViewUpdate): void {
    if (docChanged) {
      this.#along?.changed();
      clearTimeout(this.#counting);
      this.#counting = setTimeout(() => this.#count(), COUNT_AFTER_MS);
      if (!transactions.some((each) => each.annotation(Transaction.userEvent) === FOLLOWED)) {
        this.#text.value = state.doc.toString();
        this.#text.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }
    if (docChanged || selectionSet || focusChanged) this.#showTools(state);
    // Scripts of plugins that know the textarea alone find the cursor there.
    if (docChanged || selectionSet) this.#text.setSelectionRange(state.selection.main.from, state.selection.main.to);
  }

  /** Takes over what another script has written to the textarea, with its cursor. */
  #follow(): void {
    const { value, selectionStart, selectionEnd } = this.#text;
    const { doc } = this.#view.state;
    const old = doc.toString();
    if (old === value) return;
    let from = 0;
    while (from < old.length && old[from] === value[from]) from++;
    let same = 0;
    while (
      same < Math.min(old.length, value.length) - from &&
      old[old.length - 1 - same] === value[value.length - 1 - same]
    )
      same++;
    this.#view.dispatch({
      changes: { from, to: old.length - same, insert: value.slice(from, value.length - same) },
      selection: { anchor: selectionStart, head: selectionEnd },
      userEvent: FOLLOWED,
      annotations: isolateHistory.of("full"),
    });
  }

  #count(): void {
    this.#words.textContent = filled(this.#texts.words, { count: wordCount(this.#view.state.doc.toString()) });
  }
}

const FOLLOWED = "input.followed";

const isElement = (element: Element): element is HTMLElement => element instanceof HTMLElement;

/** Opens the menu of insertions: a slash in an empty line. */
function openMenu(view: EditorView): void {
  const { state } = view;
  const line = state.doc.lineAt(state.selection.main.head);
  const isEmpty = line.text.trim() === "";
  const insert = isEmpty ? "/" : "\n\n/";
  const at = isEmpty ? state.selection.main.head : line.to;
  view.dispatch({ changes: { from: at, insert }, selection: { anchor: at + insert.length }, userEvent: "input.type" });
  view.focus();
  startCompletion(view);
}

/** Inserts what another part of the screen gives: within a line what has one line, as a block what has more. */
function insertFrom(view: EditorView, text: string, at: Place): boolean {
  const { state } = view;
  const { from, to } = state.selection.main;
  const line = state.doc.lineAt(from);
  const isInline = at === "cursor" && !text.includes("\n") && line.text.trim() !== "" && !/^\s*</.test(text);
  if (!isInline) return insertBlock(view, text.trim(), at);
  return change(view, { changes: { from, to, insert: text }, selection: { anchor: from + text.length } });
}

function insertAround(view: EditorView, before: string, after: string): void {
  const { from, to } = view.state.selection.main;
  const chosen = view.state.sliceDoc(from, to);
  const start = before.replace("\\n", "\n");
  const anchor = from + start.length + (chosen === "" ? 0 : chosen.length + after.length);
  change(view, { changes: { from, to, insert: start + chosen + after }, selection: { anchor } });
  view.focus();
}

const form = find<HTMLFormElement>("#editor");
const text = form && find<HTMLTextAreaElement>("textarea[name=content]", form);
if (form && text) {
  const read = (name: string) => JSON.parse(Element.prototype.getAttribute.call(form, name) ?? "{}") as Given;
  const given = read("data-source");
  new SourceEditor(form, text, { ...given, texts: { ...read("data-rich").texts, ...given.texts } });
}
