/**
 * The upper bound that the runtime is compared with: a bare Elysia route for each case, with the same number of statements,
 * written by hand on postgres.js over the same tables. No credentials, limits, permissions or events.
 */
import { timingSafeEqual } from "node:crypto";
import { SQL } from "bun";
import { Elysia } from "elysia";
import postgres from "postgres";
import { markup } from "../../plugins/content/markup/markup.ts";

const sql = postgres(process.env.DATABASE_URL ?? "", { max: 6, onnotice: () => {} });
const bun = new SQL(process.env.DATABASE_URL ?? "", { max: 6 });

const page = (id: number) => sql`
  select p.id, p.book_id, p.chapter_id, p.name, p.slug, p.rendered as html, p.html as raw_html, p.priority, p.created_at, p.updated_at,
    p.draft, p.markdown, p.revision_count, p.template, p.editor,
    (select json_build_object('id', u.id, 'name', u.name, 'slug', u.slug) from users u where u.id = p.created_by) as created_by,
    (select json_build_object('id', u.id, 'name', u.name, 'slug', u.slug) from users u where u.id = p.updated_by) as updated_by,
    (select json_build_object('id', u.id, 'name', u.name, 'slug', u.slug) from users u where u.id = p.owned_by) as owned_by,
    coalesce((select json_agg(json_build_object('name', t.name, 'value', t.value, 'order', t.sort_order) order by t.sort_order, t.position)
      from tags t where t.kind = 'page' and t.item_id = p.id), '[]') as tags,
    coalesce((select json_agg(c order by c.created_at, c.id) from comments c where c.page_id = p.id), '[]') as comments
  from pages p where p.id = ${id} and p.deleted_at is null`;

/** Creates a page: content converted by Lectern's own functions, and what else is stored with a page, in as many statements. */
async function create(body: { book_id: number; name: string; html: string }): Promise<unknown> {
  await sql`select id, owned_by, acl_id from books where id = ${body.book_id} and deleted_at is null`;
  const { html, markdown, text, rendered } = await markup.store({ html: body.html });
  const slug = body.name.toLowerCase().replace(/\W+/g, "-");
  const id = await sql.begin(async (work) => {
    await work`select id from books where id = ${body.book_id} and deleted_at is null for share`;
    await work`select slug from pages where book_id = ${body.book_id} and slug = ${slug} and deleted_at is null`;
    const [made] = await work`
      with written as (insert into pages (book_id, name, slug, html, markdown, text, rendered, priority, editor, created_by, updated_by, owned_by)
        values (${body.book_id}, ${body.name}, ${slug}, ${html}, ${markdown}, ${text}, ${rendered},
          (select coalesce(max(priority), 1) + 1 from pages where book_id = ${body.book_id} and chapter_id is null and deleted_at is null), 'wysiwyg', 1, 1, 1) returning *),
      kept as (insert into page_revisions (page_id, number, name, slug, book_slug, html, markdown, text, summary, created_by)
        select id, 1, name, slug, '', html, '', '', 'Initial publish', 1 from written)
      select id from written`;
    const page = made?.id as number;
    await Promise.all([
      work`delete from page_drafts where page_id = ${page}`,
      work`update pages set acl_id = books.acl_id from books where pages.id = ${page} and books.id = pages.book_id and pages.acl_id <> books.acl_id`,
      work`insert into activities (type, detail, user_id, loggable_type, loggable_id, ip)
        values ('page_create', ${body.name}, 1, 'page', ${page}, '127.0.0.1')`,
      work`select name, left(text, 100000) as body from pages where id = ${page}`,
      work`insert into search_index (kind, item_id, document, words, digest) values ('page', ${page}, ''::tsvector,
        to_tsvector('simple', ${`${body.name} ${text}`}), to_tsvector('simple', ${body.name}))`,
    ]);
    return page;
  });
  return (await page(id))[0];
}

const SECRET_HASH = Buffer.from(new Bun.CryptoHasher("sha256").update(process.env.BARE_SECRET ?? "").digest("hex"));
const TOKENS = new Map([[process.env.BARE_TOKEN ?? "", SECRET_HASH]]);
const KEPT = new Map<number, Uint8Array<ArrayBuffer>>();

/** Whether the credentials are those of a known token, as the plugin of tokens compares them. */
function isKnown(authorization: string | null): boolean {
  const [id = "", secret = ""] = (authorization ?? "").replace("Token ", "").split(":");
  const hash = TOKENS.get(id);
  return (
    hash !== undefined &&
    timingSafeEqual(hash, Buffer.from(new Bun.CryptoHasher("sha256").update(secret).digest("hex")))
  );
}

new Elysia()
  .get("/bytes/pages/:id", async ({ params, request }) => {
    if (!isKnown(request.headers.get("authorization"))) return new Response("", { status: 401 });
    const id = Number(params.id);
    const bytes = KEPT.get(id) ?? new TextEncoder().encode(JSON.stringify((await page(id))[0]));
    KEPT.set(id, bytes);
    return new Response(bytes, { headers: { "content-type": "application/json" } });
  })
  .get("/api/pages/:id", async ({ params }) => {
    const [found] = await page(Number(params.id));
    return { ...found, comments: { active: found?.comments, archived: [] } };
  })
  .get("/api/books", async () => {
    const [data, [counted]] = await Promise.all([
      sql`select id, name, slug, description, created_at, updated_at, created_by, updated_by, owned_by, null as cover
          from books where deleted_at is null order by id limit 100`,
      sql`select count(*)::int as total from books where deleted_at is null`,
    ]);
    const ids = data.map(({ id }) => id as number);
    const covers = await sql`select * from images where type = 'cover_book' and uploaded_to = any(${ids})`;
    return { data, total: counted?.total, covers };
  })
  .get("/bun-sql/books", async () => {
    const [data, [counted]] = await Promise.all([
      bun`select id, name, slug, description, created_at, updated_at, created_by, updated_by, owned_by, null as cover
          from books where deleted_at is null order by id limit 100`,
      bun`select count(*)::int as total from books where deleted_at is null`,
    ]);
    const ids = data.map(({ id }: { id: number }) => id);
    const covers =
      await bun`select * from images where type = 'cover_book' and uploaded_to = any(${bun.array(ids, "int4")})`;
    return { data, total: counted?.total, covers };
  })
  .post("/api/pages", ({ body }) => create(body as { book_id: number; name: string; html: string }))
  .listen({ port: Number(process.env.PORT), hostname: "127.0.0.1" });
