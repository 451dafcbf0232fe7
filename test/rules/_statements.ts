/**
 * The SQL of every prepared statement of the product, for review: `bun test/rules/_statements.ts` writes
 * test/fixtures/statements.sql, with `print` it prints them; a test fails while the file differs.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { preparedStatements } from "lectern/db";
import "../../core/runtime/boot.ts";
import "lectern/plugins";
import { ROOT } from "./_source.ts";

/** The reviewed file. */
export const FILE: string = join(ROOT, "test/fixtures/statements.sql");

const HEAD = "-- Every prepared statement, by name. Written by `bun test/rules/_statements.ts`.\n";

/** The statements that are prepared so far, as the file has them. Throws for a name that two statements have. */
export function statements(): string {
  const own = preparedStatements();
  const twice = own.find(({ name }, at) => own[at + 1]?.name === name);
  if (twice) throw new Error(`Two statements are named "${twice.name}"`);
  return HEAD + own.map((statement) => `\n-- ${statement.name}\n${wrapped(statement.text())};\n`).join("");
}

/** A line for each clause, so that a difference shows where it is. */
function wrapped(text: string): string {
  return text.replace(
    / (?=(?:from|where|(?:inner|left) join|order by|group by|set|values|returning|on conflict|union)\b)/g,
    "\n  ",
  );
}

if (import.meta.main) {
  if (process.argv[2] === "print") process.stdout.write(statements());
  else writeFileSync(FILE, statements());
}
