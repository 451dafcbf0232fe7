import type { PermitCase } from "./route_permits.ts";

/** Lists of what is the viewer's own, or of what the viewer sees, by their names in paths. */
const LISTS = ["favourites", "recently-viewed", "most-viewed", "activity", "drafts"];
const FAVOURITE = "/api/favourites/page/{page}";
const WATCH = "/api/watches/page/{page}";
/** The permission of watching. */
const TOLD = "receive-notifications";

/** What the routes of home screens and of watching need, and those about search engines. */
export const HOME_PERMITS: Readonly<Record<string, readonly PermitCase[]>> = {
  ...Object.fromEntries(LISTS.map((name) => [`GET /api/${name}`, [{ path: `/api/${name}`, needs: [] }]])),
  "GET /api/favourites/:kind/:id": [{ path: FAVOURITE, needs: ["page-view-all"] }],
  "PUT /api/favourites/:kind/:id": [{ path: FAVOURITE, needs: ["page-view-all"] }],
  // Takes back what is the viewer's own, also of an item that the viewer sees no longer.
  "DELETE /api/favourites/:kind/:id": [{ path: FAVOURITE, needs: [] }],
  "GET /api/watches": [{ path: "/api/watches", needs: [TOLD] }],
  "GET /api/watches/:kind/:id": [{ path: WATCH, needs: [TOLD, "page-view-all"] }],
  "PUT /api/watches/:kind/:id": [{ path: WATCH, needs: [TOLD, "page-view-all"], body: { level: "new" } }],
  // As with favourites.
  "DELETE /api/watches/:kind/:id": [{ path: WATCH, needs: [TOLD] }],
  "GET /api/notification-preferences": [{ path: "/api/notification-preferences", needs: [TOLD] }],
  "PUT /api/notification-preferences": [
    { path: "/api/notification-preferences", needs: [TOLD], body: { comment_replies: false } },
  ],
  "GET /api/notifications": [{ path: "/api/notifications", needs: [TOLD] }],
  "GET /api/notifications/unread": [{ path: "/api/notifications/unread", needs: [TOLD] }],
  "PUT /api/notifications": [{ path: "/api/notifications", needs: [TOLD], body: { read: true } }],
  "GET /api/mentions/:kind/:id": [{ path: "/api/mentions/page/{page}", needs: ["page-view-all"] }],
  "GET /api/discovery": [{ path: "/api/discovery", needs: ["settings-manage"] }],
  "PUT /api/discovery": [{ path: "/api/discovery", needs: ["settings-manage"], body: { sitemap: false } }],
  "GET /api/backups": [{ path: "/api/backups", needs: ["settings-manage"] }],
  "GET /api/system/update": [{ path: "/api/system/update", needs: ["settings-manage"] }],
  "GET /api/settings": [{ path: "/api/settings", needs: ["settings-manage"] }],
  "PUT /api/settings": [{ path: "/api/settings", needs: ["settings-manage"], body: { app_name: "Renamed" } }],
  "POST /api/settings/icon": [{ path: "/api/settings/icon", needs: ["settings-manage"], body: {}, picture: "image" }],
  "POST /api/settings/logo": [{ path: "/api/settings/logo", needs: ["settings-manage"], body: {}, picture: "image" }],
  "POST /api/mail/test": [{ path: "/api/mail/test", needs: ["settings-manage"], body: { to: "ada@example.com" } }],
  "GET /api/home": [{ path: "/api/home", needs: [] }],
  "PUT /api/home": [{ path: "/api/home", needs: [], body: { shows: "books" } }],
  "PUT /api/home/instance": [{ path: "/api/home/instance", needs: ["settings-manage"], body: { shows: "books" } }],
};
