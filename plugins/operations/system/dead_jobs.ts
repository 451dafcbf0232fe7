/**
 * Jobs that failed in all of their attempts ("dead" jobs). Answers contain their names and last errors, but not their
 * payloads, which may contain confidential data.
 */

import { endpoint, type InputObject, type ListSpec, rules, type Static, sql, type Viewer } from "lectern/core";
import { refs } from "lectern/db";
import { deadJobAnswers, type deadJobSchema, type SystemContext } from "./contract.ts";
import { about } from "./docs.ts";

const LISTING: ListSpec = {
  table: "jobs",
  fields: { id: "integer", name: "code", attempts: "integer", run_at: "timestamp", created_at: "timestamp" },
  columns: refs("jobs.id", "jobs.name", "jobs.attempts", "jobs.last_error", "jobs.run_at", "jobs.created_at"),
  where: sql<boolean>`${refs("jobs.dead")}`,
};
const idsRules = rules({ ids: ["array"], "ids.*": ["integer"] });
const PERMIT = "settings-manage";

/** Mounts the routes. */
export function mountDeadJobs({ app, db, list, visibilityRule, validate }: SystemContext): void {
  visibilityRule("jobs", () => true);
  const condition = async (input: InputObject, viewer: Viewer) => {
    const { ids } = await validate(idsRules, input, viewer);
    const dead = refs("jobs.dead");
    if (ids === undefined) return sql<boolean>`${dead}`;
    const wanted = Object.values(ids as object).map(String);
    return sql<boolean>`(${dead} and ${refs("jobs.id")}::text = any(${wanted}::text[]))`;
  };
  app.get(
    "/system/jobs",
    ({ viewer, nestedQuery }) => list<Static<typeof deadJobSchema>>(LISTING, viewer, nestedQuery),
    {
      permit: PERMIT,
      response: deadJobAnswers.list,
      ...endpoint("system", "deadJobs", { about: about.deadJobs }),
    },
  );
  app.post(
    "/system/jobs/retry",
    async ({ viewer, input }) => {
      const retried = await db
        .updateTable("jobs")
        .set({ dead: false, attempts: 0, run_at: sql<string>`now()`, leased_until: null })
        .where(await condition(input, viewer))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("jobs as other")
                .whereRef("other.name", "=", "jobs.name")
                .whereRef("other.key", "=", "jobs.key")
                .where((other) => other.not(other.ref("other.dead")))
                .where("other.attempts", "=", 0),
            ),
          ),
        )
        .returning("id")
        .execute();
      return { retry_count: retried.length };
    },
    {
      permit: PERMIT,
      response: deadJobAnswers.retried,
      ...endpoint("system", "retryJobs", { about: about.retryJobs, rules: idsRules }),
    },
  );
  app.delete(
    "/system/jobs",
    async ({ viewer, input }) => {
      const deleted = await db
        .deleteFrom("jobs")
        .where(await condition(input, viewer))
        .returning("id")
        .execute();
      return { delete_count: deleted.length };
    },
    {
      permit: PERMIT,
      response: deadJobAnswers.deleted,
      ...endpoint("system", "deleteJobs", { about: about.deleteJobs, rules: idsRules }),
    },
  );
}
