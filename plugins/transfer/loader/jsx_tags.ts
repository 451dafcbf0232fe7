/** An opening tag of a component, such as `<Card title="A" href="/b">`. */
export interface JsxTag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly start: number;
  /** Offset after its `>`. */
  readonly end: number;
  readonly closed: boolean;
}

const MAX_TAG_LENGTH = 10_000;

/** Parses the opening tag at an offset; undefined where it is not closed by a `>` outside quotes and braces. */
export function tagAt(text: string, start: number): JsxTag | undefined {
  const name = /^<([A-Z][\w.]*)/.exec(text.slice(start, start + 100))?.[1];
  if (name === undefined) return undefined;
  const end = endOfTag(text, start + 1 + name.length);
  if (end === undefined) return undefined;
  const inside = text.slice(start + 1 + name.length, end - 1);
  return { name, attributes: attributesOf(inside), start, end, closed: inside.trimEnd().endsWith("/") };
}

function endOfTag(text: string, from: number): number | undefined {
  let quote = "";
  let braces = 0;
  for (let at = from; at < Math.min(text.length, from + MAX_TAG_LENGTH); at++) {
    const sign = text[at] ?? "";
    if (quote !== "") quote = sign === quote ? "" : quote;
    else if (sign === '"' || (sign === "'" && braces === 0)) quote = sign;
    else if (sign === "{") braces++;
    else if (sign === "}") braces--;
    else if (sign === ">" && braces === 0) return at + 1;
  }
  return undefined;
}

const ATTRIBUTE = /([A-Za-z_][\w-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}))?/g;

function attributesOf(inside: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = "", double, single, braced] of inside.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? (braced === undefined ? "true" : literalOf(braced.trim()));
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** The text of a string, number or boolean literal; undefined for other expressions. */
function literalOf(expression: string): string | undefined {
  return /^(["'`])([^"'`]*)\1$/.exec(expression)?.[2] ?? /^[\d.]+$|^(?:true|false)$/.exec(expression)?.[0];
}

/** The offsets of the closing tag that belongs to an opening tag; undefined where there is none. */
export function closeOf(text: string, mask: string, tag: JsxTag): { start: number; end: number } | undefined {
  const either = new RegExp(`<(/?)${tag.name.replaceAll(".", "\\.")}(?![\\w.])`, "g");
  either.lastIndex = tag.end;
  let depth = 1;
  for (let found = either.exec(mask); found; found = either.exec(mask)) {
    if (found[1] === "/") depth--;
    else if (tagAt(text, found.index)?.closed === false) depth++;
    if (depth > 0) continue;
    const end = mask.indexOf(">", found.index);
    return { start: found.index, end: end === -1 ? mask.length : end + 1 };
  }
  return undefined;
}
