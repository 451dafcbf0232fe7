import { endpoint, type ListSpec, type PluginContext, type RawBuilder, rules, sql, type Viewer } from "lectern/core";

type Context = Pick<
  PluginContext<never, "tags" | "books" | "chapters" | "pages" | "bookshelves">,
  "app" | "list" | "slot" | "validate" | "visible"
>;

/** How answers call the number of uses by kind of item. */
const COUNTS = { page: "page_count", chapter: "chapter_count", book: "book_count", bookshelf: "shelf_count" } as const;
const COUNTED = Object.values(COUNTS);
const NUMBERS: ListSpec["fields"] = Object.fromEntries(["usages", ...COUNTED].map((name) => [name, "integer"]));

const nameRules = rules({ name: ["required", "string"] });

/** Mounts the lists of names that tags have, and of values under a name: over what the viewer sees (content-api 13). */
export function mountTagLists({ app, list, slot, validate, visible }: Context): void {
  /** Tags on items that the viewer sees. */
  const uses = (viewer: Viewer): RawBuilder<unknown> => {
    const kinds = slot("content").filter(({ kind }) => Object.hasOwn(COUNTS, kind));
    const parts = kinds.map(
      ({ kind, table }) => sql`select tags.name, tags.name_key, tags.value, tags.kind from tags
        join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = tags.item_id and tags.kind = ${sql.lit(kind)}
        where ${visible.where(table, viewer)}`,
    );
    return sql.join(parts, sql` union all `);
  };
  const counts = sql.join(
    Object.entries(COUNTS).map(
      ([kind, name]) => sql`(count(*) filter (where used.kind = ${sql.lit(kind)}))::integer as ${sql.ref(name)}`,
    ),
  );

  app.get(
    "/tags/names",
    async ({ viewer, asked }) => {
      const source = sql`select row_number() over (order by used.name collate "C") as id, used.name,
        (count(distinct used.value))::integer as values, (count(*))::integer as usages, ${counts}
        from (${uses(viewer)}) as used group by used.name`;
      const fields = { name: "text", values: "integer", ...NUMBERS } as const;
      return list({ table: "tags", fields, columns: columnsOf(["name", "values"]), source }, viewer, asked);
    },
    {
      permit: "access-api",
      ...endpoint("tags", "list-names", {
        about: "Lists the names of tags on what you see, and how often each is used.",
      }),
    },
  );
  app.get(
    "/tags/values-for-name",
    async ({ viewer, asked, input }) => {
      const { name } = await validate(nameRules, input, viewer);
      const source = sql`select row_number() over (order by used.value collate "C", used.name collate "C") as id, used.name, used.value,
        (count(*))::integer as usages, ${counts}
        from (${uses(viewer)}) as used where used.name_key = text_key(${name}::text) group by used.name, used.value`;
      const fields = { value: "text", name: "text", ...NUMBERS } as const;
      return list({ table: "tags", fields, columns: columnsOf(["name", "value"]), source }, viewer, asked);
    },
    {
      permit: "access-api",
      ...endpoint("tags", "list-values", {
        about: "Lists the values of tags of a name, and how often each is used.",
        rules: nameRules,
      }),
    },
  );
}

function columnsOf(first: readonly string[]): RawBuilder<unknown> {
  return sql.join([...first, "usages", ...COUNTED].map((name) => sql.ref(`tags.${name}`)));
}
