/**
 * Runs the statements of suggestions: the best items (`suggestions_statement.ts`), then their names, paths and parents. Templates are made a text
 * once for each viewer and shape of what is typed, as that takes longer than running them; values take the place of stand-ins.
 */
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { flatten, rowsOf } from "lectern/db";
import { KIND_ORDER } from "./candidates.ts";
import type { SearchContext, SearchedKind } from "./contract.ts";
import { PARAMETERS, type SuggestionShape, suggestionStatement } from "./suggestions_statement.ts";
import { SHORT_CHARS, type TypedText } from "./suggestions_text.ts";

/** An item that another one is in. */
export interface SuggestedParent {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

/** An item whose name is suggested. */
export interface SuggestedItem {
  readonly kind: string;
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** The path of its screen. */
  readonly path: string;
  /** When the viewer opened it last; null where that is not among the viewer's last views. */
  readonly viewed_at: string | null;
  /** By kind; null where the item has none or the viewer does not see it. */
  readonly parents: Readonly<Record<string, SuggestedParent | null>>;
}

/** What is suggested to whom. */
export interface ItemsWanted {
  readonly viewer: Viewer;
  readonly typed: TypedText;
  readonly count: number;
}

/** Rows of a kind that are read one by one for a viewer who sees no more. */
const FEW = 2_000;

type Picked = Pick<SuggestedItem, "kind" | "id" | "viewed_at">;

/** A template that was made a text of, with stand-ins among its parameters. */
type Flat<Row> = ReturnType<typeof flatten<Row>>;

/** The statements for one viewer, by their shape: making them takes longer than running them. */
interface Statements {
  readonly picked: Map<string, Flat<Picked>>;
  totals?: Flat<Record<string, number>>;
  shown?: Flat<SuggestedItem>;
}

/** Finds items by their names while somebody types; see `suggestionStatement` for which ones. */
export class ItemSuggestions {
  readonly #context: SearchContext;
  readonly #known = new WeakMap<Viewer, Statements>();

  constructor(context: SearchContext) {
    this.#context = context;
  }

  /** The items to suggest, the best first. */
  async find(wanted: ItemsWanted): Promise<SuggestedItem[]> {
    const { typed, count, viewer } = wanted;
    const kinds = this.#context.kinds().filter(({ kind }) => KIND_ORDER.includes(kind.kind));
    if (kinds.length === 0) return [];
    const known = this.#known.get(viewer) ?? { picked: new Map<string, Flat<Picked>>() };
    this.#known.set(viewer, known);
    const shape = shapeOf(typed);
    const few = shape.isEnough ? await this.#few(viewer, kinds, known) : new Map<string, RawBuilder<unknown>>();
    const key = JSON.stringify([shape, [...few.keys()]]);
    const statement =
      known.picked.get(key) ??
      // Its rows are what it selects.
      (flatten(suggestionStatement({ context: this.#context, viewer, kinds, few, shape })) as Flat<Picked>);
    known.picked.set(key, statement);
    const values = new Map<unknown, unknown>([
      [PARAMETERS.text, typed.text],
      [PARAMETERS.count, count],
      ...typed.words.map((word, at) => [PARAMETERS.words[at], word] as const),
    ]);
    const picked = await rowsOf(this.#context.db, filled(statement, values));
    if (picked.length === 0) return [];
    known.shown ??= flatten(shownItems(this.#context, viewer, kinds));
    const lists = (["kind", "id", "viewed_at"] as const).map((name) => [name, picked.map((one) => one[name])] as const);
    return rowsOf(this.#context.db, filled(known.shown, new Map(lists.map(([name, list]) => [LISTS[name], list]))));
  }

  /** The kinds of which a viewer sees few rows, with SQL for the ids. */
  async #few(viewer: Viewer, kinds: readonly SearchedKind[], known: Statements) {
    const restricted = kinds.flatMap((searched) => {
      const seen = this.#context.visibleRows(searched);
      const ids = seen.ids(viewer);
      return ids ? [{ kind: searched.kind.kind, ids, total: seen.total(viewer) }] : [];
    });
    if (restricted.length === 0) return new Map<string, RawBuilder<unknown>>();
    known.totals ??= flatten(
      sql<
        Record<string, number>
      >`select ${sql.join(restricted.map(({ kind, total }) => sql`${total} as ${sql.ref(kind)}`))}`,
    );
    const [found] = await rowsOf(this.#context.db, known.totals);
    return new Map(restricted.flatMap(({ kind, ids }) => ((found?.[kind] ?? 0) <= FEW ? [[kind, ids] as const] : [])));
  }
}

function shapeOf({ isEnough, isUnspaced, text, words }: TypedText): SuggestionShape {
  const isWhole = words.length === 1 && (isUnspaced || text.length < SHORT_CHARS);
  return { words: words.length, isEnough, isUnspaced, isWhole };
}

/** A statement with values in the place of their stand-ins. */
function filled<Row>(statement: Flat<Row>, values: ReadonlyMap<unknown, unknown>): Flat<Row> {
  const parameters = statement.parameters.map((given) => (values.has(given) ? values.get(given) : given));
  return { ...statement, parameters };
}

/** Stand for the columns of the items that were picked. */
const LISTS = { kind: {}, id: {}, viewed_at: {} } as const;

/** The items of a list, in its order, with the parents that the viewer sees. A template, as tables and conditions are those of kinds and viewer. */
function shownItems(context: SearchContext, viewer: Viewer, kinds: readonly SearchedKind[]): RawBuilder<SuggestedItem> {
  const each = kinds.map((searched) => {
    const { kind, path, table } = searched.kind;
    const own = (name: string) => sql.ref(`${table}.${name}`);
    return sql`select ${own("name")}, ${own("slug")}, ${path} as path, ${parentsOf(context, viewer, kinds, searched)} as parents
      from ${sql.table(table)} where picked.kind = ${sql.lit(kind)} and ${own("id")} = picked.id`;
  });
  return sql<SuggestedItem>`select picked.kind, picked.id, shown.name, shown.slug, shown.path,
      to_char(picked.viewed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as viewed_at, shown.parents
    from unnest(${LISTS.kind}::text[], ${LISTS.id}::integer[], ${LISTS.viewed_at}::timestamptz[]) with ordinality
      as picked (kind, id, viewed_at, number)
    cross join lateral (${sql.join(each, sql` union all `)} offset 0) as shown order by picked.number`;
}

/** SQL for the parents of an item that the viewer sees, by kind. */
function parentsOf(
  { visibleTo }: SearchContext,
  viewer: Viewer,
  kinds: readonly SearchedKind[],
  { kind: { parents, table } }: SearchedKind,
): RawBuilder<unknown> {
  const found = parents.flatMap((each) => {
    const parent = kinds.find((one) => one.kind.kind === each.kind)?.kind;
    if (!parent) return [];
    const of = (name: string) => sql.ref(`${parent.table}.${name}`);
    return sql`${sql.lit(parent.kind)}::text, (
      select json_build_object('id', ${of("id")}, 'name', ${of("name")}, 'slug', ${of("slug")}) from ${sql.table(parent.table)}
      where ${of("id")} = ${sql.ref(`${table}.${each.column}`)} and ${visibleTo(parent.table, viewer)})`;
  });
  return found.length === 0 ? sql`'{}'::json` : sql`json_build_object(${sql.join(found)})`;
}
