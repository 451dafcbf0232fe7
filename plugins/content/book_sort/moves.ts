import { invalidFields, localizedError } from "lectern/core";
import { type Child, compareChildren } from "./arrange.ts";
import type { Entry, EntryMove } from "./contract.ts";

/** A child of a book, and whether the viewer sees it. */
type SeenChild = Child & { readonly name: string; readonly is_visible: boolean };

/**
 * The order that a move makes of the book or chapter that it leads to: all its children, those too that the viewer does not see, which keep
 * their places. Throws 422 for what the viewer does not see in the book and for places that there are not, 409 where the target is not
 * where it was seen.
 */
export function entriesOfMove(children: readonly SeenChild[], { moved, place, target, within }: EntryMove): Entry[] {
  const seen = (wanted: Pick<Entry, "type" | "id">, field: string): SeenChild => {
    const found = children.find(({ type, id, is_visible }) => is_visible && type === wanted.type && id === wanted.id);
    if (!found) throw invalidFields({ [field]: `The ${field} names what is not in this book.` });
    return found;
  };
  const [child, beside] = [seen(moved, "id"), seen(target, "target_id")];
  if (within !== undefined && beside.chapter_id !== within)
    throw localizedError(409, "Someone else moved “:name” meanwhile. Nothing was changed.", { name: beside.name });
  const container = place === "inside" ? beside.id : beside.chapter_id;
  const isPlace = place === "inside" ? beside.type === "chapter" && child !== beside : true;
  if (!isPlace || (child.type === "chapter" && container !== null))
    throw invalidFields({ place: "The place is invalid." });
  if (child === beside) return [];
  const order = children.filter((each) => each.chapter_id === container && each !== child).sort(compareChildren);
  const at = place === "inside" ? order.length : order.indexOf(beside) + Number(place === "after");
  const wanted = order.toSpliced(at, 0, child);
  if (container === null) return wanted.map(({ type, id }) => ({ type, id }));
  return [{ type: "chapter", id: container, pages: wanted.map(({ id }) => id) }];
}
