/**
 * The upper bound that the runtime is compared with: a bare Elysia route for each case, with the same number of statements,
 * written by hand on postgres.js over the same tables. No credentials, limits, permissions or events.
 */
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
    const [parent] = await work`
      select acl_id, exists (select from pages where book_id = books.id and slug = ${slug} and deleted_at is null) as taken
      from books where id = ${body.book_id} and deleted_at is null for share`;
    const [made] = await work`
      with written as (insert into pages (book_id, name, slug, html, markdown, text, rendered, priority, editor, created_by, updated_by, owned_by, acl_id)
        values (${body.book_id}, ${body.name}, ${slug}, ${html}, ${markdown}, ${text}, ${rendered},
          (select coalesce(max(priority), 1) + 1 from pages where book_id = ${body.book_id} and chapter_id is null and deleted_at is null), 'wysiwyg', 1, 1, 1, ${parent?.acl_id}) returning *),
      kept as (insert into page_revisions (page_id, number, name, slug, book_slug, html, markdown, text, summary, created_by)
        select id, 1, name, slug, '', html, markdown, text, 'Initial publish', 1 from written)
      select id from written`;
    const page = made?.id as number;
    await Promise.all([
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

const book = (id: number) => sql`
  select b.*,
    (select json_build_object('id', u.id, 'name', u.name, 'slug', u.slug) from users u where u.id = b.created_by) as created_by,
    (select json_build_object('id', u.id, 'name', u.name, 'slug', u.slug) from users u where u.id = b.updated_by) as updated_by,
    (select json_build_object('id', u.id, 'name', u.name, 'slug', u.slug) from users u where u.id = b.owned_by) as owned_by,
    coalesce((select json_agg(json_build_object('name', t.name, 'value', t.value, 'order', t.sort_order) order by t.sort_order, t.position)
      from tags t where t.kind = 'book' and t.item_id = b.id), '[]') as tags,
    coalesce((select json_agg(json_build_object('id', c.id, 'name', c.name, 'slug', c.slug, 'book_id', c.book_id, 'priority', c.priority,
      'created_at', c.created_at, 'updated_at', c.updated_at, 'type', 'chapter') order by c.priority)
      from chapters c where c.book_id = b.id and c.deleted_at is null), '[]') as chapters,
    coalesce((select json_agg(json_build_object('id', p.id, 'name', p.name, 'slug', p.slug, 'book_id', p.book_id, 'chapter_id', p.chapter_id,
      'draft', p.draft, 'template', p.template, 'priority', p.priority, 'created_at', p.created_at, 'updated_at', p.updated_at,
      'type', 'page') order by p.priority) from pages p where p.book_id = b.id and p.deleted_at is null), '[]') as pages
  from books b where b.id = ${id} and b.deleted_at is null`;

/** Updates a page with the statements that are stored with one: its row, a revision, the activity, the search index. */
async function update(id: number, body: { html: string }): Promise<unknown> {
  await sql`select id, owned_by, acl_id from pages where id = ${id} and deleted_at is null`;
  const { html, markdown, text, rendered } = await markup.store({ html: body.html });
  await sql.begin(async (work) => {
    const [old] = await work`select * from pages where id = ${id} and deleted_at is null for update`;
    await Promise.all([
      work`update pages set html = ${html}, markdown = ${markdown}, text = ${text}, rendered = ${rendered},
        revision_count = revision_count + 1, updated_at = now(), updated_by = 1 where id = ${id}`,
      work`insert into page_revisions (page_id, number, name, slug, book_slug, html, markdown, text, summary, created_by)
        values (${id}, ${(old?.revision_count ?? 0) + 1}, ${old?.name}, ${old?.slug}, '', ${html}, ${markdown}, ${text}, '', 1)`,
      work`insert into activities (type, detail, user_id, loggable_type, loggable_id, ip)
        values ('page_update', ${old?.name}, 1, 'page', ${id}, '127.0.0.1')`,
      work`select name, left(text, 100000) as body from pages where id = ${id}`,
      work`update search_index set words = to_tsvector('simple', ${`${old?.name} ${text}`}), digest = to_tsvector('simple', ${old?.name})
        where kind = 'page' and item_id = ${id}`,
    ]);
  });
  return (await page(id))[0];
}

new Elysia()
  .get("/api/pages/:id", async ({ params }) => {
    const [found] = await page(Number(params.id));
    return { ...found, comments: { active: found?.comments, archived: [] } };
  })
  .put("/api/pages/:id", ({ params, body }) => update(Number(params.id), body as { html: string }))
  .get("/api/books/:id", async ({ params }) => {
    const [found] = await book(Number(params.id));
    const { chapters, pages, ...rest } = found as { chapters: unknown[]; pages: unknown[] };
    return { ...rest, contents: [...chapters, ...pages], cover: null };
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
  // What rows cost that come as one text of JSON, which is passed through. Texts of JSON have no `Z` at times.
  .get("/json-text/books", async () => {
    const [[listed], [counted]] = await Promise.all([
      sql`select json_agg(found)::text as data, array_agg(found.id) as ids
          from (select id, name, slug, description, created_at, updated_at, created_by, updated_by, owned_by, null as cover
            from books where deleted_at is null order by id limit 100) as found`,
      sql`select count(*)::int as total from books where deleted_at is null`,
    ]);
    await sql`select * from images where type = 'cover_book' and uploaded_to = any(${listed?.ids})`;
    const text = `{"data":${listed?.data},"total":${counted?.total},"covers":[]}`;
    return new Response(text, { headers: { "content-type": "application/json" } });
  })
  .post("/api/pages", ({ body }) => create(body as { book_id: number; name: string; html: string }))
  .listen({ port: Number(process.env.PORT), hostname: "127.0.0.1" });
