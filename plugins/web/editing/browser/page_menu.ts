/**
 * The lists that open while typing, of what the server finds: pages at `[[`, of which Enter inserts a link that stays when the page is moved or
 * renamed, and people at `@`, who can be mentioned.
 */
import type { Editor } from "@tiptap/core";
import type { Plugin } from "@tiptap/pm/state";
import { setLink } from "./inline.ts";
import type { Texts } from "./screen.ts";
import { type Choice, suggestions } from "./suggestions.ts";

/** Two brackets before the cursor, and the words behind them. */
const BRACKETS = /(\[\[)([^[\]\ufffc]{0,60})$/;
/** The sign of a mention, which is within no address and no word, and the name behind it. */
const AT = /(?<![\p{L}\p{N}_@./-])(@)([\p{L}\p{N}_-]{0,40})$/u;
/** How long the writer pauses before it is searched. */
const PAUSE_MS = 150;

/** What the list gets from the screen. */
export interface TextMenuOptions {
  readonly texts: Texts;
  /** The address that answers with the pages that the writer sees, for `?query=`. */
  readonly pages: string;
  /** The same of people. */
  readonly people: string;
  readonly place: HTMLElement;
}

/** The plugins of the lists. */
export function textMenus(editor: () => Editor, { texts, pages, people, place }: TextMenuOptions): Plugin[] {
  const shared = { editor, texts, place };
  const link: Run =
    ({ link: address, name }) =>
    ({ state, view }) =>
      void setLink(address, name)(state, view.dispatch);
  const mention: Run =
    ({ link: text }) =>
    ({ view }) =>
      view.dispatch(view.state.tr.insertText(`${text} `));
  return [
    suggestions({ ...shared, label: texts.pages, id: "pages", sign: BRACKETS, find: searchIn(pages, link) }),
    suggestions({ ...shared, label: texts.people, id: "people", sign: AT, find: searchIn(people, mention) }),
  ];
}

/** Something that the server has found; `link` is what is written of it. */
interface Found {
  readonly name: string;
  readonly place: string;
  readonly link: string;
}

/** What taking a choice does. */
type Run = (found: Found) => Choice["run"];

/** A search that waits for a pause. */
function searchIn(address: string, run: Run): (typed: string) => Promise<readonly Choice[]> {
  let last = 0;
  return async (typed) => {
    last++;
    const number = last;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (number !== last) return [];
    return found(address, typed, run);
  };
}

async function found(address: string, query: string, run: Run): Promise<readonly Choice[]> {
  try {
    const response = await fetch(`${address}?query=${encodeURIComponent(query)}`, {
      headers: { accept: "application/json" },
    });
    const { data = [] } = (await response.json()) as { data?: Found[] };
    return data.map((one) => ({ text: one.place === "" ? one.name : `${one.name} · ${one.place}`, run: run(one) }));
  } catch {
    // Without a connection there is no list, and what was typed stays.
    return [];
  }
}
