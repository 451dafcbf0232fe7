import { BY_ADA } from "../_items/docs.ts";

/** What the documentation says about the endpoints of the recycle bin. */
export const about = {
  list:
    "Lists what lies in the recycle bin, each entry with its item. Pages and chapters have a parent, chapters and books " +
    "the numbers of what they hold.\nNeeds the rights to manage settings and permissions.",
  restore:
    "Restores an item and all that was in it, and answers how many items that were. Nothing is restored while the item's " +
    "parent lies in the bin: the entry goes, and the item returns with its parent.",
  empty: "Removes everything in the recycle bin for good, and answers how many items that were.",
  destroy: "Removes an item for good, with all that is in it, and answers how many items that were.",
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
