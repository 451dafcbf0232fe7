/**
 * Which rows a viewer sees, and how many, as SQL over a table's `acl_id` and `owned_by`. What is known of the viewer is
 * folded into the text, so that most rows are judged by `acl_id = 0` alone; for the others one row of `acl` is probed.
 * The probe is a scalar subselect on purpose: written as `acl_id in (select …)` the planner leaves the index it should
 * walk. Conditions are true or false, never null, so that they may be negated.
 */
import { type RawBuilder, sql, type Viewer, type VisibilityRule, type VisibleIds } from "lectern/core";
import type { TableName } from "lectern/db";

/** What a viewer sees where no override speaks (platform 2.3, steps 3 and 10). */
type Plain = "all" | "own" | "nothing";

/** The rule that keeps rows of a content table from viewers who may not view them; see `Access.sees`. */
export function rowsFor(kind: string, table: TableName): VisibilityRule {
  const { acl, own } = columnsOf(table);
  return (viewer) => {
    if (seesAll(viewer)) return true;
    const scope = scopeOf(viewer, kind);
    if (scope === "nothing") return sql<boolean>`false`;
    const seen = seenBy(viewer);
    return scope === "own" ? sql<boolean>`(${own(viewer)} and ${seen})` : seen;
  };

  /** What roles and overrides open, whatever the scope. */
  function seenBy(viewer: Viewer): RawBuilder<boolean> {
    const plain = plainOf(viewer, kind);
    if (plain === "all") return sql<boolean>`(${acl} = 0 or ${probe(acl, viewer, sql`acl.view_fallback <> 0`)})`;
    const byList = (otherwise: RawBuilder<unknown>) => sql`${acl} <> 0 and ${probe(acl, viewer, otherwise)}`;
    if (plain === "nothing") return sql<boolean>`(${byList(sql`acl.view_fallback = 1`)})`;
    const owns = own(viewer);
    const fallback = sql`(acl.view_fallback = 1 or acl.view_fallback = -1 and ${owns})`;
    return sql<boolean>`(${acl} = 0 and ${owns} or ${byList(fallback)})`;
  }
}

/** How much that is; see `Access.reach`. `ownOnly` is the column of that meaning in the slot `content`. */
export function reachOf(kind: string, table: TableName, ownOnly: () => string | undefined): VisibleIds {
  const sees = rowsFor(kind, table);
  const { acl } = columnsOf(table);
  const present = sql`${sql.ref(`${table}.deleted_at`)} is null`;
  const mine = ({ id }: Viewer) => sql`from ${sql.table(table)}
    where ${sql.ref(`${table}.owned_by`)} = ${id}::integer and ${present}`;
  return {
    all: sql<number>`(select coalesce(sum(acl_count.n), 0) from acl_count where acl_count.kind = ${kind})::bigint`,
    total(viewer) {
      const personal = ownOnly();
      const isPersonal = personal === undefined ? sql`false` : sql.ref(`${table}.${personal}`);
      const seen = sees(viewer);
      if (scopeOf(viewer, kind) !== "all") return sql<number>`(select count(*) ${mine(viewer)} and ${seen})`;
      const plain = plainOf(viewer, kind);
      const ofLists = sql`coalesce((select sum(acl_count.n) from acl_count join acl on acl.id = acl_count.acl_id
        where acl_count.kind = ${kind} and ${seen === true ? sql`true` : judged(viewer, openTo(plain))}), 0)`;
      const isOpen = sql`(${acl} = 0
        or (select acl.view_fallback = -1 and not ${speaks(viewer)} from acl where acl.id = ${acl}))`;
      const count = (where: RawBuilder<unknown>) => sql`(select count(*) ${mine(viewer)} and ${where})`;
      const own = seen !== true && plain === "own" ? count(sql`not ${isPersonal} and ${isOpen}`) : sql`0`;
      const personals = sql`${isPersonal} and ${seen === true ? sql`true` : seen}`;
      return sql<number>`(${ofLists} + ${own} + ${personal === undefined ? sql`0` : count(personals)})::bigint`;
    },
    few(viewer) {
      if (seesAll(viewer)) return undefined;
      const id = sql.ref(`${table}.id`);
      if (scopeOf(viewer, kind) !== "all") return sql`select ${id} ${mine(viewer)}`;
      const plain = plainOf(viewer, kind);
      if (plain === "all") return undefined;
      const listed = sql`select ${id} from ${sql.table(table)} where ${acl} <> 0 and ${present}
        and ${acl} = any(array(select acl.id from acl where ${judged(viewer, openTo(plain))}))`;
      return plain === "own" ? sql`${listed} union all select ${id} ${mine(viewer)}` : listed;
    },
  };
}

/** Step 5, and the system itself. */
function seesAll(viewer: Viewer): boolean {
  return viewer.via === "system" || viewer.admin;
}

/** What a narrower credential lets its user see at most; everything where it is not narrower. */
function scopeOf({ only }: Viewer, kind: string): Plain {
  if (!only || only.has(`${kind}-view-all`)) return "all";
  return only.has(`${kind}-view-own`) ? "own" : "nothing";
}

function plainOf({ permissions }: Viewer, kind: string): Plain {
  if (permissions.has(`${kind}-view-all`)) return "all";
  return permissions.has(`${kind}-view-own`) ? "own" : "nothing";
}

function columnsOf(table: TableName) {
  const owner = sql.ref(`${table}.owned_by`);
  return {
    acl: sql.ref(`${table}.acl_id`),
    own: ({ id }: Viewer) => sql<boolean>`${owner} is not distinct from ${id}::integer`,
  };
}

function openTo(plain: Plain): RawBuilder<boolean> {
  return plain === "all" ? sql`acl.view_fallback <> 0` : sql`acl.view_fallback = 1`;
}

/** Whether some entry speaks of a role of the viewer. */
function speaks({ roles }: Viewer): RawBuilder<boolean> {
  return sql`(acl.view_allow && ${[...roles]}::integer[] or acl.view_deny && ${[...roles]}::integer[])`;
}

/** Steps 8 to 10 over a row of `acl`; `otherwise` says what holds where no entry speaks of the viewer's roles. */
function judged({ roles }: Viewer, otherwise: RawBuilder<unknown>): RawBuilder<boolean> {
  const held = sql`${[...roles]}::integer[]`;
  return sql`(acl.view_allow && ${held} or not acl.view_deny && ${held} and ${otherwise})`;
}

function probe(acl: RawBuilder<unknown>, viewer: Viewer, otherwise: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`coalesce((select ${judged(viewer, otherwise)} from acl where acl.id = ${acl}), false)`;
}
