/**
 * The source editor's language, keys and looks. Nothing here draws a style attribute, so the policy of screens holds as it is: CodeMirror sets
 * styles of elements by their properties, and its style elements get the nonce of the one that the screen has. Tab is a key of
 * lists and code alone and leaves the editor elsewhere; after Escape it always does.
 */
import { acceptCompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { cssLanguage } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascriptLanguage, jsxLanguage, tsxLanguage, typescriptLanguage } from "@codemirror/lang-javascript";
import {
  insertNewlineContinueMarkupCommand,
  markdown,
  markdownKeymap,
  markdownLanguage,
} from "@codemirror/lang-markdown";
import {
  bracketMatching,
  indentUnit,
  type Language,
  LanguageDescription,
  LanguageSupport,
  StreamLanguage,
  type StreamParser,
  syntaxHighlighting,
} from "@codemirror/language";
import { openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, Prec, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, type KeyBinding, keymap, ViewPlugin } from "@codemirror/view";
import { classHighlighter, tagHighlighter, tags } from "@lezer/highlight";
import { find, make, type Texts } from "./screen.ts";
import { LANGUAGE_NAMES, LANGUAGES_LOADED, type LanguageName } from "./source_language_names.ts";
import { type Format, indentItems, type Mark, setHeading, toggleList, toggleMark, toggleQuote } from "./source_text.ts";

const MARK_KEYS: Readonly<Record<string, Mark>> = {
  "Mod-b": "bold",
  "Mod-i": "italic",
  "Mod-u": "underline",
  "Mod-e": "code",
  "Mod-Shift-x": "strike",
};
/** Keys of the library that are those of the screen, need several cursors, or are Ctrl+Shift+7 on some keyboards. */
const LEFT_OUT = new Set(["Mod-Enter", "Mod-d", "Mod-Shift-l", "Mod-Alt-ArrowUp", "Mod-Alt-ArrowDown", "Mod-/"]);

/** The keys of formats, the same as those of the rich editor. */
export function formatKeys(format: Format, link: (view: EditorView) => boolean): readonly KeyBinding[] {
  return [
    ...Object.entries(MARK_KEYS).map(([key, mark]) => ({
      key,
      run: (view: EditorView) => toggleMark(view, format, mark),
    })),
    ...[0, 1, 2, 3, 4, 5, 6].map((level) => ({
      key: `Mod-Alt-${level}`,
      run: (view: EditorView) => setHeading(view, format, level),
    })),
    { key: "Mod-k", run: link },
    { key: "Mod-Shift-7", run: (view) => toggleList(view, format, "ordered") },
    { key: "Mod-Shift-8", run: (view) => toggleList(view, format, "bullet") },
    { key: "Mod-Shift-9", run: (view) => toggleList(view, format, "task") },
    { key: "Mod-Shift-b", run: (view) => toggleQuote(view, format) },
    { key: "Mod-h", run: openReplace },
  ];
}

function openReplace(view: EditorView): boolean {
  openSearchPanel(view);
  view.dom.querySelector<HTMLInputElement>(".cm-search [name=replace]")?.focus();
  return true;
}

/** What the editor is made of, apart from what it asks of the screen. */
export function setup(format: Format, texts: Texts, languages: string): Extension {
  const nonce = find<HTMLStyleElement>("style[nonce]")?.nonce;
  return [
    nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
    EditorState.phrases.of(phrases(texts)),
    history(),
    format === "markdown" ? markdownSetup(languages) : html({ autoCloseTags: false }),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    bracketMatching(),
    closeBrackets(),
    // Quotes are apostrophes more often than not, and three backticks are a fence.
    Prec.highest(EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["(", "[", "{"] } }])),
    search({ top: true }),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    ownDirections,
    syntaxHighlighting(classHighlighter),
    syntaxHighlighting(furtherClasses),
    keymap.of([
      { key: "Tab", run: acceptCompletion },
      {
        key: "Tab",
        run: (view) => indentItems(view, format, 1),
        shift: (view) => indentItems(view, format, -1),
      },
      ...(format === "markdown" ? CONTINUED : []),
      ...[...closeBracketsKeymap, ...historyKeymap, ...searchKeymap, ...defaultKeymap].filter(
        ({ key = "" }) => !LEFT_OUT.has(key),
      ),
    ]),
  ];
}

/** Enter continues lists and quotes, and ends them in an empty item. */
const CONTINUED: readonly KeyBinding[] = [
  { key: "Enter", run: insertNewlineContinueMarkupCommand({ nonTightLists: false }) },
  ...markdownKeymap.filter(({ key }) => key !== "Enter"),
];

function markdownSetup(languages: string): Extension {
  return markdown({
    base: markdownLanguage,
    codeLanguages: [
      ...ready("javascript", ["js", "json", "node", "mjs"], javascriptLanguage),
      ...ready("jsx", [], jsxLanguage),
      ...ready("typescript", ["ts"], typescriptLanguage),
      ...ready("tsx", [], tsxLanguage),
      ...ready("css", ["scss", "less"], cssLanguage),
      ...ready("html", ["vue", "svelte"], html().language),
      ...Object.entries(LANGUAGE_NAMES).map(([name, alias]) =>
        LanguageDescription.of({
          name,
          alias: [...alias],
          load: async () =>
            new LanguageSupport(StreamLanguage.define((await parsers(languages))[name as LanguageName])),
        }),
      ),
    ],
    addKeymap: false,
    completeHTMLTags: false,
    pasteURLAsLink: false,
  });
}

function ready(name: string, alias: readonly string[], language: Language): LanguageDescription[] {
  return [LanguageDescription.of({ name, alias, support: new LanguageSupport(language) })];
}

type Parsers = Readonly<Record<LanguageName, StreamParser<unknown>>>;

let loading: Promise<Parsers> | undefined;

/** Loads the script of languages, once. Rejects where it is not reached; the next code block tries again. */
function parsers(address: string): Promise<Parsers> {
  loading ??= new Promise<Parsers>((resolve, reject) => {
    const taken = (event: Event) => resolve((event as CustomEvent<Parsers>).detail);
    EventTarget.prototype.addEventListener.call(document, LANGUAGES_LOADED, taken, { once: true });
    const failed = () => {
      loading = undefined;
      reject(new Error(`Cannot load ${address}`));
    };
    find("head")?.append(make("script", { src: address, onerror: failed }));
  });
  return loading;
}

/** Each line has the direction of its own text. */
const ownDirections = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = this.#drawn(view);
    }
    update({ docChanged, viewportChanged, view }: { docChanged: boolean; viewportChanged: boolean; view: EditorView }) {
      if (docChanged || viewportChanged) this.decorations = this.#drawn(view);
    }
    #drawn({ visibleRanges, state }: EditorView): DecorationSet {
      const made = new RangeSetBuilder<Decoration>();
      let last = -1;
      for (const { from, to } of visibleRanges)
        for (let at = from; at <= to; at = state.doc.lineAt(at).to + 1) {
          const line = state.doc.lineAt(at);
          if (line.from > last) made.add(line.from, line.from, DIRECTED);
          last = line.from;
        }
      return made.finish();
    }
  },
  { decorations: ({ decorations }) => decorations },
);
const DIRECTED = Decoration.line({ attributes: { dir: "auto" } });

/** Classes of what the library's own list of classes does not tell apart. */
const furtherClasses = tagHighlighter([
  { tag: tags.monospace, class: "tok-monospace" },
  { tag: tags.strikethrough, class: "tok-strike" },
  { tag: tags.quote, class: "tok-quote" },
  { tag: [tags.tagName, tags.angleBracket], class: "tok-tag" },
  { tag: tags.attributeName, class: "tok-attribute" },
  { tag: tags.processingInstruction, class: "tok-sign" },
]);

/** The texts of the library, by those that it has. */
function phrases(texts: Texts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) =>
      key.startsWith("phrase ") ? [[key.slice("phrase ".length), text]] : [],
    ),
  );
}
