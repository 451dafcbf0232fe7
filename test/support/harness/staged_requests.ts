/**
 * Requests to any route, with what they need in the store: names in braces, such as `{book}`, become the ids of things that are made
 * for this request, by the administrator.
 */
import type { PermitCase } from "../data/route_permits.ts";
import { png } from "../data/sample_pictures.ts";
import { portable, upload } from "../data/sample_zips.ts";
import type { RequestOptions, TestRuntime } from "./test_runtime.ts";

/** A request with its names filled in. */
export interface StagedRequest {
  readonly path: string;
  readonly sent: RequestOptions;
}

/** What replaces a name in paths and bodies. */
type Thing = number | string;

const pictured = (fields: object, file: string): FormData => {
  const parts = new FormData();
  for (const [name, value] of Object.entries(fields)) parts.set(name, String(value));
  parts.set(file, new File([png()], "dot.png", { type: "image/png" }));
  return parts;
};

/** Makes what requests need in a runtime, and fills in their names. */
export function stagedRequests(runtime: TestRuntime): (request: Omit<PermitCase, "needs">) => Promise<StagedRequest> {
  let turn = 0;
  const make = async (path: string, body: unknown): Promise<number> =>
    (await runtime.ask("POST", path, { body })).body.id as number;

  const addPicture = async (page: Thing): Promise<{ id: number; url: string }> =>
    (
      await runtime.ask("POST", "/api/image-gallery", {
        parts: pictured({ type: "gallery", uploaded_to: page }, "image"),
      })
    ).body;

  const things: Readonly<Record<string, (made: (name: string) => Promise<Thing>) => Promise<Thing>>> = {
    shelf: () => make("/api/shelves", { name: "Shelf" }),
    book: () => make("/api/books", { name: "Book" }),
    other: () => make("/api/books", { name: "Other book" }),
    chapter: async (made) => make("/api/chapters", { name: "Chapter", book_id: await made("book") }),
    page: async (made) => make("/api/pages", { name: "Page", html: "<p>x</p>", book_id: await made("book") }),
    revision: async (made) => (await runtime.ask("GET", `/api/pages/${await made("page")}/revisions`)).body.data[0].id,
    older: async (made) => {
      const page = await made("page");
      await runtime.ask("PUT", `/api/pages/${page}`, { body: { html: "<p>y</p>" } });
      return (await runtime.ask("GET", `/api/pages/${page}/revisions?sort=id`)).body.data[0].id;
    },
    attachment: async (made) =>
      make("/api/attachments", { name: "Link", uploaded_to: await made("page"), link: "https://example.com" }),
    comment: async (made) => make("/api/comments", { page_id: await made("page"), html: "<p>x</p>" }),
    copy: async (made) =>
      (
        await runtime.store.sql`insert into content_copies (kind, item_id, name, total, status, created_by)
          values ('book', ${await made("book")}, 'Copy', 1, 'failed', 1) returning id`
      )[0]?.id,
    rename: async () =>
      (
        await runtime.store.sql`insert into tag_renames (name, to_name, total, status, created_by)
          values ('x', 'y', 1, 'failed', 1) returning id`
      )[0]?.id,
    binned: async (made) => {
      const id = await made("book");
      await runtime.ask("DELETE", `/api/books/${id}`);
      return (await runtime.ask("GET", `/api/recycle-bin?filter[deletable_type]=book&filter[deletable_id]=${id}`)).body
        .data[0].id;
    },
    webhook: () =>
      make("/api/webhooks", { name: "Hook", endpoint: "https://example.com", events: ["sort_rule_create"] }),
    hook: async (made) => made("webhook"),
    delivery: async (made) => {
      const hook = await made("hook");
      const [event] = await runtime.store.sql`insert into webhook_events (type, subject, payload, dispatched)
        values ('x', '', '{}', true) returning id`;
      const [row] = await runtime.store.sql`insert into webhook_deliveries (webhook_id, event_id, type, subject)
        values (${hook}, ${event?.id}, 'x', '') returning id`;
      return row?.id as number;
    },
    image: async (made) => (await addPicture(await made("page"))).id,
    url: async (made) => encodeURIComponent((await addPicture(await made("page"))).url),
    import: async () => (await upload(runtime, portable({ page: { name: "Packed", html: "x" } }))).body.id,
    role: () => make("/api/roles", { display_name: "A role" }),
    user: () => make("/api/users", { name: "Somebody", email: `somebody-${turn}@example.com` }),
    invited: () => make("/api/users", { name: "Invited", email: `invited-${turn}@example.com`, send_invite: true }),
    heir: () => make("/api/users", { name: "Heir", email: `heir-${turn}@example.com` }),
    token: async (made) => make(`/api/users/${await made("user")}/tokens`, { name: "Token" }),
    session: async (made) => {
      const [row] = await runtime.store.sql`insert into sessions (user_id, hash, address, agent)
        values (${await made("user")}, ${`hash ${turn}`}, '', '') returning id`;
      return row?.id as number;
    },
    key: () => make("/api/v1/dashboard/keys", { token_name: "Key" }),
    host: () => make("/api/v1/dashboard/hosts", { friendly_name: "Host" }),
    turn: async () => turn,
  };

  return async ({ path, body, picture, archive }) => {
    turn += 1;
    const made = new Map<string, Thing>();
    const thing = async (name: string): Promise<Thing> => {
      const known = made.get(name) ?? (await things[name]?.(thing));
      if (known === undefined) throw new Error(`Cannot make "${name}": the table names it, the test does not know it`);
      made.set(name, known);
      return known;
    };
    let text = JSON.stringify({ path, body });
    for (const [, name = ""] of text.matchAll(/\{(\w+)\}/g)) await thing(name);
    text = text.replace(/"\{(\w+)\}"/g, (_, name: string) => JSON.stringify(made.get(name)));
    const filled = JSON.parse(text.replace(/\{(\w+)\}/g, (_, name: string) => String(made.get(name))));
    if (archive !== undefined) {
      const parts = new FormData();
      parts.set(archive, new File([portable({ page: { name: "Packed" } })], "content.zip"));
      return { path: filled.path, sent: { parts } };
    }
    if (picture !== undefined) return { path: filled.path, sent: { parts: pictured(filled.body, picture) } };
    return { path: filled.path, sent: "body" in filled ? { body: filled.body } : {} };
  };
}
