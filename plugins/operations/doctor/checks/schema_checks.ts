/** Checks of the schema: it is what migrations make, and sequences are beyond their rows. */
import { Findings, type SelfCheck } from "lectern/contracts";
import {
  advanceSequence,
  type Db,
  differenceText,
  enableTrigger,
  lateSequences,
  makeObject,
  type SchemaDifference,
  triggersOff,
  unreportedTables,
  watchTables,
} from "lectern/db";

/** The store has each object that migrations make, as they make it: `differences` runs them over a temporary store, which takes seconds. */
export function schemaCheck(db: Db, differences: () => Promise<readonly SchemaDifference[]>): SelfCheck {
  return {
    name: "core/schema",
    title: "Every table, column, index, constraint, trigger and function is there as migrations make it",
    onDemand: true,
    async check() {
      const findings = new Findings();
      for (const one of await differences()) findings.add(differenceText(one));
      return findings.as(
        "error",
        "Restore a backup where a table or column is missing or of another type: its values are lost. All else can be made again.",
      );
    },
    async fix() {
      let repaired = 0;
      const refusals: string[] = [];
      for (const one of await differences()) {
        if (!isMade(one)) continue;
        try {
          await makeObject(db, one);
          repaired++;
        } catch (error) {
          refusals.push(`${differenceText(one)}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      if (refusals.length > 0) throw new Error(refusals.join("; "));
      return repaired;
    },
  };
}

/** Whether its SQL mends it: a column of another type or expression is there, so it cannot be added. */
function isMade({ kind, problem, create }: SchemaDifference): boolean {
  return create !== null && (kind !== "column" || problem === "missing");
}

/**
 * Every trigger is on, and the tables that cached answers are read from have all of theirs. Plugins and servers make these at their
 * start, so that no migration has them.
 */
export function triggersCheck(db: Db): SelfCheck {
  return {
    name: "core/triggers",
    title: "Every trigger fires, and changes of tables with cached answers are reported",
    async check() {
      const findings = new Findings();
      for (const { table, name } of await triggersOff(db)) findings.add(`trigger "${name}" of ${table} is off`);
      for (const { table } of await unreportedTables(db)) findings.add(`changes of ${table} are not reported`);
      return findings.as(
        "error",
        "Counters may be wrong and cached answers old: restart the servers after the repair.",
      );
    },
    async fix() {
      const off = await triggersOff(db);
      for (const one of off) await enableTrigger(db, one);
      const unreported = await unreportedTables(db);
      await watchTables(db, unreported);
      return off.length + unreported.length;
    },
  };
}

/** The next value of each sequence is beyond the values of its column; else inserts fail. */
export function sequencesCheck(db: Db): SelfCheck {
  return {
    name: "core/sequences",
    title: "The next id of every table is free",
    async check() {
      const findings = new Findings();
      for (const { table, column, next, highest } of await lateSequences(db))
        findings.add(`${table}: the next ${column} is ${next}, and the highest is ${highest}`);
      return findings.as("error");
    },
    async fix() {
      const late = await lateSequences(db);
      for (const one of late) await advanceSequence(db, one);
      return late.length;
    },
  };
}
