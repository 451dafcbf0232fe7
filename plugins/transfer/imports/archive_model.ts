/**
 * The model of an archive's data (platform 8.2): kinds of objects, their rules, and the lists of objects in them. Validation,
 * limits and reading all follow it. The rules are those that request bodies have, in the interface's notation.
 */
import { type Rules, rules, storable, type YieldToEventLoop } from "lectern/core";
import { isObject } from "lectern/db";

/** Kinds that can be at the top of an archive, in order of precedence. */
export const TOP_KINDS = ["book", "chapter", "page"] as const;

/** A kind of item at the top of an archive. */
export type TopKind = (typeof TOP_KINDS)[number];

/** The model of a kind of object. */
export interface ObjectModel {
  readonly rules: Rules;
  /** Keys of lists of objects, each with the kind of its objects. */
  readonly lists: Readonly<Record<string, string>>;
  /** The key that names a file, and whether it must be an image. */
  readonly file?: { readonly key: string; readonly picture: boolean };
}

const id = ["nullable", "int"];
const name = ["required", "string", "min:1", "max:255"];
const text = ["nullable", "string"];
const priority = ["nullable", "int"];
const list = ["array"];

/** Models by kind. */
export const MODELS: Readonly<Record<string, ObjectModel>> = {
  book: {
    rules: rules({ id, name, description_html: text, cover: text, chapters: list, pages: list, tags: list }),
    lists: { chapters: "chapter", pages: "page", tags: "tag" },
    file: { key: "cover", picture: true },
  },
  chapter: {
    rules: rules({ id, name, description_html: text, priority, pages: list, tags: list }),
    lists: { pages: "page", tags: "tag" },
  },
  page: {
    rules: rules({ id, name, html: text, markdown: text, priority, attachments: list, images: list, tags: list }),
    lists: { attachments: "attachment", images: "image", tags: "tag" },
  },
  attachment: {
    rules: rules({
      id,
      name,
      link: ["required_without:file", "nullable", "string", "max:2000", "safe_url"],
      file: ["required_without:link", "nullable", "string"],
    }),
    lists: {},
    file: { key: "file", picture: false },
  },
  image: {
    rules: rules({ id, name, file: ["required", "string"], type: ["required", "string", "in:gallery,drawio"] }),
    lists: {},
    file: { key: "file", picture: true },
  },
  tag: { rules: rules({ name, value: ["nullable", "string", "max:255"] }), lists: {} },
};

/** The greatest number of objects of a kind in one archive (platform 8.7). */
export const MAX_NODES: Readonly<Record<string, number>> = {
  page: 10_000,
  chapter: 10_000,
  tag: 50_000,
  attachment: 20_000,
  image: 20_000,
};

/** A validated object of an archive, with its texts made storable and absent lists empty. */
export interface ArchiveNode {
  readonly kind: string;
  /** Its id within the archive. */
  readonly id?: number;
  readonly name: string;
  readonly priority?: number;
  /** Its other texts by key: html, markdown, description_html, link, file, cover, type, value. */
  readonly texts: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, readonly ArchiveNode[]>>;
}

/** Reads a validated object with its descendants, yielding to the event loop in between. */
export async function nodeOf(
  kind: string,
  data: Readonly<Record<string, unknown>>,
  yieldNow: YieldToEventLoop,
): Promise<ArchiveNode> {
  await yieldNow();
  const { lists, rules: fields } = MODELS[kind] as ObjectModel;
  const texts = Object.keys(fields).flatMap((key) => {
    const value = data[key];
    return typeof value === "string" && value !== "" && key !== "name" ? [[key, storable(value)] as const] : [];
  });
  const inner: Record<string, ArchiveNode[]> = {};
  for (const [key, itemKind] of Object.entries(lists)) {
    const sent = data[key];
    const elements = isObject(sent) ? Object.values(sent).filter(isObject) : [];
    const list: ArchiveNode[] = [];
    for (const element of elements) list.push(await nodeOf(itemKind, element, yieldNow));
    inner[key] = list;
  }
  return {
    kind,
    ...(data.id !== undefined && data.id !== null && { id: Number(data.id) }),
    name: storable(String(data.name)),
    ...(data.priority !== undefined && data.priority !== null && { priority: Number(data.priority) }),
    texts: Object.fromEntries(texts),
    lists: inner,
  };
}

/** A node and its descendants, parents first. */
export function* walkNodes(top: ArchiveNode): Generator<ArchiveNode> {
  yield top;
  for (const list of Object.values(top.lists)) for (const node of list) yield* walkNodes(node);
}
