/** Long contents in parts, so that a screen of a book with thousands of pages stays as small as that of one with hundreds. */

/** Entries of a part; where pages are shown with their chapters, a chapter counts as one, and each of its pages, too. */
export const PART_SIZE = 100;

/** An entry of contents; a chapter has pages. */
interface Entry {
  readonly pages?: readonly unknown[] | undefined;
}

/** Where the contents of a list go on in other parts. */
export interface Cut {
  readonly before: boolean;
  readonly after: boolean;
}

/** A part of contents. */
export interface ContentsPart<E> {
  /** A chapter whose pages begin or go on in another part has those of this part alone, and says so by `cut`. */
  readonly entries: readonly (E & { readonly cut?: Cut })[];
  /** The number of the part, from 1. */
  readonly page: number;
  /** All entries. */
  readonly total: number;
  readonly cut: Cut;
}

/** The part with this number, or the last one. */
export function partOf<E extends Entry>(contents: readonly E[], wanted: number, size = PART_SIZE): ContentsPart<E> {
  const total = contents.reduce((sum, { pages }) => sum + 1 + (pages?.length ?? 0), 0);
  const page = Math.min(wanted, Math.max(1, Math.ceil(total / size)));
  const [from, to] = [(page - 1) * size, page * size];
  let next = 0;
  const entries = contents.flatMap((entry) => {
    const at = next;
    const { pages } = entry;
    next += 1 + (pages?.length ?? 0);
    if (next <= from || at >= to) return [];
    const [first, end] = [Math.max(0, from - at - 1), Math.max(0, to - at - 1)];
    const cut = { before: first > 0, after: pages !== undefined && end < pages.length };
    return cut.before || cut.after ? [{ ...entry, pages: pages?.slice(first, end), cut }] : [entry];
  });
  return { entries, page, total, cut: { before: page > 1, after: to < total } };
}

/** The number of the part with the first entry, or page of one, that `isWanted` holds for; 1 where there is none. */
export function partWith<E extends { readonly pages?: readonly E[] | undefined }>(
  contents: readonly E[],
  isWanted: (entry: E) => boolean,
  size = PART_SIZE,
): number {
  const at = contents.flatMap((entry) => [entry, ...(entry.pages ?? [])]).findIndex(isWanted);
  return Math.floor(Math.max(0, at) / size) + 1;
}

/** The part with this number of a list without its entries' pages, or the last one. */
export function flatPartOf<E>(
  entries: readonly E[],
  wanted: number,
  size = PART_SIZE,
): { readonly entries: readonly E[]; readonly page: number; readonly total: number } {
  const total = entries.length;
  const page = Math.min(wanted, Math.max(1, Math.ceil(total / size)));
  return { entries: entries.slice((page - 1) * size, page * size), page, total };
}
