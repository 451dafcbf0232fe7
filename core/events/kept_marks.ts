/** Marks of the objects that the answer cache keeps, by which what is made of them is found and forgotten with them. */

/** The mark of an object. */
export interface KeptMark {
  /** No other object has it. It is a surrogate key, too. */
  readonly name: string;
  /** Entries that hold the object; it has been forgotten where there is none. */
  entries: number;
}

const MARKS = new WeakMap<object, KeptMark>();
let marked = 0;

/** An entry holds the object from now on. */
export function markKept(object: object): void {
  const mark = MARKS.get(object);
  if (mark) mark.entries += 1;
  else MARKS.set(object, { name: `object=${++marked}`, entries: 1 });
}

/** An entry with the object is gone. Returns the mark where it was the last one. */
export function unmarkKept(object: object): KeptMark | undefined {
  const mark = MARKS.get(object);
  if (!mark) return undefined;
  mark.entries -= 1;
  return mark.entries > 0 ? undefined : mark;
}

/** The mark of an object that an entry holds; undefined for others. */
export function keptMark(object: object): KeptMark | undefined {
  const mark = MARKS.get(object);
  return mark && mark.entries > 0 ? mark : undefined;
}
