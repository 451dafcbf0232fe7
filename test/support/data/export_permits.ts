import type { PermitCase } from "./route_permits.ts";

/** What exports need: every format of the interface specification, and the address of those that plugins add. */
export const EXPORT_PERMITS: Readonly<Record<string, readonly PermitCase[]>> = exportRows();

function exportRows(): Record<string, PermitCase[]> {
  const rows: Record<string, PermitCase[]> = {};
  for (const [segment, kind] of Object.entries({ pages: "page", chapters: "chapter", books: "book" }))
    for (const format of ["html", "pdf", "plaintext", "markdown", "zip"])
      rows[`GET /api/${segment}/:id/export/${format}`] = [
        { path: `/api/${segment}/{${kind}}/export/${format}`, needs: ["content-export", `${kind}-view-all`] },
      ];
  rows["GET /api/:segment/:id/export/:format"] = [
    { path: "/api/books/{book}/export/html", needs: ["content-export", "book-view-all"] },
  ];
  return rows;
}
