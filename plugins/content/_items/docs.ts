/** What the samples of the documentation share. */

/** A user, as answers refer to one. */
export const ADA = { id: 1, name: "Ada", slug: "ada" } as const;

/** The people of an item in listings and after a save. */
export const BY_ADA = { created_by: 1, updated_by: 1, owned_by: 1 } as const;

/** The people of an item in single reads. */
export const PEOPLE = { created_by: ADA, updated_by: ADA, owned_by: ADA } as const;

/** The times of an item that was created and last changed at a time of 5 January 2026, such as "09:30". */
export function timesAt(time: string) {
  const at = `2026-01-05T${time}:00.000000Z`;
  return { created_at: at, updated_at: at };
}

/** A book, as listings show it. */
export const RUNBOOKS = {
  ...{ id: 7, name: "Runbooks", slug: "runbooks", description: "How we operate" },
  ...timesAt("09:30"),
  ...BY_ADA,
} as const;

/** A page in a chapter of that book. */
export const FAILOVER = { id: 12, book_id: 7, chapter_id: 3, name: "Failover", slug: "failover" } as const;
