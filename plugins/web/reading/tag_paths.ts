/** Addresses of screens about tags, and who is shown the ones that change them. */
import type { Ui } from "lectern/contracts";

/** The search for the items with a tag, or with a value of it. */
export function tagSearchPath(name: string, value?: string): string {
  return `/search?query=${encodeURIComponent(`[${name}${value === undefined ? "" : `=${value}`}]`)}`;
}

/** The index of tags, at the values of a name. */
export function tagIndexPath(name: string): string {
  return `/tags?name=${encodeURIComponent(name)}`;
}

/** The screen that renames a tag, or one value of it. */
export function tagRenamePath(name: string, value?: string): string {
  return `/tags/rename?name=${encodeURIComponent(name)}${value === undefined ? "" : `&value=${encodeURIComponent(value)}`}`;
}

/** Whether the reader's roles permit to update items, and the screen and its API are installed. The API decides item by item. */
export function mayRenameTags(ui: Ui): boolean {
  return (
    ["page", "chapter", "book", "bookshelf"].some((kind) =>
      ["all", "own"].some((whose) => ui.may(`${kind}-update-${whose}`)),
    ) &&
    ui.serves("/tags/rename") &&
    ui.serves("/api/tags/rename", "POST")
  );
}
