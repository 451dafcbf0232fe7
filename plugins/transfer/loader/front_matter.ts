import { isObject } from "lectern/db";

/** What the front matter of a file says about its page. */
export interface FrontMatter {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly PageTag[];
  /** Requested position among siblings; undefined for none. */
  readonly order: number | undefined;
}

/** A tag as the API takes it. */
export interface PageTag {
  readonly name: string;
  readonly value: string;
}

const HEAD = /^\uFEFF?---[ \t]*\n((?:[\s\S]*?\n)??)(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const MAX_TAG = 255;

/** Splits a file into front matter and body. Never throws: front matter that is not a YAML mapping is part of the body. */
export function readFrontMatter(text: string): { front: FrontMatter; body: string } {
  const head = HEAD.exec(text);
  const fields = head ? parse(head[1] ?? "") : undefined;
  if (!head || fields === undefined) return { front: frontMatterOf({}), body: text };
  return { front: frontMatterOf(fields), body: text.slice(head[0].length) };
}

/** Parses a YAML mapping, or the simple `key: value` lines of invalid YAML; undefined for anything else, such as text between two rules. */
function parse(yaml: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = Bun.YAML.parse(yaml);
    if (parsed === null || parsed === undefined) return {};
    return isObject(parsed) && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    const pairs = [...yaml.matchAll(/^([A-Za-z_][\w-]*):[ \t]+(.+)$/gm)].map(([, key, value]) => [
      key,
      unquoted(value ?? ""),
    ]);
    return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
  }
}

function unquoted(value: string): string {
  return value.trim().replace(/^(["'])(.*)\1$/, "$2");
}

function frontMatterOf(fields: Record<string, unknown>): FrontMatter {
  const position = [fields.sidebar_position, fields.order, fields.weight]
    .map(numberOf)
    .find((value) => value !== undefined);
  return {
    title: textOf(fields.title),
    description: textOf(fields.description),
    tags: tagsOf(fields.tags),
    order: position,
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  return String(value).replace(/\s+/g, " ").trim() || undefined;
}

function numberOf(value: unknown): number | undefined {
  const number =
    typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(number) && Math.abs(number) < 2 ** 31 ? Math.round(number) : undefined;
}

/** Tags in any of the forms `[a, b]`, `a, b`, `{team: ops}` and `[{name: team, value: ops}]`. */
function tagsOf(value: unknown): PageTag[] {
  const entries =
    typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : isMapping(value) ? [value] : [];
  return entries.flatMap(tagOf).filter(({ name }) => name !== "");
}

function tagOf(entry: unknown): PageTag[] {
  if (!isMapping(entry)) return [tag(entry, "")];
  if ("name" in entry) return [tag(entry.name, entry.value)];
  return Object.entries(entry).map(([name, tagValue]) => tag(name, tagValue));
}

function tag(name: unknown, value: unknown): PageTag {
  return { name: (textOf(name) ?? "").slice(0, MAX_TAG), value: (textOf(value) ?? "").slice(0, MAX_TAG) };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
