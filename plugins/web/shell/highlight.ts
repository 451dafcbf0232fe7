/** Syntax highlighting on the server. The library and its languages are loaded when they are first needed. */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The used part of the library; its own types would add the types of browsers to the whole program. */
interface Highlighter {
  getLanguage(name: string): object | undefined;
  registerLanguage(name: string, language: unknown): void;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
}

/** Longest code that is highlighted, in characters: highlighting blocks the event loop. */
const MAX_CODE = 50_000;
/** Names of languages in editors that the library does not know, or uses differently. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["shell", "bash"],
  ["mssql", "sql"],
  ["octave", "matlab"],
  ["postgresql", "pgsql"],
  ["vb", "vbnet"],
]);

const require = createRequire(import.meta.url);
let library: Highlighter | undefined;
let shipped: ReadonlySet<string> | undefined;

/** Code as HTML with a class for each kind of token; undefined where the language is unknown or the code too long. */
export function highlighted(code: string, language: string): string | undefined {
  if (code.length > MAX_CODE) return undefined;
  library ??= require("highlight.js/lib/common") as Highlighter;
  const name = NAMES.get(language) ?? language;
  if (!library.getLanguage(name)) {
    shipped ??= new Set(readdirSync(join(dirname(require.resolve("highlight.js/lib/common")), "languages")));
    if (!shipped.has(`${name}.js`)) return undefined;
    library.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));
  }
  return library.highlight(code, { language: name, ignoreIllegals: true }).value;
}
