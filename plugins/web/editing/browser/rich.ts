/**
 * The rich editor of a page. It opens in place of the textarea, which stays the field of the form: the form gets the document's HTML when it
 * is sent, if something was edited, and what the textarea holds otherwise, so a page that is opened and saved stays as it is,
 * byte for byte. A page in Markdown is opened by the server's conversions; where its Markdown would not come back the same, the
 * textarea stays, with the reason; before it is sent, the writer is asked about what Markdown cannot hold. Drafts, uploads and saving are those of `public/editor.js`.
 */
import { Editor, Extension } from "@tiptap/core";
import type { Node } from "@tiptap/pm/model";
import { behaviour } from "./behaviour.ts";
import { clipboard } from "./clipboard.ts";
import { type Difference, differences, withoutIds } from "./compare.ts";
import { type Conversion, convert, isSameMarkdown, lineDifferences, lostIn, type Unconverted } from "./convert.ts";
import { linkDialog } from "./dialogs.ts";
import { insertMenu } from "./insert_menu.ts";
import { pageMenu } from "./page_menu.ts";
import { beginPicture, endPicture, picturePlaces } from "./pictures.ts";
import { readHtml } from "./reader.ts";
import { type Replacement, replaceElements } from "./replacements.ts";
import { PAGES, schemaWith } from "./schema.ts";
import { ask, filled, find, make, type Texts } from "./screen.ts";
import { toolbar } from "./toolbar.ts";
import { toHtml } from "./writer.ts";

/** What the server says to this script. */
interface Given {
  readonly mode: "rich" | "source";
  /** Whether the user may choose the editor. */
  readonly canSwitch: boolean;
  readonly user: number;
  readonly path: string;
  readonly convert: string;
  readonly pages: string;
  readonly texts: Texts;
}

const UNAUTHORIZED = 401;
const YEAR_SECONDS = 31_536_000;
const SHOWN_DIFFERENCES = 5;

/** The editor of one form. */
class RichEditor {
  readonly #form: HTMLFormElement;
  readonly #text: HTMLTextAreaElement;
  readonly #given: Given;
  readonly #field: HTMLElement;
  readonly #notes = make("div", { class: "rich-notes", role: "status" });
  #editor: Editor | undefined;
  #opened: Node | undefined;
  #frame: HTMLElement | undefined;
  /** The document that may be written as Markdown: nothing is lost, or the writer has agreed. */
  #agreed: Node | undefined;
  #isChecking = false;
  /** What the preview showed before the editor opened. */
  #preview: readonly ChildNode[] = [];

  constructor(form: HTMLFormElement, text: HTMLTextAreaElement, given: Given) {
    this.#form = form;
    this.#text = text;
    this.#given = given;
    this.#field = text.closest<HTMLElement>(".field") ?? text;
    this.#field.before(this.#notes);
    const on = (name: string, run: (event: Event) => void) =>
      EventTarget.prototype.addEventListener.call(form, name, run);
    on("formdata", (event) => this.#fill((event as FormDataEvent).formData));
    // Before `public/editor.js`, which takes a submitted form for saved.
    EventTarget.prototype.addEventListener.call(form, "submit", (event) => this.#check(event as SubmitEvent), true);
    on("editor-replace", (event) => {
      if (this.#editor) replaceElements(this.#editor, (event as CustomEvent<Replacement>).detail);
    });
    on("lectern-picture-begun", (event) => {
      const { key, name } = (event as CustomEvent<{ key: string; name: string }>).detail;
      if (this.#editor) beginPicture(this.#editor, key, name);
    });
    on("lectern-picture-ended", (event) => {
      const { key, name, url } = (event as CustomEvent<{ key: string; name: string; url: string }>).detail;
      if (this.#editor) endPicture(this.#editor, key, url, name);
    });
  }

  get #isMarkdown(): boolean {
    return find<HTMLInputElement>("input[name=source]", this.#form)?.value === "markdown";
  }

  get #isEdited(): boolean {
    return this.#editor !== undefined && this.#opened?.eq(this.#editor.state.doc) === false;
  }

  /** What the form sends. */
  #fill(data: FormData): void {
    if (!this.#editor || !this.#isEdited) return;
    data.set("content", toHtml(this.#editor.state.doc));
    data.set("written", "rich");
  }

  /** Holds back a form whose document becomes Markdown, until it is known that nothing is lost, or the writer agrees. */
  #check(event: SubmitEvent): void {
    const doc = this.#editor?.state.doc;
    if (!doc || !this.#isMarkdown || !this.#isEdited || this.#agreed?.eq(doc)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { submitter } = event;
    void this.#asMarkdown(toHtml(doc)).then((made) => {
      this.#isChecking = false;
      // Without a session nothing is saved, and the server keeps what was written for after the sign-in.
      if (made === undefined || ("status" in made && made.status !== UNAUTHORIZED)) return;
      this.#agreed = doc;
      // The form is checked again where the document was changed meanwhile.
      HTMLFormElement.prototype.requestSubmit.call(this.#form, submitter);
    });
  }

  /** HTML as Markdown, or why it is not; undefined where the writer does not agree to what would be lost. */
  async #asMarkdown(html: string): Promise<Conversion | Unconverted | undefined> {
    const made = await this.#converted("markdown", html);
    if ("status" in made) return made;
    const lost = lostIn(html, made.html);
    return lost.length === 0 || (await this.#agrees(this.#given.texts.wouldLose ?? "", lost)) ? made : undefined;
  }

  /** Opens the editor that the server chose. */
  async start(): Promise<void> {
    const { canSwitch, mode } = this.#given;
    if (canSwitch) this.#showSwitch();
    if (mode === "rich") await this.#openRich(false);
    this.#showMode();
  }

  /** Opens the rich editor with the content of the textarea. `isAsked` is whether the writer has just asked for it. */
  async #openRich(isAsked: boolean): Promise<void> {
    const { texts } = this.#given;
    const made = this.#isMarkdown ? await this.#ofMarkdown(isAsked) : this.#text.value;
    if (made === undefined) return;
    const { doc, keptBlocks } = readHtml(PAGES, made);
    const changes = differences(made, toHtml(doc));
    if (changes.length > 0 && !(await this.#agrees(filled(texts.wouldChange, {}), changes))) return;
    this.#open(doc);
    if (keptBlocks > 0) this.#note(filled(texts.keptBlocks, { count: String(keptBlocks) }));
  }

  /** The HTML of the Markdown in the textarea; undefined where the rich editor does not open. */
  async #ofMarkdown(isAsked: boolean): Promise<string | undefined> {
    const { texts } = this.#given;
    const { value } = this.#text;
    if (value.trim() === "") return "";
    const made = await this.#converted("html", value);
    if ("status" in made) return undefined;
    if (isSameMarkdown(value, made.markdown)) return withoutIds(made.html);
    const lines = lineDifferences(value, made.markdown);
    if (isAsked) return (await this.#agrees(texts.markdownChanges ?? "", lines)) ? withoutIds(made.html) : undefined;
    this.#note(texts.notInRich ?? "", lines);
    return undefined;
  }

  async #converted(to: "html" | "markdown", content: string): Promise<Conversion | Unconverted> {
    const made = await convert(this.#given.convert, to, content);
    if ("status" in made) this.#note(filled(this.#given.texts.notConverted, { reason: made.reason }));
    return made;
  }

  /** Shows what would change, and asks whether to go on. */
  async #agrees(text: string, changes: readonly Difference[]): Promise<boolean> {
    const { texts } = this.#given;
    const chosen = await ask(
      texts.changesTitle ?? "",
      [make("p", {}, text), listed(changes, texts)],
      [
        { text: texts.stay ?? "", value: "", isMain: true },
        { text: texts.goOn ?? "", value: "go" },
      ],
    );
    return chosen === "go";
  }

  #note(text: string, changes: readonly Difference[] = []): void {
    const { texts } = this.#given;
    const more =
      changes.length > 0 && make("details", {}, make("summary", {}, texts.whatChanges), listed(changes, texts));
    this.#notes.replaceChildren(make("div", { class: "notice note" }, text, more));
  }

  #open(doc: Node): void {
    const { texts } = this.#given;
    const place = make("div", { class: "rich" });
    const surface = make("div", { class: "rich-surface" });
    this.#field.before(place);
    // What a page holds must not shadow members of the document, which the editor uses.
    this.#preview = [...(find("#preview")?.childNodes ?? [])];
    find("#preview")?.replaceChildren();
    const picker = find<HTMLInputElement>("input[type=file]", this.#form);
    const pictures = () => picker?.click();
    const added = [...(find("#editor-insert")?.querySelectorAll("button") ?? [])];
    const editor: Editor = new Editor({
      element: surface,
      injectCSS: false,
      extensions: [
        ...schemaWith(texts),
        behaviour({ link: (one) => void linkDialog(one, texts) }),
        Extension.create({
          name: "screen",
          priority: 1000,
          addProseMirrorPlugins: () => [
            insertMenu(() => editor, { texts, added, place, pictures }),
            pageMenu(() => editor, { texts, pages: this.#given.pages, place }),
            picturePlaces(this.#form, texts),
            clipboard(PAGES),
          ],
        }),
      ],
      content: doc.toJSON(),
      editorProps: {
        attributes: {
          class: "rich-text page-content",
          id: "rich-text",
          role: "textbox",
          "aria-multiline": "true",
          "aria-label": texts.content ?? "",
          "aria-describedby": "rich-help",
        },
      },
    });
    const bar = toolbar(editor, { texts, pictures, insert: () => openMenu(editor) });
    place.append(bar.element, surface, make("p", { class: "quiet", id: "rich-help" }, texts.help));
    editor.on("transaction", ({ transaction }) => {
      bar.show();
      if (transaction.docChanged) EventTarget.prototype.dispatchEvent.call(this.#form, new Event("input"));
    });
    this.#editor = editor;
    this.#opened = editor.state.doc;
    this.#frame = place;
    bar.show();
  }

  /** Goes back to the textarea, with what was written. */
  async #openSource(): Promise<void> {
    const editor = this.#editor;
    if (!editor) return;
    if (this.#isEdited) {
      const html = toHtml(editor.state.doc);
      let written = html;
      if (this.#isMarkdown) {
        const made = await this.#asMarkdown(html);
        if (made === undefined || "status" in made) return;
        written = made.markdown;
      }
      this.#text.value = written;
    } else find("#preview")?.replaceChildren(...this.#preview);
    editor.destroy();
    this.#frame?.remove();
    this.#editor = undefined;
    this.#text.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #showSwitch(): void {
    const { texts, user, path } = this.#given;
    const button = (mode: Given["mode"]) =>
      make(
        "button",
        {
          type: "button",
          class: "small secondary outline",
          "data-mode": mode,
          onclick: () => void this.#switchTo(mode),
        },
        texts[mode],
      );
    const shown = make(
      "div",
      { class: "rich-switch", role: "group", "aria-label": texts.editor },
      button("rich"),
      button("source"),
    );
    find(".head-line")?.append(shown);
    this.#remember = (mode) => {
      // biome-ignore lint/suspicious/noDocumentCookie: CookieStore needs a secure context, and servers in a house have none.
      document.cookie = `lectern_editor=${user}.${mode}; path=${path}; max-age=${YEAR_SECONDS}; samesite=lax`;
    };
  }

  #remember: (mode: Given["mode"]) => void = () => {};

  async #switchTo(mode: Given["mode"]): Promise<void> {
    if (mode === this.#mode) return;
    this.#notes.replaceChildren();
    if (mode === "rich") await this.#openRich(true);
    else await this.#openSource();
    this.#showMode();
    if (mode !== this.#mode) return;
    this.#remember(mode);
    if (this.#editor) this.#editor.view.focus();
    else this.#text.focus();
  }

  get #mode(): Given["mode"] {
    return this.#editor ? "rich" : "source";
  }

  #showMode(): void {
    const isRich = this.#mode === "rich";
    this.#field.hidden = isRich;
    this.#form.dataset.surface = this.#mode;
    find(".editor-panes", this.#form)?.classList.toggle("is-rich", isRich);
    for (const button of find(".rich-switch")?.querySelectorAll("button") ?? [])
      button.setAttribute("aria-pressed", String(button.dataset.mode === this.#mode));
  }
}

/** Opens the menu of insertions: a slash in an empty paragraph. */
function openMenu(editor: Editor): void {
  const { parent } = editor.state.selection.$from;
  if (parent.content.size > 0) editor.commands.splitBlock();
  editor.view.focus();
  editor.view.dispatch(editor.state.tr.insertText("/"));
}

function listed(changes: readonly Difference[], texts: Texts): HTMLElement {
  const rest = changes.length - SHOWN_DIFFERENCES;
  return make(
    "div",
    { class: "rich-changes", tabindex: "0", role: "region", "aria-label": texts.changesTitle },
    ...changes
      .slice(0, SHOWN_DIFFERENCES)
      .flatMap(({ before, after }) => [
        before !== "" && make("pre", {}, make("del", {}, before)),
        after !== "" && make("pre", {}, make("ins", {}, after)),
      ]),
    rest > 0 && make("p", {}, filled(texts.more, { count: String(rest) })),
  );
}

const form = find<HTMLFormElement>("#editor");
const text = form && find<HTMLTextAreaElement>("textarea[name=content]", form);
if (form && text) {
  const given = JSON.parse(Element.prototype.getAttribute.call(form, "data-rich") ?? "{}") as Given;
  void new RichEditor(form, text, given).start();
}
