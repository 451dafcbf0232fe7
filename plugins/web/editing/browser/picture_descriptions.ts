/**
 * Asks for what a picture shows, once it is uploaded: the text for people who do not see it, and a caption. The question is a list below the
 * text that takes no focus, so that nobody has to answer it; what is written there is put into the text when its field is left. The rich editor
 * changes its document (`lectern-picture-described`); for other editors the source in the textarea is changed.
 */
import { filled, find, make, type Texts } from "./screen.ts";

/** What is said of the picture at an address. */
export interface PictureDescription {
  readonly url: string;
  readonly alt: string;
  readonly caption: string;
}

const escaped = (text: string) =>
  text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Markdown with the description of a picture: the caption is its title. */
function describedMarkdown(source: string, { url, alt, caption }: PictureDescription): string {
  const at = source.indexOf(`](${url}`);
  const start = source.lastIndexOf("![", at);
  const after = source.slice(at + 2 + url.length);
  const [end] = /^(?: "[^"\n]*")?\)/.exec(after) ?? [];
  if (at < 0 || start < 0 || end === undefined || /[\]\n]/.test(source.slice(start + 2, at))) return source;
  const title = caption === "" ? "" : ` "${caption.replace(/"/g, "'")}"`;
  return `${source.slice(0, start)}![${alt.replace(/[[\]]/g, "")}](${url}${title})${after.slice(end.length)}`;
}

/** HTML with the description of a picture: with a caption it is a figure. */
function describedHtml(source: string, { url, alt, caption }: PictureDescription): string {
  const at = source.indexOf(`<img src="${url}"`);
  const close = source.indexOf(">", at);
  if (at < 0 || close < 0) return source;
  const [before, after] = [source.slice(0, at), source.slice(close + 1)];
  const [end] = /^\s*<figcaption>[^<]*<\/figcaption>\s*<\/figure>/.exec(after) ?? [];
  const isFigure = end !== undefined && before.endsWith("<figure>");
  const isParagraph = before.endsWith("<p>") && after.startsWith("</p>");
  const described = `<img src="${url}" alt="${escaped(alt)}">`;
  const whole =
    caption === ""
      ? `<p>${described}</p>`
      : `<figure>${described}<figcaption>${escaped(caption)}</figcaption></figure>`;
  if (isFigure) return before.slice(0, -"<figure>".length) + whole + after.slice(end.length);
  if (isParagraph) return before.slice(0, -"<p>".length) + whole + after.slice("</p>".length);
  return before + described + after;
}

/** The list of one editor. */
function descriptions(form: HTMLFormElement, text: HTMLTextAreaElement, texts: Texts): HTMLElement {
  const list = make("div", {});
  const place = make(
    "section",
    { class: "picture-descriptions", "aria-labelledby": "descriptions-title", hidden: true },
    make("p", { id: "descriptions-title" }, texts.describe),
    list,
    make("button", { type: "button", class: "small secondary outline", onclick: () => close() }, texts.done),
  );
  const close = () => {
    list.replaceChildren();
    place.hidden = true;
  };
  const apply = (description: PictureDescription) => {
    if (form.dataset.surface === "rich") {
      const event = new CustomEvent("lectern-picture-described", { detail: description });
      EventTarget.prototype.dispatchEvent.call(form, event);
      return;
    }
    const isMarkdown = find<HTMLInputElement>("input[name=source]", form)?.value === "markdown";
    const made = (isMarkdown ? describedMarkdown : describedHtml)(text.value, description);
    if (made === text.value) return;
    const { selectionStart, selectionEnd } = text;
    text.value = made;
    text.setSelectionRange(selectionStart, selectionEnd);
    text.dispatchEvent(new Event("input", { bubbles: true }));
  };
  let last = 0;
  EventTarget.prototype.addEventListener.call(form, "lectern-picture-uploaded", (event) => {
    const { url, name } = (event as CustomEvent<{ url: string; name: string }>).detail;
    last++;
    const field = (kind: "alt" | "caption", label: string | undefined) => {
      const input = make("input", { id: `picture-${kind}-${last}`, autocomplete: "off", maxlength: "500" });
      return { input, box: make("div", { class: "field" }, make("label", { for: input.id }, label), input) };
    };
    const [alt, caption] = [field("alt", texts.alt), field("caption", texts.caption)];
    const changed = () => {
      const shown = alt.input.value.trim();
      apply({ url, alt: shown === "" ? name.replace(/\.\w+$/, "") : shown, caption: caption.input.value.trim() });
    };
    const item = make(
      "div",
      { class: "picture-description", role: "group", "aria-label": filled(texts.ofPicture, { name }) },
      make("img", { src: url, alt: "", width: "64", height: "64" }),
      alt.box,
      caption.box,
    );
    for (const { input } of [alt, caption]) {
      input.addEventListener("change", changed);
      // They are no fields of the form: what is typed here is not what is kept.
      input.addEventListener("input", (event) => event.stopPropagation());
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        changed();
      });
    }
    list.append(item);
    place.hidden = false;
  });
  return place;
}

const form = find<HTMLFormElement>("#editor");
const text = form && find<HTMLTextAreaElement>("textarea[name=content]", form);
const uploads = form && find("#uploads", form);
if (form && text && uploads)
  uploads.after(descriptions(form, text, JSON.parse(uploads.dataset.texts ?? "{}") as Texts));
