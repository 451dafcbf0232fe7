import type { PermitCase } from "./route_permits.ts";

/** What the routes of content permissions need, see `PERMITS`. */
export const OVERRIDE_PERMITS: Readonly<Record<string, readonly PermitCase[]>> = {
  "GET /api/content-permissions/:contentType/:contentId": overrides(),
  "PUT /api/content-permissions/:contentType/:contentId": overrides({ fallback_permissions: { inheriting: true } }),
  "POST /api/content-permissions/bookshelf/:contentId/copy-to-books": [
    {
      path: "/api/content-permissions/bookshelf/{shelf}/copy-to-books",
      needs: ["bookshelf-view-all", "restrictions-manage-all"],
    },
  ],
  "GET /api/content-permissions/roles": [
    { path: "/api/content-permissions/roles", needs: ["restrictions-manage-all"] },
  ],
};

function overrides(body?: unknown): PermitCase[] {
  return ["bookshelf", "book", "chapter", "page"].map((kind) => ({
    path: `/api/content-permissions/${kind}/{${kind === "bookshelf" ? "shelf" : kind}}`,
    needs: [`${kind}-view-all`, "restrictions-manage-all"],
    ...(body === undefined ? {} : { body }),
  }));
}
