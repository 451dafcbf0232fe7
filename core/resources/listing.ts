/**
 * Listings: paging, sorting and filtering for every resource (content-api 3). The total of a listing without filters comes with its rows, where
 * counters know it; else a second, pipelined statement counts.
 */
import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { columnsOf, type Db, flatten, rowJson, rows, rowsOf } from "../../db/mod.ts";
import { ApiError } from "../errors.ts";
import type { InputObject } from "../input/body_parsing.ts";
import { type ListingFilter, type ListingQuery, type ListLimits, parseListing } from "../input/listing_query.ts";
import { textList } from "../std/json_text.ts";
import type { Viewer } from "../viewer.ts";
import { type AddedFields, withFields } from "./added_fields.ts";
import { type CountedRows, filteredTotal } from "./filtered_total.ts";
import { columnsOfPage, fieldsOfPage, type Page, ROW, rowsOfPage, type TextPage, textOfPage } from "./list_page.ts";
import type { Listing, ListSpec } from "./list_spec.ts";
import { conditionOf, fieldOf, leftOutBy, orderOf, sortedBy } from "./listing_fields.ts";
import type { WithSlowPool } from "./slow_reads.ts";
import type { VisibilityRules } from "./visibility.ts";

/** The cost of fetching and sorting a row, in multiples of the cost of skipping one. */
const SORT_COST = 3;
/** Rows up to which a listing in index order is quick. */
const QUICK_ROWS = 2_000;
const TOO_LONG = new ApiError(422, "This listing takes too long. Ask for it with other filters or a smaller offset.");
/** Texts of rows that are remembered; few listings are made for a request, and by another text each. */
const MAX_TEXTS = 500;

/** Services of the runtime that listings use. */
export interface ListParts {
  readonly db: Db;
  readonly visibility: VisibilityRules;
  readonly limits: ListLimits & { readonly timeoutMs: number };
  readonly withSlowPool: WithSlowPool;
}

/** The first rows of a listing as a viewer sees it, in one order: a statement whose text is made once. */
interface FirstPage {
  readonly query: CompiledQuery<TextPage>;
  /** The places of these parameters. */
  readonly places: { readonly count: number; readonly offset: number };
  readonly added: readonly AddedFields[];
}

/** SQL for the JSON of a row; null where a row has none, undefined where that is not known. */
type RowText = RawBuilder<string> | null | undefined;
type Counts = { readonly total: number; readonly all: number };
type Total = Pick<Counts, "total"> | undefined;

/** Stand for the parameters of the statement of a first page. */
const COUNT = {};
const OFFSET = {};

/** Runs the listing requests of one plugin. */
export class Listings {
  readonly #parts: ListParts;
  /** SQL for the JSON of a row, by the statement of its columns; null where a row has none. Listings that are made for a request share it. */
  readonly #texts = new Map<string, RawBuilder<string> | null>();
  readonly #bySpec = new WeakMap<ListSpec, RawBuilder<string> | null>();
  readonly #firstPages = new WeakMap<ListSpec, WeakMap<Viewer, Map<string, FirstPage>>>();

  constructor(parts: ListParts) {
    this.#parts = parts;
  }

  /** Runs a request. `query` is the parsed query string; unknown fields in it are ignored. */
  async list<Row>(spec: ListSpec, viewer: Viewer, query: InputObject): Promise<Listing<Row>> {
    const { limits, withSlowPool } = this.#parts;
    const parsed = parseListing(query, limits);
    const read = () => this.#read<Row>(spec, viewer, parsed);
    // In index order and with a known total, the cost does not grow with the table.
    const isQuick =
      spec.visibleRows && !spec.where && parsed.filters.length === 0 && parsed.offset + parsed.count <= QUICK_ROWS;
    return isQuick ? read() : withSlowPool({ viewer, limitMs: limits.timeoutMs, tooLong: TOO_LONG }, read);
  }

  async #read<Row>(spec: ListSpec, viewer: Viewer, asked: ListingQuery): Promise<Listing<Row>> {
    const { db } = this.#parts;
    const { count, offset } = asked;
    const filters = asked.filters.filter(
      ({ field }) => Object.hasOwn(spec.fields, field) && fieldOf(spec, field).isNoFilter !== true,
    );
    const pending = this.#jsonOf(spec);
    const json = pending instanceof Promise ? await pending : pending;
    const ids = spec.visibleRows?.ids(viewer);
    const isWhole = filters.length === 0;
    const isNear = isWhole && !ids && offset + count <= this.#parts.limits.maxCount;
    if (json && isNear && spec.visibleRows && !spec.where) return this.#firstPage(spec, viewer, asked, json);
    const wanted = [...(spec.where ? [spec.where] : []), ...filters.flatMap((filter) => conditionOf(spec, filter))];
    const isPlain = wanted.length === 0;
    const known = ids && (await countsOf(db, spec, viewer));
    if (isPlain && known && known.total <= offset) return { data: [], total: known.total };
    if (ids && known && isSortCheaper(known, offset + count))
      wanted.push(sql<boolean>`${sql.ref(`${spec.table}.id`)} = any(array(${ids}))`);
    const [from, visible] = [fromOf(spec), this.#visible(spec, viewer)];
    const page = {
      ...{ from, count, offset, where: and([visible, ...wanted]), order: orderOf(spec, asked.sort) },
      within: isNear ? this.#parts.limits.maxCount : undefined,
    };
    const [found, counted] = await Promise.all([
      this.#page<Row>(spec, viewer, page, json),
      isPlain && spec.visibleRows
        ? (known ?? countsOf(db, spec, viewer))
        : totalOf(db, spec, { from, visible, wanted, filters, visibleTotal: spec.visibleRows?.total(viewer) }),
    ]);
    return found(counted?.total ?? 0);
  }

  /** A page of the first rows with its total, by one statement. */
  async #firstPage<Row>(
    spec: ListSpec,
    viewer: Viewer,
    { count, offset, sort }: ListingQuery,
    json: RawBuilder<string>,
  ): Promise<Listing<Row>> {
    const bySpec = this.#firstPages.get(spec) ?? new WeakMap<Viewer, Map<string, FirstPage>>();
    const byOrder = bySpec.get(viewer) ?? new Map<string, FirstPage>();
    const key = `${sortedBy(spec, sort)} ${sort?.direction}`;
    const known = byOrder.get(key) ?? this.#makeFirstPage(spec, viewer, sort, json);
    this.#firstPages.set(spec, bySpec.set(viewer, byOrder.set(key, known)));
    const parameters = [...known.query.parameters];
    parameters[known.places.count] = count;
    parameters[known.places.offset] = offset;
    // A statement of aggregates has one row.
    const [found] = (await rowsOf(this.#parts.db, { ...known.query, parameters })) as [TextPage];
    return (await textListing<Row>(found, known.added))(found.total ?? 0);
  }

  #makeFirstPage(spec: ListSpec, viewer: Viewer, sort: ListingQuery["sort"], json: RawBuilder<string>): FirstPage {
    const added = spec.added?.(viewer) ?? [];
    const page = {
      ...{ from: fromOf(spec), where: this.#visible(spec, viewer), order: orderOf(spec, sort) },
      ...{ count: COUNT, offset: OFFSET, within: this.#parts.limits.maxCount },
    };
    const total = spec.visibleRows?.total(viewer);
    const query = flatten(textOfPage(spec, page, json, { added, ...(total && { total }) }));
    const placeOf = (parameter: object) => query.parameters.indexOf(parameter);
    return { query, added, places: { count: placeOf(COUNT), offset: placeOf(OFFSET) } };
  }

  /** Reads the rows of a page. Returns the listing for a total. */
  async #page<Row>(
    spec: ListSpec,
    viewer: Viewer,
    page: Page,
    json: RowText,
  ): Promise<(total: number) => Listing<Row>> {
    const { db } = this.#parts;
    const added = spec.added?.(viewer) ?? [];
    // Templates, here and below: table, columns, joins and order are those of the listing, which the types of the builder do not know.
    if (json) {
      const [found] = await rows(db, textOfPage(spec, page, json, { added }));
      return textListing<Row>(found as TextPage, added);
    }
    const found = (await rows(db, rowsOfPage(spec, page))) as (Row & { readonly id: number })[];
    const fields =
      added.length === 0 || found.length === 0 ? [] : await fieldsOfPage(added, () => found.map(({ id }) => id));
    const data = withFields(found, fields);
    return (total) => ({ data, total });
  }

  /** SQL for the JSON of a row of the rows called `shown`; null where a row has none, undefined where that is not known. */
  #jsonOf(spec: ListSpec): RowText | Promise<RowText> {
    const known = this.#bySpec.get(spec);
    if (known !== undefined) return known;
    const columns = columnsOfPage(spec, fromOf(spec));
    const key = flatten(columns).sql;
    const text = this.#texts.get(key);
    if (text === undefined) return this.#readJson(spec, columns, key);
    this.#bySpec.set(spec, text);
    return text;
  }

  async #readJson(spec: ListSpec, columns: RawBuilder<unknown>, key: string): Promise<RowText> {
    // A description that fails leaves the rows to be read, by a statement whose failure is that of the request.
    const found = await columnsOf(this.#parts.db, columns).catch(() => undefined);
    if (!found) return undefined;
    const text = rowJson(found, ROW) ?? null;
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear();
    this.#texts.set(key, text);
    this.#bySpec.set(spec, text);
    return text;
  }

  #visible(spec: ListSpec, viewer: Viewer): RawBuilder<boolean> {
    return spec.source ? sql<boolean>`true` : this.#parts.visibility.where(spec.table, viewer);
  }
}

/** The listing of rows that came as text, for a total. */
async function textListing<Row>(
  page: TextPage,
  added: readonly AddedFields[],
): Promise<(total: number) => Listing<Row>> {
  const json = `[${page.data ?? ""}]`;
  if (page.data !== null && added.length > 0) {
    const fields = await fieldsOfPage(added, () => JSON.parse(`[${page.ids ?? ""}]`) as number[], page);
    if (fields.some(({ size }) => size > 0)) {
      const data = withFields(JSON.parse(json) as (Row & { readonly id: number })[], fields);
      return (total) => ({ data, total });
    }
  }
  return (total) => textList<Row>(json, total);
}

function fromOf({ fieldJoins, source, table }: ListSpec): RawBuilder<unknown> {
  return sql`${source ? sql`(${source}) as ${sql.table(table)}` : sql.table(table)} ${fieldJoins ?? sql``}`;
}

function and(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** The total of a filtered listing: by the rows that the filters leave out where an index has these, else by counting. */
async function totalOf(
  db: Db,
  spec: ListSpec,
  counted: Pick<CountedRows, "from" | "visible" | "wanted"> & {
    readonly filters: readonly ListingFilter[];
    readonly visibleTotal: RawBuilder<number> | undefined;
  },
): Promise<Total> {
  const { from, visible, wanted, filters, visibleTotal } = counted;
  const leftOut = filters.flatMap((filter) => leftOutBy(spec, filter) ?? []);
  if (!visibleTotal || spec.where || leftOut.length < wanted.length)
    return counts(db, sql`count(*) as total from ${from} where ${sql.join([visible, ...wanted], sql` and `)}`);
  const isNegative = filters.every(({ operator }) => operator === "ne");
  return { total: await filteredTotal(db, { from, visible, visibleTotal, wanted, leftOut, isNegative }) };
}

async function countsOf(db: Db, { visibleRows }: ListSpec, viewer: Viewer): Promise<Counts | undefined> {
  return visibleRows && counts(db, sql`${visibleRows.total(viewer)} as total, ${visibleRows.all} as all`);
}

async function counts(db: Db, selected: RawBuilder<unknown>): Promise<Counts | undefined> {
  const [counted] = await rows<Counts>(db, sql`select ${selected}`);
  return counted;
}

/** Whether sorting all visible rows costs less than scanning in order until `wanted` of them are found. */
function isSortCheaper({ total, all }: Counts, wanted: number): boolean {
  return total * total * SORT_COST <= all * wanted;
}
