/**
 * What each route of the runtime needs, as the wire contract says (platform 2.7), written down a second time and apart from the
 * code, for the permission tests to compare. A new route gets a row here: either the permissions beside access-api, or the
 * reason why it is public.
 */

import { EXPORT_PERMITS } from "./export_permits.ts";
import { HOME_PERMITS } from "./home_permits.ts";
import { OVERRIDE_PERMITS } from "./override_permits.ts";
import { SORT_PERMITS } from "./sort_permits.ts";

/** A request to a route and every permission it needs; `{book}` and the like become ids of things the administrator owns. */
export interface PermitCase {
  readonly path: string;
  /** Beside access-api; without any one of them the answer is 403 or 404. */
  readonly needs: readonly string[];
  readonly body?: unknown;
  /** The field of a form that a picture is sent in; the body's fields go along. */
  readonly picture?: string;
  /** The same for a portable archive. */
  readonly archive?: string;
  /** Where the wire contract refuses some of it with another status than 403 or 404. */
  readonly refusedWith?: number;
  /** What who may gets in place of success, where that needs what no test of permissions has, such as a mail or a password. */
  readonly answered?: number;
}

const ITEMS = [
  { segment: "shelves", kind: "bookshelf", name: "{shelf}", body: { name: "New" }, create: ["bookshelf-create-all"] },
  { segment: "books", kind: "book", name: "{book}", body: { name: "New" }, create: ["book-create-all"] },
  {
    segment: "chapters",
    kind: "chapter",
    name: "{chapter}",
    body: { name: "New", book_id: "{book}" },
    create: ["book-view-all", "chapter-create-all"],
  },
  {
    segment: "pages",
    kind: "page",
    name: "{page}",
    body: { name: "New", book_id: "{book}", html: "<p>x</p>" },
    create: ["book-view-all", "page-create-all"],
  },
] as const;

/** By method and path as routes declare them. */
export const PERMITS: Readonly<Record<string, readonly PermitCase[]>> = {
  ...Object.assign({}, ...ITEMS.map(itemRows)),
  ...movesInto("chapters", "chapter"),
  ...movesInto("pages", "page"),
  "POST /api/books/:id/copy": [{ path: "/api/books/{book}/copy", needs: ["book-view-all", "book-create-all"] }],
  "POST /api/chapters/:id/copy": [
    { path: "/api/chapters/{chapter}/copy", needs: ["book-view-all", "chapter-view-all", "chapter-create-all"] },
  ],
  "POST /api/pages/:id/copy": [
    {
      path: "/api/pages/{page}/copy",
      needs: ["book-view-all", "page-view-all", "page-create-all"],
      body: { book_id: "{book}" },
    },
  ],
  // The administrator's own: only who manages settings sees those of others.
  "GET /api/copies/:id": [{ path: "/api/copies/{copy}", needs: ["settings-manage"] }],
  "POST /api/chapters/:id/convert-to-book": [
    {
      path: "/api/chapters/{chapter}/convert-to-book",
      needs: ["chapter-view-all", "chapter-update-all", "chapter-delete-all", "book-create-all"],
    },
  ],
  "POST /api/books/:id/convert-to-shelf": [
    {
      path: "/api/books/{book}/convert-to-shelf",
      needs: ["book-view-all", "book-update-all", "book-delete-all", "book-create-all", "bookshelf-create-all"],
    },
  ],
  ...OVERRIDE_PERMITS,
  ...SORT_PERMITS,
  "GET /api/attachments": [{ path: "/api/attachments", needs: [] }],
  "POST /api/attachments": [
    {
      path: "/api/attachments",
      needs: ["page-view-all", "page-update-all", "attachment-create-all"],
      body: { name: "New", uploaded_to: "{page}", link: "https://example.com" },
    },
  ],
  "GET /api/attachments/:id": [{ path: "/api/attachments/{attachment}", needs: ["page-view-all"] }],
  "GET /attachments/:id": [{ path: "/attachments/{attachment}", needs: ["page-view-all"] }],
  "PUT /api/attachments/:id": [
    {
      path: "/api/attachments/{attachment}",
      needs: ["page-view-all", "page-update-all", "attachment-update-all"],
      body: { name: "Other" },
    },
  ],
  // Deleting asks for no more than the right to delete (content-api 1.5).
  "DELETE /api/attachments/:id": [
    { path: "/api/attachments/{attachment}", needs: ["page-view-all", "attachment-delete-all"] },
  ],
  "GET /api/pages/:id/revisions": [
    { path: "/api/pages/{page}/revisions", needs: ["page-view-all", "revision-view-all"] },
  ],
  "GET /api/pages/:id/revisions/:revisionId": [
    { path: "/api/pages/{page}/revisions/{revision}", needs: ["page-view-all", "revision-view-all"] },
  ],
  "GET /api/pages/:id/revisions/:revisionId/compare": [
    { path: "/api/pages/{page}/revisions/{revision}/compare", needs: ["page-view-all", "revision-view-all"] },
  ],
  "POST /api/pages/:id/merge": [
    {
      path: "/api/pages/{page}/merge",
      needs: ["page-view-all", "page-update-all"],
      body: { base_revision: 1, html: "<p>x</p>" },
    },
  ],
  "PUT /api/pages/:id/template": [
    {
      path: "/api/pages/{page}/template",
      needs: ["page-view-all", "page-update-all", "templates-manage"],
      body: { template: true },
    },
  ],
  "POST /api/pages/:id/revisions/:revisionId/restore": [
    {
      path: "/api/pages/{page}/revisions/{revision}/restore",
      needs: ["page-view-all", "page-update-all", "revision-view-all"],
    },
  ],
  "DELETE /api/pages/:id/revisions/:revisionId": [
    {
      path: "/api/pages/{page}/revisions/{older}",
      needs: ["page-view-all", "page-delete-all", "revision-view-all"],
    },
  ],
  "GET /api/people": [{ path: "/api/people?query=ad", needs: [] }],
  "GET /api/people/:slug": [{ path: "/api/people/admin", needs: [] }],
  ...HOME_PERMITS,
  "GET /api/drafts/:kind/:id": [{ path: "/api/drafts/page/{page}", needs: ["page-view-all", "page-update-all"] }],
  "PUT /api/drafts/:kind/:id": [
    { path: "/api/drafts/page/{page}", needs: ["page-view-all", "page-update-all"], body: { name: "Draft" } },
    { path: "/api/drafts/book/{book}", needs: ["book-view-all", "page-create-all"], body: { name: "Draft" } },
  ],
  "DELETE /api/drafts/:kind/:id": [{ path: "/api/drafts/page/{page}", needs: ["page-view-all", "page-update-all"] }],
  "POST /api/drafts/preview": [{ path: "/api/drafts/preview", needs: [], body: { markdown: "*x*" } }],
  "POST /api/exports/markdown": [{ path: "/api/exports/markdown", needs: [], body: { html: "<p>x</p>" } }],
  "GET /api/comments": [{ path: "/api/comments", needs: [] }],
  "POST /api/comments": [
    {
      path: "/api/comments",
      needs: ["page-view-all", "comment-create-all"],
      body: { page_id: "{page}", html: "<p>New</p>" },
    },
  ],
  "POST /api/comments/preview": [{ path: "/api/comments/preview", needs: [], body: { markdown: "*x*" } }],
  "GET /api/comments/:id": [{ path: "/api/comments/{comment}", needs: ["page-view-all"] }],
  "PUT /api/comments/:id": [
    {
      path: "/api/comments/{comment}",
      needs: ["page-view-all", "comment-update-all"],
      body: { html: "<p>Other</p>" },
    },
  ],
  "DELETE /api/comments/:id": [{ path: "/api/comments/{comment}", needs: ["page-view-all", "comment-delete-all"] }],
  "GET /api/image-gallery": [{ path: "/api/image-gallery", needs: [] }],
  "POST /api/image-gallery": [
    {
      path: "/api/image-gallery",
      needs: ["page-view-all", "image-create-all"],
      body: { type: "gallery", uploaded_to: "{page}" },
      picture: "image",
    },
  ],
  "GET /api/image-gallery/url/data": [{ path: "/api/image-gallery/url/data?url={url}", needs: ["page-view-all"] }],
  "GET /api/image-gallery/unused": [{ path: "/api/image-gallery/unused", needs: ["settings-manage"] }],
  "DELETE /api/image-gallery/unused": [{ path: "/api/image-gallery/unused", needs: ["settings-manage"] }],
  "GET /api/image-gallery/:id": [{ path: "/api/image-gallery/{image}", needs: ["page-view-all"] }],
  "GET /api/image-gallery/:id/data": [{ path: "/api/image-gallery/{image}/data", needs: ["page-view-all"] }],
  "GET /api/image-gallery/:id/uses": [{ path: "/api/image-gallery/{image}/uses", needs: ["page-view-all"] }],
  "PUT /api/image-gallery/:id": [
    { path: "/api/image-gallery/{image}", needs: ["page-view-all", "image-update-all"], body: { name: "Other" } },
  ],
  "DELETE /api/image-gallery/:id": [
    { path: "/api/image-gallery/{image}", needs: ["page-view-all", "image-delete-all"] },
  ],
  ...managed("webhooks", "settings-manage", "{webhook}", {
    name: "New",
    endpoint: "https://example.com",
    events: ["all"],
  }),
  "GET /api/webhooks/:id/deliveries": [{ path: "/api/webhooks/{webhook}/deliveries", needs: ["settings-manage"] }],
  "GET /api/webhooks/:id/deliveries/:deliveryId": [
    { path: "/api/webhooks/{hook}/deliveries/{delivery}", needs: ["settings-manage"] },
  ],
  "POST /api/webhooks/:id/deliveries/:deliveryId/resend": [
    { path: "/api/webhooks/{hook}/deliveries/{delivery}/resend", needs: ["settings-manage"] },
  ],
  "GET /api/audit-log": [{ path: "/api/audit-log", needs: ["settings-manage", "users-manage"] }],
  // Items that the viewer may not update are left alone; who may update none is refused. Of the progress only who manages settings sees that of others.
  "GET /api/tags/rename": [{ path: "/api/tags/rename?name=x&to[name]=y", needs: [] }],
  "POST /api/tags/rename": [
    { path: "/api/tags/rename", needs: ["page-update-all"], body: { name: "x", to: { name: "y" } } },
  ],
  "GET /api/tags/renames/:id": [{ path: "/api/tags/renames/{rename}", needs: ["settings-manage"] }],
  "GET /api/tags/names": [{ path: "/api/tags/names", needs: [] }],
  "GET /api/tags/values-for-name": [{ path: "/api/tags/values-for-name?name=x", needs: [] }],
  "GET /api/audit-log/types": [{ path: "/api/audit-log/types", needs: ["settings-manage", "users-manage"] }],
  "GET /api/search": [{ path: "/api/search?query=x", needs: [] }],
  "GET /api/search/suggestions": [{ path: "/api/search/suggestions?query=xy", needs: [] }],
  "GET /api/recycle-bin": [{ path: "/api/recycle-bin", needs: ["settings-manage", "restrictions-manage-all"] }],
  "DELETE /api/maintenance/recycle-bin": [
    { path: "/api/maintenance/recycle-bin", needs: ["settings-manage", "restrictions-manage-all"] },
  ],
  "PUT /api/recycle-bin/:id": [
    { path: "/api/recycle-bin/{binned}", needs: ["settings-manage", "restrictions-manage-all"] },
  ],
  "DELETE /api/recycle-bin/:id": [
    { path: "/api/recycle-bin/{binned}", needs: ["settings-manage", "restrictions-manage-all"] },
  ],
  ...managed("users", "users-manage", "{user}", { name: "New", email: "new-{turn}@example.com" }),
  ...managed("roles", "user-roles-manage", "{role}", { display_name: "New role" }),
  "GET /api/user-transfers": [{ path: "/api/user-transfers", needs: ["users-manage"] }],
  "GET /api/user-invites": [{ path: "/api/user-invites", needs: ["users-manage"] }],
  "POST /api/users/:id/invite": [{ path: "/api/users/{invited}/invite", needs: ["users-manage"] }],
  "DELETE /api/users/:id/invite": [{ path: "/api/users/{invited}/invite", needs: ["users-manage"] }],
  "DELETE /api/users/:id/picture": [{ path: "/api/users/{user}/picture", needs: ["users-manage"] }],
  "GET /api/users/me": [{ path: "/api/users/me", needs: [] }],
  "PUT /api/users/me": [{ path: "/api/users/me", needs: [], body: { name: "Own name" } }],
  "DELETE /api/users/me": [{ path: "/api/users/me", needs: [], body: { current_password: "a guess" }, answered: 422 }],
  "POST /api/users/me/email": [{ path: "/api/users/me/email", needs: [], answered: 422 }],
  "DELETE /api/users/me/email": [{ path: "/api/users/me/email", needs: [] }],
  "POST /api/users/me/email/:token": [{ path: "/api/users/me/email/{turn}", needs: [], answered: 404 }],
  "GET /api/users/:id/tokens": [{ path: "/api/users/{user}/tokens", needs: ["users-manage"] }],
  "POST /api/users/:id/tokens": [{ path: "/api/users/{user}/tokens", needs: ["users-manage"], body: { name: "New" } }],
  "PUT /api/users/:id/tokens/:tokenId": [
    { path: "/api/users/{user}/tokens/{token}", needs: ["users-manage"], body: { name: "New" } },
  ],
  "DELETE /api/users/:id/tokens/:tokenId": [{ path: "/api/users/{user}/tokens/{token}", needs: ["users-manage"] }],
  "GET /api/users/:id/sessions": [{ path: "/api/users/{user}/sessions", needs: ["users-manage"] }],
  "DELETE /api/users/:id/sessions/:sessionId": [
    { path: "/api/users/{user}/sessions/{session}", needs: ["users-manage"] },
  ],
  ...EXPORT_PERMITS,
  "GET /api/imports": [{ path: "/api/imports", needs: ["content-import"] }],
  "POST /api/imports": [{ path: "/api/imports", needs: ["content-import"], archive: "file" }],
  // The administrator's own: only who manages settings sees those of others.
  "GET /api/imports/:id": [{ path: "/api/imports/{import}", needs: ["content-import", "settings-manage"] }],
  "POST /api/imports/:id": [
    {
      path: "/api/imports/{import}",
      needs: ["content-import", "settings-manage", "book-view-all", "page-create-all"],
      body: { parent_type: "book", parent_id: "{book}" },
      refusedWith: 500,
    },
  ],
  "DELETE /api/imports/:id": [{ path: "/api/imports/{import}", needs: ["content-import", "settings-manage"] }],
  "GET /api/docs": [{ path: "/api/docs", needs: [] }],
  "GET /api/docs.json": [{ path: "/api/docs.json", needs: [] }],
  "GET /api/openapi.json": [{ path: "/api/openapi.json", needs: [] }],
  "GET /api/docs/try": [{ path: "/api/docs/try", needs: [] }],
  "GET /api/system": [{ path: "/api/system", needs: [] }],
  ...Object.fromEntries(
    ["GET /api/system/facts", "GET /api/system/plugins", "GET /api/system/files", "GET /api/system/jobs"]
      .concat("GET /api/system/faults", "POST /api/system/jobs/retry", "DELETE /api/system/jobs")
      .map((route) => [route, [{ path: route.split(" ")[1] ?? "", needs: ["settings-manage"] }]]),
  ),
  "GET /api/webhooks/events": [{ path: "/api/webhooks/events", needs: ["settings-manage"] }],
  "GET /api/v1/dashboard/numbers": [{ path: "/api/v1/dashboard/numbers", needs: ["settings-manage"] }],
  "GET /api/v1/dashboard/history": [{ path: "/api/v1/dashboard/history", needs: ["settings-manage"] }],
  "GET /api/v1/dashboard/usage": [{ path: "/api/v1/dashboard/usage", needs: ["settings-manage"] }],
  ...settings("keys", "key", { token_name: "New" }),
  ...settings("hosts", "host", { friendly_name: "New" }),
  "GET /api/v1/dashboard/keys/:id/snippets": [
    { path: "/api/v1/dashboard/keys/{key}/snippets", needs: ["settings-manage"] },
  ],
};

function itemRows({ segment, kind, name, body, create }: (typeof ITEMS)[number]): Record<string, PermitCase[]> {
  const path = `/api/${segment}/${name}`;
  const view = `${kind}-view-all`;
  return {
    [`GET /api/${segment}`]: [{ path: `/api/${segment}`, needs: [] }],
    [`POST /api/${segment}`]: [{ path: `/api/${segment}`, needs: create, body }],
    [`GET /api/${segment}/:id`]: [{ path, needs: [view] }],
    [`PUT /api/${segment}/:id`]: [{ path, needs: [view, `${kind}-update-all`], body: { name: "Other" } }],
    [`DELETE /api/${segment}/:id`]: [{ path, needs: [view, `${kind}-delete-all`] }],
  };
}

/** A change that is also a move needs as much as taking away and making anew (platform 2.6). */
function movesInto(segment: string, kind: string): Record<string, PermitCase[]> {
  const path = `/api/${segment}/{${kind}}`;
  const needs = [`${kind}-view-all`, `${kind}-update-all`];
  const more = [`${kind}-delete-all`, `${kind}-create-all`, "book-view-all"];
  return {
    [`PUT /api/${segment}/:id`]: [
      { path, needs, body: { name: "Other" } },
      { path, needs: [...needs, ...more], body: { book_id: "{other}" } },
    ],
  };
}

function managed(segment: string, permission: string, name: string, body: unknown): Record<string, PermitCase[]> {
  const needs = [permission];
  const path = `/api/${segment}/${name}`;
  return {
    [`GET /api/${segment}`]: [{ path: `/api/${segment}`, needs }],
    [`POST /api/${segment}`]: [{ path: `/api/${segment}`, needs, body }],
    [`GET /api/${segment}/:id`]: [{ path, needs }],
    [`PUT /api/${segment}/:id`]: [{ path, needs, body }],
    [`DELETE /api/${segment}/:id`]: [{ path, needs }],
  };
}

/** What hangs on the settings of the instance, below /api/v1/dashboard. */
function settings(segment: string, thing: string, body: unknown): Record<string, PermitCase[]> {
  const needs = ["settings-manage"];
  const all = `/api/v1/dashboard/${segment}`;
  const path = `${all}/{${thing}}`;
  return {
    [`GET ${all}`]: [{ path: all, needs }],
    [`POST ${all}`]: [{ path: all, needs, body }],
    [`GET ${all}/:id`]: [{ path, needs }],
    [`PATCH ${all}/:id`]: [{ path, needs, body }],
    [`DELETE ${all}/:id`]: [{ path, needs }],
  };
}
