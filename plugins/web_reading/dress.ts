/**
 * What screens make of a page's HTML as the API shows it: code in colours, styles as rules, a table of contents. The HTML
 * is what the house itself wrote out, so tags and attributes have one form; nothing here decides what is harmless.
 */
import { createRequire } from "node:module";

/** What is used of the library; its own types would bring those of browsers into the whole house. */
interface Highlighter {
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
}

const hljs = createRequire(import.meta.url)("highlight.js/lib/common") as Highlighter;

/** A heading within a page. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** A page's HTML ready for its screen. */
export interface Dressed {
  readonly html: string;
  /** Rules of style for elements that had styles of their own; undefined where none had. */
  readonly style: string | undefined;
  readonly headings: readonly Heading[];
}

const KEPT = 500;
const MAX_CODE = 100_000;
/** A tag as the house writes it: attributes in double quotes, or bare names. */
const TAG = /<[a-zA-Z][^\s/>]*(?:\s+[^\s=>]+(?:="[^"]*")?)*\s*\/?>/g;
const STYLE = /\sstyle="([^"]*)"/;
/** Declarations that can stand in a rule without ending it, or loading anything. */
const DECLARATION = /^-?[a-z][a-z-]*\s*:\s*(?!.*url\s*\()[^{}<>;@\\]+$/i;
const CODE = /<pre([^>]*)><code([^>]*)>([^<]*)<\/code><\/pre>/g;
const HEADING = /<h([1-6])(?:\s[^>]*?)?\sid="([^"]+)"[^>]*>([\s\S]*?)<\/h\1>/g;

const known = new Map<string, Dressed>();

/** Dresses a page's HTML; the same HTML is dressed once. */
export function dressed(html: string): Dressed {
  const found = known.get(html);
  if (found) return found;
  const headings = [...html.matchAll(HEADING)].map(([, level = "1", id = "", text = ""]) => ({
    level: Number(level),
    id: plain(id),
    text: plain(text.replace(/<[^>]*>/g, "")).trim(),
  }));
  const result = { ...styled(html.replace(CODE, coloured)), headings: headings.filter(({ text }) => text !== "") };
  if (known.size >= KEPT) known.clear();
  known.set(html, result);
  return result;
}

function styled(html: string): { html: string; style: string | undefined } {
  const rules: string[] = [];
  const written = html.replace(TAG, (tag) =>
    tag.replace(STYLE, (_, style: string) => {
      const declarations = plain(style)
        .split(";")
        .map((each) => each.trim())
        .filter((each) => DECLARATION.test(each));
      if (declarations.length === 0) return "";
      rules.push(`[data-style="${rules.length}"]{${declarations.join(";")}}`);
      return ` data-style="${rules.length - 1}"`;
    }),
  );
  return { html: written, style: rules.length === 0 ? undefined : rules.join("\n") };
}

function coloured(whole: string, pre: string, code: string, content: string): string {
  const language = /\blanguage-([\w+#.-]+)/.exec(code)?.[1]?.toLowerCase();
  if (language === undefined || content.length > MAX_CODE || !hljs.getLanguage(language))
    return whole.replace("<pre", '<pre tabindex="0"');
  const { value } = hljs.highlight(plain(content), { language, ignoreIllegals: true });
  return `<pre tabindex="0"${pre}><code${code}>${value}</code></pre>`;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0" };

/** Text out of what the house escapes. */
function plain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name: string) => ENTITIES[name] ?? "");
}
