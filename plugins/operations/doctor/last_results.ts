/** The scheduled run of the checks, and what monitoring and administrators see of it. */
import type { Metric, ScreenFigure } from "lectern/contracts";
import { html, sql } from "lectern/core";
import type { DoctorContext, NewResult } from "./contract.ts";
import { runChecks } from "./run_checks.ts";

/** Names of checks that the screen lists. */
const LISTED = 5;

/** Runs all checks that are not on demand without repairs, and replaces the stored results. Logs what is wrong, as an error if anything is one. */
export async function checkAndStore({ db, log, slot }: DoctorContext): Promise<void> {
  const results: NewResult[] = [];
  const checks = slot("self_check").filter(({ onDemand }) => onDemand !== true);
  for await (const { name, status, count, examples, advice } of runChecks(checks, { fix: false }))
    results.push({ name, status, count, examples: [...examples], advice: advice ?? null });
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom("self_check_results").execute();
    await tx.insertInto("self_check_results").values(results.map(asRow)).execute();
  });
  const wrong = results.filter(({ status }) => status !== "ok");
  if (wrong.length === 0) return;
  const level = wrong.some(({ status }) => status === "error") ? "error" : "warn";
  log[level]("Checks of the instance found something; the command doctor shows it", {
    checks: wrong.map(({ name, status, count }) => `${name}: ${status} (${count})`),
  });
}

function asRow(result: NewResult) {
  const examples = sql<string[]>`${JSON.stringify(result.examples)}::text::jsonb`;
  return { ...result, examples, checked_at: sql<string>`now()` };
}

/** The figures of the last run for monitoring. */
export function resultMetrics({ db }: DoctorContext): Metric[] {
  return [
    {
      name: "lectern_self_check_findings",
      help: "Findings of the last scheduled checks, by check and status.",
      type: "gauge",
      labels: ["check", "status"],
      async read() {
        const rows = await db.selectFrom("self_check_results").select(["name", "status", "count"]).execute();
        return rows.map(({ name, status, count }) => ({ labels: { check: name, status }, value: count }));
      },
    },
    {
      name: "lectern_self_check_timestamp_seconds",
      help: "Time of the last scheduled checks.",
      type: "gauge",
      async read() {
        const found = await db
          .selectFrom("self_check_results")
          .select(sql<number | null>`extract(epoch from max(checked_at))::float8`.as("at"))
          .executeTakeFirst();
        return found?.at == null ? [] : [{ value: found.at }];
      },
    },
  ];
}

/** The line about the last run on the screen of the system. */
export function resultFigure({ db }: DoctorContext): ScreenFigure {
  return {
    at: "system/figures",
    label: "Self-checks",
    async read({ ui }) {
      const rows = await db
        .selectFrom("self_check_results")
        .select(["name", "status", "checked_at"])
        .orderBy("name")
        .execute();
      const [first] = rows;
      if (!first) return ui.t("None has run yet");
      const wrong = rows.filter(({ status }) => status !== "ok").map(({ name }) => name);
      const names = wrong.slice(0, LISTED).join(", ") + (wrong.length > LISTED ? " …" : "");
      const result =
        wrong.length === 0
          ? ui.t("All :count passed", { count: rows.length })
          : ui.t(":failed of :count found something: :names", { failed: wrong.length, count: rows.length, names });
      return html`${result} (${ui.time(first.checked_at)})`;
    },
  };
}
