import { attribute, elements, parse } from "./dom.ts";
import type { JobItem } from "./job.ts";
import type { Book } from "./place.ts";

/** Where links within a document lead: items by their addresses, and elements on them by their ids. */
export class Links {
  readonly #items: ReadonlyMap<string, JobItem>;
  /** Labels by item and id, of ids that some link names and that are there. */
  readonly #anchors = new Map<string, string>();

  /** Reads the HTML of all items once; `htmlOf` gives it. */
  static async of(items: readonly JobItem[], htmlOf: (item: JobItem) => Promise<string>): Promise<Links> {
    const links = new Links(items);
    const ids = new Set<string>();
    const wanted = new Set<string>();
    for (const item of items)
      for (const element of elements(parse(await htmlOf(item)))) {
        const id = attribute(element, "id") || (element.tagName === "a" ? attribute(element, "name") : "");
        if (id !== "") ids.add(keyOf(item, id));
        const target = element.tagName === "a" ? links.#target(attribute(element, "href").trim(), item) : undefined;
        if (target?.id) wanted.add(keyOf(target.item, target.id));
      }
    for (const key of wanted) if (ids.has(key)) links.#anchors.set(key, `a-${links.#anchors.size}`);
    return links;
  }

  constructor(items: readonly JobItem[]) {
    this.#items = new Map(items.map((item) => [item.url, item]));
  }

  /** The labels of a page as its writer asks for them; each is given away once, since ids may be there twice. */
  within(item: JobItem): Pick<Book, "label" | "anchor"> {
    const given = new Set<string>();
    return {
      label: (address) => {
        const target = this.#target(address, item);
        if (!target) return undefined;
        const anchor = target.id === "" ? undefined : this.#anchors.get(keyOf(target.item, target.id));
        return anchor ?? (address.startsWith("#") ? undefined : target.item.label);
      },
      anchor: (id) => {
        const label = id === "" || given.has(id) ? undefined : this.#anchors.get(keyOf(item, id));
        if (label !== undefined) given.add(id);
        return label;
      },
    };
  }

  #target(address: string, from: JobItem): { item: JobItem; id: string } | undefined {
    const [path = "", id = ""] = address.split("#");
    const item = path === "" ? from : this.#items.get(path.split("?")[0] ?? "");
    return item && address !== "" ? { item, id: decoded(id) } : undefined;
  }
}

function keyOf({ label }: JobItem, id: string): string {
  return `${label} ${decoded(id)}`;
}

/** Ids of the runtime are encoded where they are given, links may be or not. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
