/** The number of words and characters of the text, and of the selection where there is one. */
import type { Node } from "@tiptap/pm/model";
import { Plugin } from "@tiptap/pm/state";
import { filled, make, type Texts } from "./screen.ts";
import { wordsIn } from "./words.ts";

/** How long the writer pauses before it is counted. */
const PAUSE_MS = 300;

/** Words and characters of a text; line breaks between blocks are not counted. */
function counted(text: string, language: string | undefined): { words: number; characters: number } {
  const words = wordsIn(text, language);
  return { words, characters: [...text.replaceAll("\n", "")].length };
}

const textOf = (doc: Node, from = 0, to = doc.content.size) => doc.textBetween(from, to, "\n");

/** The line that shows them, and the plugin that keeps it up to date. */
export function wordCount(texts: Texts): { readonly element: HTMLElement; readonly plugin: Plugin } {
  const element = make("p", { class: "quiet rich-count" });
  const language = Document.prototype.querySelector.call(document, "html")?.getAttribute("lang") ?? undefined;
  const numbers = new Intl.NumberFormat(language);
  const said = (text: string | undefined, part: string) => {
    const { words, characters } = counted(part, language);
    return filled(text, { words: numbers.format(words), characters: numbers.format(characters) });
  };
  const plugin = new Plugin({
    view(view) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const show = () => {
        const { doc, selection } = view.state;
        const whole = said(texts.count, textOf(doc));
        const { from, to, empty } = selection;
        element.textContent = empty ? whole : `${whole} · ${said(texts.countSelected, textOf(doc, from, to))}`;
      };
      show();
      return {
        update({ state }, before) {
          if (before.doc.eq(state.doc) && before.selection.eq(state.selection)) return;
          clearTimeout(timer);
          timer = setTimeout(show, PAUSE_MS);
        },
        destroy: () => clearTimeout(timer),
      };
    },
  });
  return { element, plugin };
}
