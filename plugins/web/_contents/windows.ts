/** Windows: the entries of a long list around one of them, as many as fit into a number of bytes. */

/** How large a window is. */
export interface WindowSize<E> {
  /** Entries before the one that it is around, at most. */
  readonly before: number;
  /** Entries in all, at most. */
  readonly entries: number;
  /** Bytes of all entries, at most; the one that it is around is shown in any case. */
  readonly bytes: number;
  /** The bytes of an entry. */
  bytesOf(entry: E): number;
}

/** The window around the entry with the index `at`, from `from` and before `to`, with its bytes. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** The window around an entry; that around an index before or behind the list is at its begin or end. */
export function windowAround<E>(list: readonly E[], at: number, size: WindowSize<E>): Window {
  const middle = Math.max(0, Math.min(at, list.length - 1));
  let [from, to, bytes] = [middle, middle, 0];
  const take = (index: number): boolean => {
    const entry = list[index];
    if (entry === undefined || to - from >= size.entries) return false;
    const more = size.bytesOf(entry);
    if (bytes + more > size.bytes && to > from) return false;
    bytes += more;
    return true;
  };
  if (take(middle)) to += 1;
  for (let isGrowing = true; isGrowing; ) {
    const isAfter = take(to);
    if (isAfter) to += 1;
    const isBefore = middle - from < size.before && take(from - 1);
    if (isBefore) from -= 1;
    isGrowing = isAfter || isBefore;
  }
  return { from, to, bytes };
}
