import type { PermitCase } from "./route_permits.ts";

/** What the routes that sort a book need, see `PERMITS`. */
export const SORT_PERMITS: Readonly<Record<string, readonly PermitCase[]>> = {
  "PUT /api/books/:id/order/entry": [
    {
      ...{ path: "/api/books/{book}/order/entry", needs: ["book-view-all", "book-update-all", "chapter-view-all"] },
      body: { type: "chapter", id: "{chapter}", place: "before", target_type: "chapter", target_id: "{chapter}" },
      refusedWith: 422,
    },
  ],
  "PUT /api/books/:id/order": [
    {
      path: "/api/books/{book}/order",
      needs: ["book-view-all", "book-update-all", "chapter-view-all"],
      body: { items: [{ type: "chapter", id: "{chapter}" }] },
      refusedWith: 422,
    },
    {
      path: "/api/books/{book}/order",
      needs: [
        ...["book-view-all", "book-update-all", "chapter-view-all", "page-view-all"],
        ...["page-update-all", "page-delete-all", "page-create-all"],
      ],
      body: { items: [{ type: "chapter", id: "{chapter}", pages: ["{page}"] }] },
      refusedWith: 422,
    },
  ],
  "GET /api/books/:id/order/rule": [{ path: "/api/books/{book}/order/rule", needs: ["book-view-all"] }],
  "PUT /api/books/:id/order/rule": [
    { path: "/api/books/{book}/order/rule", needs: ["book-view-all", "book-update-all"], body: { rule: "none" } },
  ],
};
