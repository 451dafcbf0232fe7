/**
 * SQL conditions for the rows that a viewer sees, and for their number, over a table's `acl_id` and `owned_by`. The viewer's
 * permissions are folded into the text, so that most rows are decided by `acl_id = 0` alone; for the others one row of
 * `acl` is read. That is a scalar subselect because with `acl_id in (select …)` the planner does not use the index of the
 * listing's order. Conditions are true or false, never null, so that they can be negated.
 */
import { type RawBuilder, sql, type Viewer, type VisibilityRule, type VisibleRows } from "lectern/core";
import { flattened, memoized, refs, type TableName } from "lectern/db";

/** Columns of access lists and counts, for templates: parts of conditions over any content table. */
const LIST = {
  id: flattened(refs("acl.id")),
  fallback: flattened(refs("acl.view_fallback")),
  allow: flattened(refs("acl.view_allow")),
  deny: flattened(refs("acl.view_deny")),
};
const COUNT = {
  id: flattened(refs("acl_count.acl_id")),
  kind: flattened(refs("acl_count.kind")),
  n: flattened(refs("acl_count.n")),
};

/** What the conditions here read beside the table itself; listings count by the same. */
const READS = {
  acl: ["id", "view_fallback", "view_allow", "view_deny"],
  acl_count: ["acl_id", "kind", "n"],
} as const;

/** The rows that a viewer sees where no override applies (platform 2.3, steps 3 and 10). */
type Extent = "all" | "own" | "nothing";

/** The visibility rule of a content table; see `Access.visibilityRuleOf`. */
export function visibilityRuleFor(kind: string, table: TableName): VisibilityRule {
  const { acl, own } = columnsOf(table);
  return Object.assign(rule, { reads: READS, dependsOn: "ownership" as const, ofRow: acl });

  function rule(viewer: Viewer): RawBuilder<boolean> | true {
    if (seesAll(viewer)) return true;
    const scope = scopeOf(viewer, kind);
    if (scope === "nothing") return sql<boolean>`false`;
    const permitted = permittedTo(viewer);
    return scope === "own" ? sql<boolean>`(${own(viewer)} and ${permitted})` : permitted;
  }

  /** The rows that roles and overrides permit, regardless of the credential's scope. */
  function permittedTo(viewer: Viewer): RawBuilder<boolean> {
    const extent = extentOf(viewer, kind);
    if (extent === "all") return sql<boolean>`(${acl} = 0 or ${probe(acl, viewer, sql`${LIST.fallback} <> 0`)})`;
    const byList = (otherwise: RawBuilder<unknown>) => sql`${acl} <> 0 and ${probe(acl, viewer, otherwise)}`;
    if (extent === "nothing") return sql<boolean>`(${byList(sql`${LIST.fallback} = 1`)})`;
    const owns = own(viewer);
    const fallback = sql`(${LIST.fallback} = 1 or ${LIST.fallback} = -1 and ${owns})`;
    return sql<boolean>`(${acl} = 0 and ${owns} or ${byList(fallback)})`;
  }
}

/** Number and ids of the rows that viewers see; see `Access.visibleRows`. `ownOnly` is that column of the kind in the slot `content`. */
export function visibleRowsFor(kind: string, table: TableName, ownOnly: () => string | undefined): VisibleRows {
  const sees = visibilityRuleFor(kind, table);
  const { acl } = columnsOf(table);
  const present = sql`${sql.ref(`${table}.deleted_at`)} is null`;
  const mine = ({ id }: Viewer) => sql`from ${sql.table(table)}
    where ${sql.ref(`${table}.owned_by`)} = ${id}::integer and ${present}`;
  // The number depends on the viewer alone, as the conditions do; templates cost more than the text of the statement.
  const totals = new WeakMap<Viewer, RawBuilder<number>>();
  return {
    all: sql<number>`(select coalesce(sum(${COUNT.n}), 0) from acl_count where ${COUNT.kind} = ${kind})::bigint`,
    total(viewer) {
      const known = totals.get(viewer) ?? memoized(totalFor(viewer));
      totals.set(viewer, known);
      return known;
    },
    ids(viewer) {
      if (seesAll(viewer)) return undefined;
      const id = sql.ref(`${table}.id`);
      if (scopeOf(viewer, kind) !== "all") return sql`select ${id} ${mine(viewer)}`;
      const extent = extentOf(viewer, kind);
      if (extent === "all") return undefined;
      const listed = sql`select ${id} from ${sql.table(table)} where ${acl} <> 0 and ${present}
        and ${acl} = any(array(select ${LIST.id} from acl where ${ruling(viewer, openTo(extent))}))`;
      return extent === "own" ? sql`${listed} union all select ${id} ${mine(viewer)}` : listed;
    },
    ofLists,
    besideLists(viewer) {
      const scope = seesAll(viewer) ? "all" : scopeOf(viewer, kind);
      if (scope === "nothing") return undefined;
      const isMine = sql`${sql.ref(`${table}.owned_by`)} = ${viewer.id}::integer`;
      if (scope === "own") return sql<boolean>`${isMine}`;
      const personalColumn = ownOnly();
      const isPersonal = personalColumn === undefined ? sql`false` : sql.ref(`${table}.${personalColumn}`);
      // Without rights to own items alone, lists decide about all rows but personal ones.
      if (!seesAll(viewer) && extentOf(viewer, kind) === "own")
        return sql<boolean>`${isMine} and (${isPersonal} or not ${ofLists(viewer, acl)})`;
      return personalColumn === undefined ? undefined : sql<boolean>`${isMine} and ${isPersonal}`;
    },
  };

  function ofLists(viewer: Viewer, column: RawBuilder<number>): RawBuilder<boolean> {
    if (seesAll(viewer)) return sql<boolean>`true`;
    if (scopeOf(viewer, kind) !== "all") return sql<boolean>`false`;
    return sql<boolean>`(${column} in (select ${LIST.id} from acl where ${ruling(viewer, openTo(extentOf(viewer, kind)))}))`;
  }

  function totalFor(viewer: Viewer): RawBuilder<number> {
    const personalColumn = ownOnly();
    const isPersonal = personalColumn === undefined ? sql`false` : sql.ref(`${table}.${personalColumn}`);
    const seen = sees(viewer);
    if (scopeOf(viewer, kind) !== "all") return sql<number>`(select count(*) ${mine(viewer)} and ${seen})`;
    const extent = extentOf(viewer, kind);
    const byLists = sql`coalesce((select sum(${COUNT.n}) from acl_count join acl on ${LIST.id} = ${COUNT.id}
        where ${COUNT.kind} = ${kind} and ${seen === true ? sql`true` : ruling(viewer, openTo(extent))}), 0)`;
    const isOpen = sql`(${acl} = 0
        or (select ${LIST.fallback} = -1 and not ${namesRoleOf(viewer)} from acl where ${LIST.id} = ${acl}))`;
    const count = (where: RawBuilder<unknown>) => sql`(select count(*) ${mine(viewer)} and ${where})`;
    const own = seen !== true && extent === "own" ? count(sql`not ${isPersonal} and ${isOpen}`) : sql`0`;
    const ownPersonal = sql`${isPersonal} and ${seen === true ? sql`true` : seen}`;
    return sql<number>`(${byLists} + ${own} + ${personalColumn === undefined ? sql`0` : count(ownPersonal)})::bigint`;
  }
}

/** Administrators (platform 2.3, step 5), and the system viewer. */
function seesAll(viewer: Viewer): boolean {
  return viewer.via === "system" || viewer.admin;
}

/** The rows that the credential's scope permits at most; "all" without a scope. */
function scopeOf({ only }: Viewer, kind: string): Extent {
  if (!only || only.has(`${kind}-view-all`)) return "all";
  return only.has(`${kind}-view-own`) ? "own" : "nothing";
}

function extentOf({ permissions }: Viewer, kind: string): Extent {
  if (permissions.has(`${kind}-view-all`)) return "all";
  return permissions.has(`${kind}-view-own`) ? "own" : "nothing";
}

function columnsOf(table: TableName) {
  const owner = sql.ref(`${table}.owned_by`);
  return {
    acl: sql.ref<number>(`${table}.acl_id`),
    own: ({ id }: Viewer) => sql<boolean>`${owner} is not distinct from ${id}::integer`,
  };
}

/** The fallback rulings that permit viewing to viewers with this extent. */
function openTo(extent: Extent): RawBuilder<boolean> {
  return extent === "all" ? sql`${LIST.fallback} <> 0` : sql`${LIST.fallback} = 1`;
}

/** Whether a row of `acl` names a role of the viewer. */
function namesRoleOf({ roles }: Viewer): RawBuilder<boolean> {
  return sql`(${LIST.allow} && ${[...roles]}::integer[] or ${LIST.deny} && ${[...roles]}::integer[])`;
}

/** Platform 2.3, steps 8 to 10, over a row of `acl`; `otherwise` is the condition if it names none of the viewer's roles. */
function ruling({ roles }: Viewer, otherwise: RawBuilder<unknown>): RawBuilder<boolean> {
  const held = sql`${[...roles]}::integer[]`;
  return sql`(${LIST.allow} && ${held} or not ${LIST.deny} && ${held} and ${otherwise})`;
}

function probe(acl: RawBuilder<unknown>, viewer: Viewer, otherwise: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`coalesce((select ${ruling(viewer, otherwise)} from acl where ${LIST.id} = ${acl}), false)`;
}
