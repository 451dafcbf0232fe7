/**
 * Orders as text in forms: "chapter:3 page:12 end page:9", one word for each entry, and "end" after the pages of a chapter.
 * Without scripts, a button moves one entry of the current order; scripts send a whole order, which is merged with changes
 * of other users.
 */

/** An entry of an order; a chapter has pages. */
export interface Entry {
  readonly type: string;
  readonly id: number;
  readonly pages?: readonly Entry[];
}

/** The moves that buttons offer. */
export const STEPS = ["into", "out", "up", "down"] as const;

/** A move that a button offers. */
export type Step = (typeof STEPS)[number];

/** An order as text. */
export function orderText(entries: readonly Entry[]): string {
  return entries
    .map(({ type, id, pages }) =>
      [`${type}:${id}`, ...(pages ? [orderText(pages), "end"] : [])].filter(Boolean).join(" "),
    )
    .join(" ");
}

/** Parses an order; unknown words are ignored. */
export function orderIn(text: string): Entry[] {
  const top: Entry[] = [];
  let within: Entry[] | undefined;
  for (const word of text.split(" ")) {
    if (word === "end") within = undefined;
    const [whole, type = "", digits] = /^(chapter|page|book):(\d{1,9})$/.exec(word) ?? [];
    if (whole === undefined) continue;
    const id = Number(digits);
    if (type === "chapter") {
      within = [];
      top.push({ type, id, pages: within });
    } else (within ?? top).push({ type, id });
  }
  return top;
}

/** Moves an entry by one step: past its neighbour, out of its chapter at the ends, or into the nearest chapter. */
export function moveEntry(entries: readonly Entry[], step: Step, moved: Pick<Entry, "type" | "id">): Entry[] {
  const isMoved = (entry: Entry) => entry.type === moved.type && entry.id === moved.id;
  const at = entries.findIndex(isMoved);
  const entry = entries[at];
  if (entry) {
    if (step === "into") return intoChapter(entries, at, entry);
    return step === "out" ? [...entries] : placed(entries, at, entry, step === "up" ? at - 1 : at + 1);
  }
  const holder = entries.findIndex(({ pages }) => pages?.some(isMoved));
  const chapter = entries[holder];
  if (!chapter?.pages) return [...entries];
  const within = chapter.pages.findIndex(isMoved);
  const page = chapter.pages[within];
  if (!page) return [...entries];
  const isAtEnd = step === "up" ? within === 0 : within === chapter.pages.length - 1;
  if (step === "out" || (step !== "into" && isAtEnd)) {
    const rest = { ...chapter, pages: chapter.pages.filter((each) => each !== page) };
    return entries.flatMap((each) => (each !== chapter ? [each] : step === "up" ? [page, rest] : [rest, page]));
  }
  if (step === "into") return [...entries];
  const pages = placed(chapter.pages, within, page, step === "up" ? within - 1 : within + 1);
  return entries.map((each) => (each === chapter ? { ...chapter, pages } : each));
}

function placed(entries: readonly Entry[], from: number, entry: Entry, to: number): Entry[] {
  const rest = entries.toSpliced(from, 1);
  return rest.toSpliced(Math.max(0, Math.min(to, rest.length)), 0, entry);
}

/** Moves a page to the end of the previous chapter, else to the start of the next one. */
function intoChapter(entries: readonly Entry[], at: number, page: Entry): Entry[] {
  const isHolder = ({ pages }: Entry) => pages !== undefined;
  const before = entries.slice(0, at).findLast(isHolder);
  const chapter = before ?? entries.slice(at).find(isHolder);
  if (page.pages || !chapter) return [...entries];
  const held = chapter.pages ?? [];
  const pages = chapter === before ? [...held, page] : [page, ...held];
  return entries.flatMap((entry) => (entry === page ? [] : [entry === chapter ? { ...chapter, pages } : entry]));
}

/** The order to send, and whether others changed the book since the form was loaded. */
export interface MergedOrder {
  readonly entries: readonly Entry[];
  readonly isStale: boolean;
}

/**
 * Merges an order with the current one: deleted entries are left out, and a page that another user moved to another chapter
 * stays there unless it was moved in this order as well.
 */
export function mergeOrder(present: readonly Entry[], loaded: readonly Entry[], wished: readonly Entry[]): MergedOrder {
  const now = holders(present);
  const then = holders(loaded);
  const keep = (entry: Entry, holder: number): boolean => {
    const key = keyOf(entry);
    return now.has(key) && (now.get(key) === then.get(key) || holder !== then.get(key));
  };
  const entries = wished
    .filter((entry) => keep(entry, 0))
    .map((entry) => (entry.pages ? { ...entry, pages: entry.pages.filter((page) => keep(page, entry.id)) } : entry));
  const isStale = [...then].some(([key, holder]) => now.get(key) !== holder) || now.size !== then.size;
  return { entries, isStale };
}

/**
 * Merges the order of a part of a book, as `mergeOrder`, into the current order of the whole: entries outside of the part keep their
 * places before and after it, also those of a chapter that is only in part in it.
 */
export function mergePart(present: readonly Entry[], loaded: readonly Entry[], wished: readonly Entry[]): MergedOrder {
  const then = holders(loaded);
  const isLoaded = (entry: Entry) => then.has(keyOf(entry));
  const shown = present.flatMap((entry) => {
    const pages = entry.pages?.filter(isLoaded);
    return isLoaded(entry) || pages?.length ? [pages ? { ...entry, pages } : entry] : [];
  });
  const { entries, isStale } = mergeOrder(shown, loaded, wished);
  const named = holders(entries);
  const others = (some: readonly Entry[]): Entry[] =>
    some
      .filter((entry) => !named.has(keyOf(entry)))
      .map((entry) => (entry.pages ? { ...entry, pages: others(entry.pages) } : entry));
  const held = new Map(present.map((entry) => [keyOf(entry), entry.pages ?? []]));
  const around = (entry: Entry): Entry => {
    if (!entry.pages) return entry;
    const all = held.get(keyOf(entry)) ?? [];
    const [before, after] = cutAt(all, all.findIndex(isLoaded));
    return { ...entry, pages: [...others(before), ...entry.pages, ...others(after)] };
  };
  const [before, after] = cutAt(present, present.findIndex(isLoaded));
  return { entries: [...others(before), ...entries.map(around), ...others(after)], isStale };
}

/** What is before an index, and from it on; all is before -1. */
function cutAt(entries: readonly Entry[], at: number): [readonly Entry[], readonly Entry[]] {
  return at < 0 ? [entries, []] : [entries.slice(0, at), entries.slice(at)];
}

/** An entry with further fields. */
interface Shown extends Entry {
  readonly pages?: readonly Shown[];
}

/**
 * Sorts the current entries by an order; entries that it lacks come last in their chapter or book. `all` has those of other books that are
 * sorted together, which an order may take entries from.
 */
export function arranged<E extends Shown>(
  present: readonly E[],
  wished: readonly Entry[],
  all: { readonly present: readonly E[]; readonly wished: readonly Entry[] } = { present, wished },
): E[] {
  const named = new Set(holders(all.wished).keys());
  const known = new Map<string, Shown>(
    all.present.flatMap((entry) => [entry, ...(entry.pages ?? [])].map((each) => [keyOf(each), each] as const)),
  );
  const take = (entry: Entry): Shown[] => {
    const found = known.get(keyOf(entry));
    return found ? [found] : [];
  };
  const fill = (entry: Shown, pages: readonly Entry[]): Shown =>
    entry.pages
      ? { ...entry, pages: [...pages.flatMap(take), ...entry.pages.filter((page) => !named.has(keyOf(page)))] }
      : entry;
  const rest = present.filter((entry) => !named.has(keyOf(entry)));
  return [
    ...wished.flatMap((entry) => take(entry).map((found) => fill(found, entry.pages ?? []))),
    ...rest.map((entry) => fill(entry, [])),
  ] as E[];
}

/** The id of the chapter of each entry, 0 for none. */
function holders(entries: readonly Entry[]): Map<string, number> {
  return new Map(
    entries.flatMap((entry) => [
      [keyOf(entry), 0] as const,
      ...(entry.pages ?? []).map((page) => [keyOf(page), entry.id] as const),
    ]),
  );
}

function keyOf({ type, id }: Entry): string {
  return `${type}:${id}`;
}
