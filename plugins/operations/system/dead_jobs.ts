/**
 * Work that was given up after its last try. What it was about stays out of answers, since payloads may hold what is
 * nobody's to read; the name and the last error tell what is wrong.
 */
import { endpoint, type InputObject, type ListSpec, type PluginContext, rules, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";

type Context = Pick<PluginContext<never, "jobs">, "app" | "db" | "list" | "visibilityRule" | "validate">;

const LISTING: ListSpec = {
  table: "jobs",
  fields: { id: "integer", name: "code", attempts: "integer", run_at: "timestamp", created_at: "timestamp" },
  columns: sql`jobs.id, jobs.name, jobs.attempts, jobs.last_error, jobs.run_at, jobs.created_at`,
  where: sql<boolean>`jobs.dead`,
};
const chosenRules = rules({ ids: ["array"], "ids.*": ["integer"] });
const PERMIT = "settings-manage";

/** Mounts the routes. */
export function mountDeadJobs({ app, db, list, visibilityRule, validate }: Context): void {
  visibilityRule("jobs", () => true);
  const chosen = async (input: InputObject, viewer: Viewer) => {
    const { ids } = await validate(chosenRules, input, viewer);
    if (ids === undefined) return sql`jobs.dead`;
    return sql`jobs.dead and jobs.id::text = any(${Object.values(ids as object).map(String)}::text[])`;
  };
  app.get("/system/jobs", ({ viewer, asked }) => list(LISTING, viewer, asked), {
    permit: PERMIT,
    ...endpoint("system", "deadJobs", { about: "Lists jobs that were given up after their last try." }),
  });
  app.post(
    "/system/jobs/retry",
    async ({ viewer, input }) => {
      const tried = await rows(
        db,
        sql`update jobs set dead = false, attempts = 0, run_at = now(), leased_until = null
          where ${await chosen(input, viewer)} and not exists (select from jobs as other
            where other.name = jobs.name and other.key = jobs.key and not other.dead and other.attempts = 0)
          returning id`,
      );
      return { retry_count: tried.length };
    },
    {
      permit: PERMIT,
      ...endpoint("system", "retryJobs", {
        about:
          "Tries jobs again that were given up: those of the ids, or all of them. Whatever is waiting already stays.",
        rules: chosenRules,
      }),
    },
  );
  app.delete(
    "/system/jobs",
    async ({ viewer, input }) => {
      const gone = await rows(db, sql`delete from jobs where ${await chosen(input, viewer)} returning id`);
      return { delete_count: gone.length };
    },
    {
      permit: PERMIT,
      ...endpoint("system", "deleteJobs", {
        about: "Forgets jobs that were given up: those of the ids, or all of them.",
        rules: chosenRules,
      }),
    },
  );
}
