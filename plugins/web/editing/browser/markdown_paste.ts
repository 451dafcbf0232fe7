/**
 * Markdown that is pasted as plain text is inserted as it is, and a notice offers it as formatted text: who copies from a terminal means
 * the signs. Taking the offer is a step of undo of its own, which brings the signs back. The server converts, as for pages.
 */
import type { Editor } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import { DOMParser as ModelParser, Slice } from "@tiptap/pm/model";
import { Plugin } from "@tiptap/pm/state";
import { withoutIds } from "./compare.ts";
import { convert } from "./convert.ts";
import { inertDocument } from "./inert.ts";
import { keepWhole } from "./reader.ts";
import { filled, make, type Texts } from "./screen.ts";

/** Signs of Markdown at the beginning of a line, or around words. */
const SIGNS = [
  /^#{1,6} \S/m,
  /^ {0,3}[-*+] \[[ xX]\] /m,
  /^> \S/m,
  /^```/m,
  /^\|.*\|[ \t]*\n\|[ :|-]+\|/m,
  /\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)/,
  /\*\*[^*\s][^*\n]{0,200}\*\*/,
];

/** Whether a text looks like Markdown. */
function isMarkdown(text: string): boolean {
  const items = text.split("\n").filter((line) => /^ {0,3}(?:[-*+]|\d{1,9}[.)]) \S/.test(line));
  return items.length > 1 || SIGNS.some((sign) => sign.test(text));
}

/** What the offer gets from the screen. */
export interface MarkdownPaste {
  readonly texts: Texts;
  /** The address that converts. */
  readonly convert: string;
  /** Tells the writer why it was not converted. */
  note(text: string): void;
}

/** The notice of the offer, and the plugin that makes it. */
export function markdownPaste(editor: () => Editor, { texts, convert: address, note }: MarkdownPaste) {
  let text = "";
  let place: { from: number; to: number } | undefined;
  const hide = () => {
    element.hidden = true;
    place = undefined;
  };
  const format = async () => {
    const made = await convert(address, "html", text, texts);
    if (!place) return;
    const { from, to } = place;
    hide();
    if ("status" in made) return note(filled(texts.notConverted, { reason: made.reason }));
    const { body } = inertDocument(withoutIds(made.html));
    keepWhole(body);
    const { view, state } = editor();
    const { content } = ModelParser.fromSchema(state.schema).parse(body);
    const openAt = (name: string | undefined) => (name === "paragraph" ? 1 : 0);
    const slice = new Slice(content, openAt(content.firstChild?.type.name), openAt(content.lastChild?.type.name));
    view.dispatch(closeHistory(state.tr.replaceRange(from, to, slice)).scrollIntoView());
    view.focus();
  };
  const button = (name: string, run: () => void) =>
    make("button", { type: "button", class: "small secondary outline", onclick: run }, texts[name]);
  const element = make(
    "div",
    { class: "rich-offer", role: "status", hidden: true },
    make("span", {}, texts.pastedMarkdown),
    button("formatPasted", () => void format()),
    button("keepPasted", () => {
      hide();
      editor().view.focus();
    }),
  );
  const plugin = new Plugin({
    props: {
      handlePaste(view, { clipboardData }) {
        const pasted = clipboardData?.getData("text/plain") ?? "";
        const isPlain = clipboardData?.types.includes("text/html") === false;
        const isCode = view.state.selection.$from.parent.type.name === "codeBlock";
        text = isPlain && !isCode && isMarkdown(pasted) ? pasted.replaceAll("\r\n", "\n") : "";
        return false;
      },
    },
    appendTransaction(transactions, _before, { doc }) {
      const pasting = transactions.find((tr) => tr.docChanged && tr.getMeta("uiEvent") === "paste");
      if (!transactions.some(({ docChanged }) => docChanged)) return null;
      hide();
      if (pasting && text !== "") {
        let [from, to] = [doc.content.size, 0];
        for (const [index, map] of pasting.mapping.maps.entries())
          map.forEach((_from, _to, start, end) => {
            const rest = pasting.mapping.slice(index + 1);
            from = Math.min(from, rest.map(start, -1));
            to = Math.max(to, rest.map(end, 1));
          });
        place = from < to ? { from, to } : undefined;
        element.hidden = !place;
      }
      return null;
    },
  });
  return { element, plugin };
}
