/**
 * The rich editor of a page. It opens in place of the textarea, which stays the field of the form: the form gets the document's HTML when it
 * is sent, if something was edited, and what the textarea holds otherwise, so a page that is opened and saved stays as it is,
 * byte for byte. A page in Markdown is opened by the server's conversions; where its Markdown would not come back the same, the
 * textarea stays, with the reason; before it is sent, the writer is asked about what Markdown cannot hold. Drafts, uploads and saving are those of `public/editor.js`.
 */
import { Editor, Extension } from "@tiptap/core";
import type { Node } from "@tiptap/pm/model";
import { behaviour } from "./behaviour.ts";
import { changeList } from "./change_list.ts";
import { clipboard } from "./clipboard.ts";
import { type Difference, differences, withoutIds } from "./compare.ts";
import { type Conversion, convert, isSameMarkdown, lineDifferences, lostIn, type Unconverted } from "./convert.ts";
import { wordCount } from "./count.ts";
import { linkDialog } from "./dialogs.ts";
import { findPanel } from "./find.ts";
import type { Given } from "./given.ts";
import { insertChoices } from "./insert_choices.ts";
import { insertMenu, openMenu } from "./insert_menu.ts";
import { type Insertion, insertAt } from "./insertions.ts";
import { markdownPaste } from "./markdown_paste.ts";
import { textMenus } from "./page_menu.ts";
import { listenForPictures } from "./picture_events.ts";
import type { CaptionForm } from "./picture_nodes.ts";
import { pictureTools } from "./picture_tools.ts";
import { picturePlaces } from "./pictures.ts";
import { emptyDocument, readHtml } from "./reader.ts";
import { type Replacement, replaceElements } from "./replacements.ts";
import { PAGES, schemaWith } from "./schema.ts";
import { ask, filled, find, make } from "./screen.ts";
import { editorSwitch, type Mode, rememberEditor } from "./switch.ts";
import { toolbar } from "./toolbar.ts";
import { toHtml } from "./writer.ts";

const UNAUTHORIZED = 401;

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
  #isSwitching = false;
  /** Whether the editor was opened with what the textarea does not hold all of. */
  #isRestored = false;
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
    on("editor-insert", (event) => {
      const { html, at } = (event as CustomEvent<Insertion>).detail;
      if (this.#editor) insertAt(this.#editor, html, at);
    });
    on("editor-replace", (event) => {
      if (this.#editor) replaceElements(this.#editor, (event as CustomEvent<Replacement>).detail);
    });
    listenForPictures(form, () => this.#editor && { editor: this.#editor, captions: this.#captions });
  }

  get #isMarkdown(): boolean {
    return find<HTMLInputElement>("input[name=source]", this.#form)?.value === "markdown";
  }

  get #captions(): CaptionForm {
    return this.#isMarkdown ? "title" : "figure";
  }

  get #isEdited(): boolean {
    return this.#editor !== undefined && (this.#isRestored || this.#opened?.eq(this.#editor.state.doc) === false);
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
      if (made === undefined) return;
      // Without a session nothing is saved, and the server keeps what was written for after the sign-in.
      if ("status" in made && made.status !== UNAUTHORIZED) {
        EventTarget.prototype.dispatchEvent.call(
          this.#form,
          new CustomEvent("lectern-unsaved", { detail: made.reason }),
        );
        return;
      }
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
    const { canSwitch, mode, texts, written } = this.#given;
    this.#isSwitching = true;
    if (canSwitch) find(".head-line")?.append(editorSwitch(texts, (chosen) => void this.#switchTo(chosen)));
    if (mode === "rich") await this.#openRich(false);
    else if (written !== "") await this.#showLost(texts.draftLacks ?? "");
    this.#isSwitching = false;
    this.#showMode();
  }

  /** Opens the rich editor with the content of the textarea. `isAsked` is whether the writer has just asked for it. */
  async #openRich(isAsked: boolean): Promise<void> {
    const { texts } = this.#given;
    const { value } = this.#text;
    this.#isRestored = false;
    const made = this.#isMarkdown ? await this.#ofMarkdown(isAsked) : value;
    if (made === undefined) return;
    // What is typed while the server converts is converted too.
    if (this.#text.value !== value) return this.#openRich(isAsked);
    if (made.trim() === "") return this.#open(emptyDocument(PAGES));
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
    this.#isRestored = this.#given.written !== "" && value === this.#text.defaultValue;
    if (this.#isRestored) {
      await this.#showLost(texts.draftHolds ?? "");
      return this.#given.written;
    }
    if (value.trim() === "") return "";
    const made = await this.#converted("html", value);
    if ("status" in made) return undefined;
    if (isSameMarkdown(value, made.markdown)) return withoutIds(made.html);
    const lines = lineDifferences(value, made.markdown);
    if (isAsked) return (await this.#agrees(texts.markdownChanges ?? "", lines)) ? withoutIds(made.html) : undefined;
    this.#note(texts.notInRich ?? "", lines);
    return undefined;
  }

  /** Tells what the Markdown of the draft has lost, if anything. */
  async #showLost(text: string): Promise<void> {
    const { written } = this.#given;
    const made = await this.#converted("markdown", written);
    const lost = "status" in made ? [] : lostIn(written, made.html);
    if (lost.length > 0) this.#note(text, lost);
  }

  async #converted(to: "html" | "markdown", content: string): Promise<Conversion | Unconverted> {
    const { texts, convert: address } = this.#given;
    const made = await convert(address, to, content, texts);
    if ("status" in made) this.#note(filled(texts.notConverted, { reason: made.reason }));
    return made;
  }

  /** Shows what would change, and asks whether to go on. */
  async #agrees(text: string, changes: readonly Difference[]): Promise<boolean> {
    const { texts } = this.#given;
    const chosen = await ask(
      texts.changesTitle ?? "",
      [make("p", {}, text), changeList(changes, texts)],
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
      changes.length > 0 && make("details", {}, make("summary", {}, texts.whatChanges), changeList(changes, texts));
    this.#notes.replaceChildren(...(text === "" ? [] : [make("div", { class: "notice note" }, text, more)]));
  }

  #open(doc: Node): void {
    const { texts } = this.#given;
    const place = make("div", { class: "rich" });
    const surface = make("div", { class: "rich-surface" });
    this.#field.before(place);
    // What a page holds must not shadow members of the document, which the editor uses.
    this.#preview = [...(find("#preview")?.childNodes ?? [])];
    find("#preview")?.replaceChildren();
    const picker = find<HTMLInputElement>(".editor-pictures input[type=file]", this.#form);
    const pictures = () => picker?.click();
    const tools = pictureTools(() => editor, { texts, place, captions: this.#captions });
    const panel = findPanel(() => editor, texts);
    const offer = markdownPaste(() => editor, {
      ...{ texts, convert: this.#given.convert },
      note: (text) => this.#note(text),
    });
    const count = wordCount(texts);
    const asking = insertChoices({
      ...this.#given,
      form: this.#form,
      note: (text) => this.#note(text),
    });
    const added = [...(find("#editor-insert")?.querySelectorAll("button") ?? [])];
    const editor: Editor = new Editor({
      element: surface,
      injectCSS: false,
      extensions: [
        ...schemaWith(texts),
        behaviour({
          link: (one) => void linkDialog(one, texts),
          save: () => HTMLFormElement.prototype.requestSubmit.call(this.#form, find("button[value=save]", this.#form)),
        }),
        Extension.create({
          name: "screen",
          priority: 1000,
          addProseMirrorPlugins: () => [
            insertMenu(() => editor, { texts, added, asking, place, pictures }),
            ...textMenus(() => editor, { ...this.#given, place }),
            picturePlaces(this.#form, texts),
            clipboard(PAGES),
            tools.plugin,
            ...[panel, offer, count].map(({ plugin }) => plugin),
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
    const bar = toolbar(editor, {
      ...{ texts, pictures },
      insert: () => openMenu(editor),
      find: () => panel.open(false),
    });
    bar.element.append(tools.element, panel.element, offer.element);
    place.append(bar.element, surface, count.element, make("p", { class: "quiet", id: "rich-help" }, texts.help));
    editor.on("transaction", ({ transaction }) => {
      bar.show();
      if (transaction.docChanged) EventTarget.prototype.dispatchEvent.call(this.#form, new Event("input"));
    });
    this.#editor = editor;
    this.#opened = editor.state.doc;
    this.#frame = place;
    // Who writes in the textarea, which is hidden now, goes on here.
    if (this.#field.contains(document.activeElement)) editor.commands.focus("end");
    bar.show();
  }

  /** Goes back to the textarea, with what was written. */
  async #openSource(): Promise<void> {
    const editor = this.#editor;
    if (!editor) return;
    if (this.#isEdited) {
      const { doc } = editor.state;
      const html = toHtml(doc);
      let written = html;
      if (this.#isMarkdown) {
        const made = await this.#asMarkdown(html);
        if (made === undefined || "status" in made) return;
        if (!editor.state.doc.eq(doc)) return this.#openSource();
        written = made.markdown;
      }
      this.#text.value = written;
    } else find("#preview")?.replaceChildren(...this.#preview);
    editor.destroy();
    this.#frame?.remove();
    this.#editor = undefined;
    this.#text.dispatchEvent(new Event("input", { bubbles: true }));
  }

  async #switchTo(mode: Mode): Promise<void> {
    if (mode === this.#mode || this.#isSwitching) return;
    this.#isSwitching = true;
    this.#notes.replaceChildren();
    await (mode === "rich" ? this.#openRich(true) : this.#openSource());
    this.#isSwitching = false;
    this.#showMode();
    if (mode !== this.#mode) return;
    rememberEditor(this.#given.choice, mode);
    if (this.#editor) this.#editor.view.focus();
    else (find(".cm-content", this.#field) ?? this.#text).focus();
  }

  get #mode(): Mode {
    return this.#editor ? "rich" : "source";
  }

  /** Loads the source editor, which takes the place of the textarea, when it first opens. */
  #loadSource(): void {
    const { sourceScript: src } = this.#given;
    if (find(`script[src="${src}"]`) === null) find("head")?.append(make("script", { src }));
  }

  #showMode(): void {
    const isRich = this.#mode === "rich";
    this.#field.hidden = isRich;
    this.#form.dataset.surface = this.#mode;
    if (!isRich) this.#loadSource();
    find(".editor-panes", this.#form)?.classList.toggle("is-rich", isRich);
    for (const button of find(".rich-switch")?.querySelectorAll("button") ?? [])
      button.setAttribute("aria-pressed", String(button.dataset.mode === this.#mode));
  }
}

const form = find<HTMLFormElement>("#editor");
const text = form && find<HTMLTextAreaElement>("textarea[name=content]", form);
if (form && text) {
  const given = JSON.parse(Element.prototype.getAttribute.call(form, "data-rich") ?? "{}") as Given;
  void new RichEditor(form, text, given).start();
}
