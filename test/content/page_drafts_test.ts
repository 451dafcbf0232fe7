/** Drafts: kept for their author alone, removed with their page, and in nobody else's way. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { png } from "../support/data/sample_pictures.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let book: number;
let page: number;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
  page = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Page", html: "<p>one</p>" } })).body
    .id;
});
afterAll(() => runtime.stop());

const writer = ["access-api", "book-view-all", "page-view-all", "page-update-all", "page-create-all"];

test("a draft is kept for its author, announced to others without its text, and discarded", async () => {
  const ann = await runtime.person("Ann", writer);
  const path = `/api/drafts/page/${page}`;
  expect((await runtime.ask("GET", path, { as: ann.token })).body).toEqual({
    ...{ draft: null, drafts: [], others: [], newer: null },
  });
  const body = { name: "Seite", markdown: "# Mine", base_revision: 1 };
  const kept = await runtime.ask("PUT", path, { as: ann.token, body });
  expect([kept.status, kept.body.draft]).toEqual([200, expect.objectContaining({ ...body, html: "" })]);
  await runtime.ask("PUT", path, { as: ann.token, body: { ...body, markdown: "# Mine, again" } });
  expect((await runtime.ask("GET", path, { as: ann.token })).body.draft.markdown).toBe("# Mine, again");
  const seen = (await runtime.ask("GET", path)).body;
  expect(seen).toEqual({
    draft: null,
    drafts: [],
    others: [{ user: expect.objectContaining({ name: "Ann" }), updated_at: expect.any(String), saved: false }],
    newer: null,
  });
  expect(JSON.stringify(seen)).not.toContain("Mine");
  expect((await runtime.ask("DELETE", path, { as: ann.token })).status).toBe(204);
  expect((await runtime.ask("GET", path)).body.others).toEqual([]);
});

test("a draft keeps the revision that it was made from, and tells who has saved since", async () => {
  const ann = await runtime.person("Ann", writer);
  const ben = await runtime.person("Ben", writer);
  const made = { book_id: book, name: "Based", markdown: "one", tags: [{ name: "state", value: "new" }] };
  const { id } = (await runtime.ask("POST", "/api/pages", { body: made })).body;
  const path = `/api/drafts/page/${id}`;
  const keep = async (body: object) => (await runtime.ask("PUT", path, { as: ann.token, body })).body;
  const tags = [{ name: "state", value: "new" }];
  const first = await keep({ markdown: "mine", base_tags: tags });
  expect(first).toMatchObject({ draft: { base_revision: 1, base_tags: tags }, others: [], newer: null });
  await runtime.ask("PUT", path, { as: ben.token, body: { markdown: "theirs" } });
  const { body: saved } = await runtime.ask("PUT", `/api/pages/${id}`, { as: ben.token, body: { markdown: "theirs" } });
  // As a window does that was opened after that save.
  for (const base_revision of [saved.revision_count, undefined]) {
    const later = await keep({ markdown: "mine again", base_revision, base_tags: [] });
    expect(later).toMatchObject({
      draft: { base_revision: 1, base_tags: tags, markdown: "mine again" },
      others: [{ user: { name: "Ben" }, saved: true }],
      newer: { revision: 2, by: { name: "Ben" } },
    });
  }
  const asked = await runtime.ask("GET", `${path}?base_revision=2`, { as: ann.token });
  expect(asked.body).toMatchObject({ draft: { base_revision: 1 }, others: [{ saved: false }], newer: null });
  const merged = await keep({ markdown: "both", base_revision: 2, base_tags: [], merged: true });
  expect(merged).toMatchObject({ draft: { base_revision: 2, base_tags: [] }, newer: null });
});

test("a draft of a new page lies where the page shall lie", async () => {
  await runtime.ask("PUT", `/api/drafts/book/${book}`, { body: { name: "New one", html: "<p>x</p>" } });
  expect((await runtime.ask("GET", `/api/drafts/book/${book}`)).body.draft).toMatchObject({
    name: "New one",
    base_revision: null,
  });
  expect((await runtime.ask("GET", `/api/drafts/shelf/${book}`)).status).toBe(404);
  expect((await runtime.ask("GET", "/api/drafts/book/999999")).status).toBe(404);
  expect((await runtime.ask("PUT", `/api/drafts/book/${book}`, { body: { name: "x".repeat(256) } })).status).toBe(422);
});

test("a change that starts from another revision is refused, and nothing of it is kept", async () => {
  const { body } = await runtime.ask("GET", `/api/pages/${page}`);
  const change = (base_revision: number, html: string) =>
    runtime.ask("PUT", `/api/pages/${page}`, { body: { html, base_revision } });
  expect((await change(body.revision_count, "<p>two</p>")).status).toBe(200);
  const late = await change(body.revision_count, "<p>three</p>");
  expect([late.status, late.body.error.message]).toEqual([409, "This page was changed since you opened it"]);
  expect((await runtime.ask("GET", `/api/pages/${page}`)).body.raw_html).toContain("two");
  const both = await Promise.all([4, 5].map((n) => change(body.revision_count + 1, `<p>${n}</p>`)));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test("drafts go with the page, and with their author", async () => {
  const other = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Other", html: "<p>x</p>" } }))
    .body.id;
  const ben = await runtime.person("Ben", writer);
  for (const as of [ben.token, runtime.token])
    await runtime.ask("PUT", `/api/drafts/page/${other}`, { as, body: { name: "d" } });
  const count = async () =>
    (await runtime.store.sql`select count(*)::int as n from page_drafts where item_id = ${other} and kind = 'page'`)[0]
      ?.n;
  expect(await count()).toBe(2);
  await runtime.ask("DELETE", `/api/users/${ben.id}`);
  expect(await count()).toBe(1);
  await runtime.ask("DELETE", `/api/pages/${other}`);
  const [binned] = (
    await runtime.ask("GET", `/api/recycle-bin?filter[deletable_id]=${other}&filter[deletable_type]=page`)
  ).body.data;
  await runtime.ask("DELETE", `/api/recycle-bin/${binned.id}`);
  expect(await count()).toBe(0);
});

test("what would be saved can be looked at, made harmless", async () => {
  const preview = async (body: object) => (await runtime.ask("POST", "/api/drafts/preview", { body })).body;
  expect((await preview({ markdown: "# Hi\n\n<script>alert(1)</script>\n\n*x*" })).html).toMatch(
    /^<h1[^>]*>Hi<\/h1>\s*<p[^>]*><em>x<\/em><\/p>\s*$/,
  );
  expect((await preview({ html: '<p onclick="x()">a <img src=x onerror=alert(1)></p>' })).html).not.toMatch(
    /onclick|onerror/,
  );
  expect((await runtime.ask("POST", "/api/drafts/preview", { body: {} })).status).toBe(422);
});

test("several new pages in one place are kept apart by their slots, with their tags", async () => {
  const path = `/api/drafts/chapter/${(await runtime.ask("POST", "/api/chapters", { body: { book_id: book, name: "C" } })).body.id}`;
  const tags = [{ name: "state", value: "new" }];
  for (const slot of ["one", "two"])
    await runtime.ask("PUT", path, { body: { name: `Page ${slot}`, markdown: slot, slot, tags } });
  const { body } = await runtime.ask("GET", `${path}?slot=one`);
  expect(body.draft).toMatchObject({
    name: "Page one",
    markdown: "one",
    slot: "one",
    tags: [{ name: "state", value: "new" }],
  });
  expect(body.drafts.map(({ slot }: { slot: string }) => slot).sort()).toEqual(["one", "two"]);
  await runtime.ask("DELETE", `${path}?slot=one`);
  const after = (await runtime.ask("GET", path)).body;
  expect([after.draft, after.drafts.length]).toEqual([null, 1]);
  expect((await runtime.ask("PUT", path, { body: { slot: "no/slot" } })).status).toBe(422);
});

test("a draft that was published or thrown away is not begun anew by a window that still shows it", async () => {
  const path = `/api/drafts/book/${book}`;
  const keep = (kept_at: string, markdown: string) =>
    runtime.ask("PUT", path, { body: { name: "Gone", slot: "gone", markdown, kept_at } });
  const { draft } = (await keep("none", "one")).body;
  const body = { book_id: book, name: "Gone", markdown: "one", draft_id: draft.page_id };
  expect((await runtime.ask("POST", "/api/pages", { body })).status).toBe(200);
  expect((await keep(draft.updated_at, "two")).status).toBe(409);
  expect((await runtime.ask("GET", `${path}?slot=gone`)).body.draft).toBeNull();
  expect((await keep("none", "two")).status).toBe(200);
  await runtime.ask("DELETE", `${path}?slot=gone`);
});

describe("the draft page of a new page", () => {
  const draftOf = async (slot: string, body: object, as = runtime.token) =>
    (await runtime.ask("PUT", `/api/drafts/book/${book}`, { as, body: { slot, ...body } })).body.draft;
  const totals = async (as: string) => {
    const { body } = await runtime.ask("GET", `/api/books/${book}`, { as });
    const total = async (path: string) => (await runtime.ask("GET", path, { as })).body.total;
    return {
      pages: await total("/api/pages"),
      found: await total("/api/search?query=Secretive"),
      mine: await total("/api/search?query={type:page}"),
      pictures: await total("/api/image-gallery"),
      contents: body.contents.map(({ name }: { name: string }) => name),
      slugs: await total("/api/pages?filter[slug]=secretive"),
    };
  };
  const upload = (uploaded_to: number, as = runtime.token) => {
    const body = new FormData();
    body.set("type", "gallery");
    body.set("uploaded_to", String(uploaded_to));
    body.set("image", new File([png()], "rack.png", { type: "image/png" }));
    return runtime.ask("POST", "/api/image-gallery", { as, parts: body });
  };

  test("is its owner's alone: not read, listed, found or counted by others, administrators neither", async () => {
    const ann = await runtime.person("Ann", [...writer, "image-create-all"]);
    const reader = await runtime.person("Cy", writer);
    const before = [await totals(reader.token), await totals(runtime.token)];
    const draft = await draftOf("secret", { name: "Secretive", markdown: "Secretive **words**" }, ann.token);
    expect([draft.slot, typeof draft.page_id]).toEqual(["secret", "number"]);
    const path = `/api/pages/${draft.page_id}`;
    expect((await upload(draft.page_id, ann.token)).body).toMatchObject({ uploaded_to: draft.page_id });
    expect([await totals(reader.token), await totals(runtime.token)]).toEqual(before);
    for (const as of [reader.token, runtime.token]) {
      expect((await runtime.ask("GET", path, { as })).status).toBe(404);
      expect((await runtime.ask("GET", `${path}/export/html`, { as })).status).toBeOneOf([403, 404]);
      expect((await runtime.ask("PUT", path, { as, body: { name: "Mine" } })).status).toBe(404);
      expect((await runtime.ask("DELETE", path, { as })).status).toBe(404);
      expect((await upload(draft.page_id, as)).status).toBeOneOf([403, 404]);
      const theft = { book_id: book, name: "Mine", html: "<p>x</p>", draft_id: draft.page_id };
      expect((await runtime.ask("POST", "/api/pages", { as, body: theft })).status).toBe(404);
    }
    expect((await runtime.ask("GET", path, { as: ann.token })).body).toMatchObject({
      draft: true,
      name: "Secretive",
      markdown: "Secretive **words**",
      revision_count: 0,
    });
    const listed = (await runtime.ask("GET", `/api/books/${book}`, { as: ann.token })).body.contents[0];
    expect(listed).toMatchObject({ id: draft.page_id, draft: true, url: expect.stringMatching(/\/draft\/\d+$/) });
  });

  test("is changed, moved and deleted by API without a word to others, and without a history", async () => {
    const place = (await runtime.ask("POST", "/api/books", { body: { name: "Elsewhere" } })).body.id;
    const draft = await draftOf("patched", { name: "Quiet", markdown: "first" });
    const path = `/api/pages/${draft.page_id}`;
    const before = (await runtime.ask("GET", "/api/audit-log")).body.total;
    const patched = await runtime.ask("PUT", path, { body: { name: "Unquiet", markdown: "second" } });
    expect(patched.body).toMatchObject({ draft: true, name: "Unquiet", revision_count: 0 });
    expect(patched.body.slug).toStartWith("draft-");
    // A writer who has it open in the editor gets a message, and finds the change there.
    const typed = { slot: "patched", name: "Quiet", markdown: "third", kept_at: draft.updated_at };
    expect((await runtime.ask("PUT", `/api/drafts/book/${book}`, { body: typed })).status).toBe(409);
    const seen = (await runtime.ask("GET", `/api/drafts/book/${book}?slot=patched`)).body.draft;
    expect(seen).toMatchObject({ name: "Unquiet", markdown: "second", html: "" });
    expect((await runtime.ask("GET", `${path}/revisions`)).body.total).toBe(0);
    expect((await runtime.ask("PUT", path, { body: { book_id: place } })).body.slug).toStartWith("draft-");
    const there = (await runtime.ask("GET", `/api/drafts/book/${place}?page_id=${draft.page_id}`)).body.draft;
    expect(there).toMatchObject({ markdown: "second", page_id: draft.page_id });
    const body = { book_id: book, name: "Quiet", markdown: "third", draft_id: draft.page_id };
    const other = await draftOf("dropped", { name: "Dropped", markdown: "x" });
    await runtime.ask("DELETE", `/api/pages/${other.page_id}`);
    expect((await runtime.ask("GET", "/api/audit-log")).body.total).toBe(before);
    expect((await runtime.ask("POST", "/api/pages", { body })).status).toBe(200);
    const { data } = (await runtime.ask("GET", `${path}/revisions`)).body;
    expect(data.map(({ number }: { number: number }) => number)).toEqual([1]);
  });

  test("is one however many requests begin it at once, and the first text stays unless all may be overwritten", async () => {
    const { id } = (await runtime.ask("POST", "/api/books", { body: { name: "Raced" } })).body;
    const begin = (text: number, kept_at?: string) =>
      runtime.ask("PUT", `/api/drafts/book/${id}`, {
        body: { slot: "raced", name: "R", markdown: `${text}`, kept_at },
      });
    const first = await Promise.all([1, 2, 3, 4].map((text) => begin(text, "none")));
    expect(first.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await Promise.all([5, 6].map((text) => begin(text)))).map(({ status }) => status)).toEqual([200, 200]);
    expect((await runtime.ask("GET", `/api/books/${id}`)).body.contents).toHaveLength(1);
  });

  test("is not counted by the bin that its book lies in", async () => {
    const { id } = (await runtime.ask("POST", "/api/books", { body: { name: "Binned" } })).body;
    await runtime.ask("POST", "/api/pages", { body: { book_id: id, name: "Plain", html: "<p>x</p>" } });
    await runtime.ask("PUT", `/api/drafts/book/${id}`, { body: { slot: "binned", name: "Begun", markdown: "x" } });
    await runtime.ask("DELETE", `/api/books/${id}`);
    const { data } = (await runtime.ask("GET", `/api/recycle-bin?filter[deletable_id]=${id}&sort=-id`)).body;
    expect(data[0].deletable).toMatchObject({ name: "Binned", pages_count: 1 });
  });

  test("takes no slug that others could want, stays the same while it is kept, and goes when it is thrown away", async () => {
    const first = await draftOf("same", { name: "Wanted", markdown: "a" });
    const second = await draftOf("same", { name: "Wanted", html: "<p>b</p>" });
    expect(second.page_id).toBe(first.page_id);
    const other = await runtime.ask("POST", "/api/pages", {
      body: { book_id: book, name: "Wanted", html: "<p>x</p>" },
    });
    expect(other.body).toMatchObject({ slug: "wanted" });
    const picture = (await upload(first.page_id)).body;
    expect((await runtime.ask("DELETE", `/api/drafts/book/${book}?slot=same`)).status).toBe(204);
    expect((await runtime.ask("GET", `/api/pages/${first.page_id}`)).status).toBe(404);
    expect(await runtime.store.sql`select id from pages where id = ${first.page_id}`).toHaveLength(0);
    expect(await runtime.store.sql`select id from images where id = ${picture.id}`).toHaveLength(1);
  });

  test("is published once, with revision 1, one event, and the pictures that were uploaded to it", async () => {
    const draft = await draftOf("publish", { name: "Half", markdown: "half" });
    const { id: picture } = (await upload(draft.page_id)).body;
    const logged = async () =>
      (await runtime.ask("GET", "/api/audit-log?sort=-id&count=500")).body.data
        .filter((row: { loggable_id: number }) => row.loggable_id === draft.page_id)
        .map(({ type }: { type: string }) => type);
    expect(await logged()).toEqual([]);
    const body = { book_id: book, name: "Whole", markdown: "whole", draft_id: draft.page_id, tags: [{ name: "a" }] };
    const both = await Promise.all([1, 2].map(() => runtime.ask("POST", "/api/pages", { body })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
    const page = (await runtime.ask("GET", `/api/pages/${draft.page_id}`)).body;
    expect(page).toMatchObject({ name: "Whole", slug: "whole", draft: false, revision_count: 1, markdown: "whole" });
    expect(page.tags).toMatchObject([{ name: "a" }]);
    expect(page.priority).toBeGreaterThan(0);
    expect(await logged()).toEqual(["page_create"]);
    const revisions = await runtime.store
      .sql`select number, summary from page_revisions where page_id = ${draft.page_id}`;
    expect(revisions.map(({ number, summary }) => [number, summary])).toEqual([[1, "Initial publish"]]);
    expect((await runtime.ask("GET", `/api/image-gallery/${picture}`)).body.uploaded_to).toBe(draft.page_id);
    expect((await runtime.ask("GET", `/api/drafts/book/${book}?slot=publish`)).body.draft).toBeNull();
    expect((await runtime.ask("GET", "/api/search?query=Whole")).body.total).toBe(1);
  });

  test("is published under the permissions of its book, and seen by nobody else before", async () => {
    const ann = await runtime.person("Ann", writer);
    const hidden = (await runtime.ask("POST", "/api/books", { body: { name: "Hidden" } })).body.id;
    const role = { role_id: ann.role, view: true, create: true, update: true, delete: true };
    const closed = {
      role_permissions: [role],
      fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
    };
    await runtime.ask("PUT", `/api/content-permissions/book/${hidden}`, { body: closed });
    const { draft } = (
      await runtime.ask("PUT", `/api/drafts/book/${hidden}`, {
        as: ann.token,
        body: { slot: "s", name: "In", html: "x" },
      })
    ).body;
    expect((await runtime.ask("GET", `/api/pages/${draft.page_id}`, { as: ann.token })).status).toBe(200);
    const body = { book_id: hidden, name: "In", html: "<p>in</p>", draft_id: draft.page_id };
    expect((await runtime.ask("POST", "/api/pages", { as: ann.token, body })).status).toBe(200);
    const other = await runtime.person("Cy", writer);
    const seen = async (as: string) => (await runtime.ask("GET", `/api/pages/${draft.page_id}`, { as })).status;
    expect([await seen(ann.token), await seen(other.token)]).toEqual([200, 404]);
  });

  test("is deleted with its author, and passes to nobody", async () => {
    const ben = await runtime.person("Ben", writer);
    const { page_id } = await draftOf("gone", { name: "Gone", html: "<p>x</p>" }, ben.token);
    await runtime.ask("DELETE", `/api/users/${ben.id}`, { body: { migrate_ownership_id: 1 } });
    expect(await runtime.store.sql`select id from pages where id = ${page_id}`).toHaveLength(0);
  });

  test("one window does not overwrite what another has kept", async () => {
    const first = await draftOf("two", { name: "A", markdown: "a" });
    const keep = (markdown: string, kept_at: string) =>
      runtime.ask("PUT", `/api/drafts/book/${book}`, { body: { slot: "two", name: "A", markdown, kept_at } });
    expect((await keep("b", first.updated_at)).status).toBe(200);
    const late = await keep("c", first.updated_at);
    expect([late.status, late.body.error.message]).toEqual([409, "This draft was changed in another window"]);
    expect((await keep("c", "none")).status).toBe(409);
    expect((await keep("b", "none")).status).toBe(200);
    expect((await runtime.ask("GET", `/api/drafts/book/${book}?slot=two`)).body.draft.markdown).toBe("b");
  });
});
