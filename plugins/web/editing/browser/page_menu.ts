/** The list of pages that opens at `[[`: Enter inserts a link that stays when the page is moved or renamed. */
import type { Editor } from "@tiptap/core";
import type { Plugin } from "@tiptap/pm/state";
import { setLink } from "./inline.ts";
import type { Texts } from "./screen.ts";
import { type Choice, suggestions } from "./suggestions.ts";

/** Two brackets before the cursor, and the words behind them. */
const BRACKETS = /(\[\[)([^[\]\ufffc]{0,60})$/;
/** How long the writer pauses before it is searched. */
const PAUSE_MS = 150;

/** What the list gets from the screen. */
export interface PageMenuOptions {
  readonly texts: Texts;
  /** The address that answers with the pages that the writer sees, for `?query=`. */
  readonly pages: string;
  readonly place: HTMLElement;
}

/** The plugin of the list. */
export function pageMenu(editor: () => Editor, { texts, pages, place }: PageMenuOptions): Plugin {
  let last = 0;
  const find = async (typed: string): Promise<readonly Choice[]> => {
    last++;
    const number = last;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (number !== last) return [];
    return found(pages, typed);
  };
  return suggestions({ editor, texts, label: texts.pages, id: "pages", sign: BRACKETS, place, find });
}

async function found(pages: string, query: string): Promise<readonly Choice[]> {
  try {
    const response = await fetch(`${pages}?query=${encodeURIComponent(query)}`, {
      headers: { accept: "application/json" },
    });
    const { data = [] } = (await response.json()) as { data?: { name: string; place: string; link: string }[] };
    return data.map(({ name, place, link }) => ({
      text: place === "" ? name : `${name} · ${place}`,
      run: ({ state, view }) => void setLink(link, name)(state, view.dispatch),
    }));
  } catch {
    // Without a connection there is no list, and what was typed stays.
    return [];
  }
}
