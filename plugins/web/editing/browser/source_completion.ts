/**
 * Lists that open while typing: what can be inserted, behind a slash at the beginning of a line; pages, behind `[[` and in the place of an
 * address; pictures, behind `![` and in the place of a picture's address; people who can be mentioned, behind `@`. The server answers with what the writer may see. Nothing opens
 * in code, and without a connection what was typed stays.
 */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  completionStatus,
} from "@codemirror/autocomplete";
import { isolateHistory } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { matching } from "./choices.ts";
import { linkText, pictureText, plainHtml, plainMarkdown } from "./source_insert.ts";
import type { Format } from "./source_text.ts";

/** Something that the menu of a slash offers; the slash and what was typed behind it are gone when it runs. */
export interface MenuChoice {
  readonly text: string;
  readonly run: (view: EditorView) => void;
}

/** What the lists get from the screen. */
export interface Lists {
  readonly format: Format;
  readonly choices: readonly MenuChoice[];
  /** The addresses that answer with pages, people and pictures, for `?query=`. */
  readonly pages: string;
  readonly people: string;
  readonly pictures: string;
}

/** Something that the server has found. */
interface Found {
  readonly name: string;
  /** Where it is. */
  readonly place: string;
  /** The address that is written. */
  readonly address: string;
}

/** A sign before the cursor, with what is typed behind it, and the signs behind the cursor that go along. */
interface Sign {
  /** The sign and what is typed behind it, at the end of a line's text before the cursor. */
  readonly before: RegExp;
  /** Whether the sign means that, by the text before it. */
  readonly isMeant?: (text: string) => boolean;
  readonly after?: RegExp;
}

/** How much text before the cursor is looked at. */
const LOOKED_AT = 300;

const PAGE: Sign = { before: /\[\[([^[\]\n]{0,60})$/, after: /^\]{0,2}/ };
const PICTURE: Sign = { before: /!\[([^[\]\n]{0,60})$/, after: /^\]?(?:\(\))?/ };

/** A mention, which is within no address and no word. */
const PERSON: Sign = { before: /(?<![\p{L}\p{N}_@./-])@([\p{L}\p{N}_-]{0,40})$/u, after: /^/ };

/** The place of an address, in which what is typed and is no address yet is searched for. */
function addressOf(what: "page" | "picture", format: Format): Sign {
  if (format === "html") {
    const tag = what === "page" ? "<a " : "<img ";
    return {
      before: what === "page" ? /href="([^"\n:/#.]{0,60})$/i : /src="([^"\n:/#.]{0,60})$/i,
      isMeant: (text) => text.slice(text.lastIndexOf("<")).toLowerCase().startsWith(tag),
    };
  }
  return {
    before: /\]\(([^()\n:/#.]{0,60})$/,
    isMeant: (text) => (text[text.lastIndexOf("[") - 1] === "!") === (what === "picture"),
  };
}

/** The extension of all lists. */
export function completion({ format, choices, pages, people, pictures }: Lists): Extension {
  const name = (text: string) => (format === "markdown" ? plainMarkdown(text) : plainHtml(text));
  const link = ({ address, name: text }: Found) => linkText(format, address, name(text));
  const picture = ({ address, name: text }: Found) => pictureText(format, address, text);
  const address = ({ address: written }: Found) => written;
  const mention = ({ address: written }: Found) => `${written} `;
  const lists = autocompletion({
    icons: false,
    override: [
      menu(choices),
      searched(PAGE, pages, link),
      searched(addressOf("page", format), pages, address),
      searched(PERSON, people, mention),
      ...(format === "markdown" ? [searched(PICTURE, pictures, picture)] : []),
      searched(addressOf("picture", format), pictures, address),
    ],
  });
  return [lists, reachable];
}

/** Lists that scroll have to be reachable by keyboard, though the focus stays in the text while one is open. */
const reachable = EditorView.updateListener.of(({ view, state }) => {
  if (completionStatus(state) === null) return;
  view.requestMeasure({
    key: "reachable",
    read: () => view.dom.querySelector(".cm-tooltip-autocomplete > ul:not([tabindex])"),
    write: (list) => list?.setAttribute("tabindex", "0"),
  });
});

function isCode(state: EditorState, at: number): boolean {
  for (let node = syntaxTree(state).resolveInner(at, -1); ; ) {
    if (/^(?:FencedCode|CodeBlock|InlineCode|CodeText|Script|StyleSheet)$/.test(node.name)) return true;
    if (!node.parent) return false;
    node = node.parent;
  }
}

function menu(choices: readonly MenuChoice[]): CompletionSource {
  const read = ({ state, pos }: CompletionContext): CompletionResult | null => {
    const line = state.doc.lineAt(pos);
    const [all, , typed = ""] = /^(\s*)\/([\p{L}\p{N}-]{0,30})$/u.exec(state.sliceDoc(line.from, pos)) ?? [];
    if (all === undefined || isCode(state, pos)) return null;
    const options = matching(choices, typed).map((choice) => ({
      label: choice.text,
      apply: (view: EditorView, _completion: Completion, from: number, to: number) => {
        view.dispatch({ changes: { from, to }, annotations: isolateHistory.of("full"), userEvent: "input.complete" });
        choice.run(view);
      },
    }));
    // Narrowed down at once, so that Enter takes what the letters before it say.
    const update = (_current: CompletionResult, _from: number, _to: number, context: CompletionContext) =>
      read(context);
    return { from: line.from + all.length - typed.length - 1, options, filter: false, update };
  };
  return read;
}

function searched(sign: Sign, endpoint: string, written: (found: Found) => string): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { state, pos } = context;
    const line = state.doc.lineAt(pos);
    const text = state.sliceDoc(Math.max(line.from, pos - LOOKED_AT), pos);
    const [all, typed = ""] = sign.before.exec(text) ?? [];
    if (all === undefined || isCode(state, pos) || sign.isMeant?.(text.slice(0, -all.length)) === false) return null;
    const results = await found(endpoint, typed, context);
    const options = results.map((one) => ({
      label: one.name,
      ...(one.place !== "" && { detail: one.place }),
      apply: (view: EditorView, _completion: Completion, from: number, to: number) => {
        const insert = written(one);
        const rest = view.state.sliceDoc(to, view.state.doc.lineAt(to).to);
        const end = to + (sign.after?.exec(rest)?.[0].length ?? 0);
        view.dispatch({
          changes: { from, to: end, insert },
          selection: { anchor: from + insert.length },
          annotations: isolateHistory.of("full"),
          userEvent: "input.complete",
        });
      },
    }));
    return { from: pos - (sign.after ? all : typed).length, options, filter: false };
  };
}

async function found(endpoint: string, query: string, context: CompletionContext): Promise<readonly Found[]> {
  const stop = new AbortController();
  context.addEventListener("abort", () => stop.abort(), { onDocChange: true });
  try {
    const response = await fetch(`${endpoint}?query=${encodeURIComponent(query)}`, {
      headers: { accept: "application/json" },
      signal: stop.signal,
    });
    const { data = [] } = (await response.json()) as {
      data?: (Partial<Found> & { name: string; link?: string; url?: string })[];
    };
    return data.map(({ name, place = "", link, url }) => ({
      name,
      place,
      address: link ?? url ?? "",
    }));
  } catch {
    return [];
  }
}
