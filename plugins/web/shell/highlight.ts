/**
 * Code in colours, made on the server. The library and its languages are loaded when the first code is shown that needs
 * them, so that a runtime without code starts without them.
 */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** What is used of the library; its own types would bring those of browsers into the whole runtime. */
interface Highlighter {
  getLanguage(name: string): object | undefined;
  registerLanguage(name: string, language: unknown): void;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
}

/** Longer code is shown without colours: nobody reads it for them, and it would hold up everybody else. */
const MAX_CODE = 50_000;
/** Names that editors write, where the library means something else by them or knows them otherwise. */
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

/** Code as markup with a class for each kind of word; undefined where its language is unknown. */
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
