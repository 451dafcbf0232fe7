import { BY_ADA } from "../_items/docs.ts";

/** What the documentation says about the endpoints of the recycle bin. */
export const about = {
  list:
    "Lists the entries of the recycle bin, each with its item. Pages and chapters have a parent, chapters and books the " +
    "numbers of items in them.\nNeeds the permissions to manage settings and to manage permissions of content.",
  restore:
    "Restores an item with everything in it, and returns the number of items. While the item's parent is in the recycle " +
    "bin, nothing is restored: the entry is removed, and the item is restored with its parent.",
  empty:
    "Permanently removes everything in the recycle bin, and returns the number of items. Entries of kinds whose plugin is not " +
    "installed stay, and are counted in `kept_count`.",
  destroy: "Permanently removes an item with everything in it, and returns the number of items.",
} as const;

const times = { created_at: "2026-01-07T10:00:00.000000Z", updated_at: "2026-01-07T10:00:00.000000Z" };
const book = { id: 7, name: "Runbooks", slug: "runbooks", description: "", ...times, ...BY_ADA };

/** Samples for the documentation. */
export const examples = {
  list: {
    response: {
      data: [
        {
          id: 3,
          deleted_by: 1,
          ...times,
          deletable_type: "book",
          deletable_id: 7,
          deletable: { ...book, pages_count: 4, chapters_count: 2 },
        },
      ],
      total: 1,
    },
  },
  restore: { response: { restore_count: 7 } },
  destroy: { response: { delete_count: 7 } },
} as const;
