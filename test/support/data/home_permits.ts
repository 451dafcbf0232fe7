import type { PermitCase } from "./route_permits.ts";

/** Lists of what is the viewer's own, or of what the viewer sees, by their names in paths. */
const LISTS = ["favourites", "recently-viewed", "most-viewed", "activity", "drafts"];
const FAVOURITE = "/api/favourites/page/{page}";

/** What the routes of home screens need, and those about search engines. */
export const HOME_PERMITS: Readonly<Record<string, readonly PermitCase[]>> = {
  ...Object.fromEntries(LISTS.map((name) => [`GET /api/${name}`, [{ path: `/api/${name}`, needs: [] }]])),
  "GET /api/favourites/:kind/:id": [{ path: FAVOURITE, needs: ["page-view-all"] }],
  "PUT /api/favourites/:kind/:id": [{ path: FAVOURITE, needs: ["page-view-all"] }],
  // Takes back what is the viewer's own, also of an item that the viewer sees no longer.
  "DELETE /api/favourites/:kind/:id": [{ path: FAVOURITE, needs: [] }],
  "GET /api/discovery": [{ path: "/api/discovery", needs: ["settings-manage"] }],
  "PUT /api/discovery": [{ path: "/api/discovery", needs: ["settings-manage"], body: { sitemap: false } }],
  "GET /api/home": [{ path: "/api/home", needs: [] }],
  "PUT /api/home": [{ path: "/api/home", needs: [], body: { shows: "books" } }],
  "PUT /api/home/instance": [{ path: "/api/home/instance", needs: ["settings-manage"], body: { shows: "books" } }],
};
