/** Descriptions of the endpoints of the audit log. */
export const about = {
  list:
    "Lists what happened: who did what to which item, when and from which address.\n" +
    "Requires the permissions to manage settings and users.",
  types: "Lists the types of rows in the log.",
} as const;

/** Sample responses. */
export const examples = {
  list: {
    response: {
      data: [
        {
          id: 120,
          type: "book_create",
          detail: "(7) Runbooks",
          user_id: 1,
          loggable_id: 7,
          loggable_type: "book",
          ip: "192.0.2.7",
          created_at: "2026-01-05T09:30:00.000000Z",
          user: { id: 1, name: "Ada", slug: "ada" },
        },
      ],
      total: 1,
    },
  },
} as const;
