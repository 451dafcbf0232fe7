import { hasPermission, sql, type Viewer } from "lectern/core";
import { flatten, rowsOf } from "lectern/db";
import type { SearchContext } from "./contract.ts";
import type { SuggestedParent } from "./suggestions_items.ts";

/** Users whose names are read in order for a word within names; there is no index of words. */
const WALKED = sql.lit(5_000);
/** Stands for the text in the template. */
const TEXT = {};

/** Finds users by name while somebody types: those that `GET /api/users` lists to the viewer. */
export class PeopleSuggestions {
  readonly #context: Pick<SearchContext, "db" | "visibleTo">;
  /** Made once for each viewer, as for items. */
  readonly #known = new WeakMap<Viewer, ReturnType<typeof flatten<SuggestedParent>>>();

  constructor(context: Pick<SearchContext, "db" | "visibleTo">) {
    this.#context = context;
  }

  /** Users whose name begins with a text, then those with a word that does, `count` at most; none for a viewer who may not list users. */
  async find(viewer: Viewer, text: string, count: number): Promise<SuggestedParent[]> {
    if (!hasPermission(viewer, "users-manage")) return [];
    const statement = this.#known.get(viewer) ?? flatten(this.#statement(viewer));
    this.#known.set(viewer, statement);
    const parameters = statement.parameters.map((given) => (given === TEXT ? text : given));
    const found = await rowsOf<SuggestedParent>(this.#context.db, { ...statement, parameters });
    return found.slice(0, count);
  }

  /** A template, as the builder has no word for the place of a pattern, and its condition is that of the viewer. */
  #statement(viewer: Viewer) {
    const seen = this.#context.visibleTo("users", viewer);
    const key = sql`(select key from typed)`;
    const begins = sql`users.name_key >= ${key} and users.name_key < ${key} || chr(1114111)`;
    const [columns, order] = [sql`users.id, users.name, users.slug`, sql`order by users.name_key, users.id`];
    return sql<SuggestedParent>`with typed as materialized (select text_key(${TEXT}::text) as key),
        begun as materialized (select ${columns} from users where ${begins} and ${seen} ${order} limit 5),
        within as materialized (select ${columns} from users where (select count(*) < 5 from begun) and ${seen} and not (${begins})
          and position(' ' || ${key} in users.name_key) > 0
          and users.name_key <= coalesce((select users.name_key from users ${order} offset ${WALKED} limit 1), chr(1114111))
          ${order} limit 5)
      select * from begun union all select * from within`;
  }
}
