/** Checks of the schema: what migrations make is there, and sequences are beyond their rows. */
import {
  advanceSequence,
  type Db,
  lateSequences,
  makeObject,
  missingObjects,
  objectLabel,
  type SchemaObject,
} from "../../db/mod.ts";
import type { SelfCheck } from "../contracts/self_check.ts";
import { Findings } from "./findings.ts";

/**
 * The store has each object that `expected` resolves to, which is made by the migrations over a temporary store: that takes
 * seconds, and is done once.
 */
export function schemaCheck(db: Db, expected: () => Promise<readonly SchemaObject[]>): SelfCheck {
  let made: readonly SchemaObject[] | undefined;
  const missing = async () => {
    made ??= await expected();
    return missingObjects(db, made);
  };
  return {
    name: "core/schema",
    title: "Every table, column, index, constraint, trigger and function of the migrations is there",
    onDemand: true,
    async check() {
      const findings = new Findings();
      for (const one of await missing()) findings.add(`${objectLabel(one)} is missing`);
      return findings.as(
        "error",
        "Restore a backup where a table or column is missing: its values are lost. Constraints, indexes, triggers and functions can be made again.",
      );
    },
    async fix() {
      let repaired = 0;
      const refusals: string[] = [];
      for (const one of await missing()) {
        if (one.create === null) continue;
        try {
          await makeObject(db, one);
          repaired++;
        } catch (error) {
          refusals.push(`${objectLabel(one)}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      if (refusals.length > 0) throw new Error(refusals.join("; "));
      return repaired;
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
