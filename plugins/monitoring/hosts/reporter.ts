import { join } from "node:path";
import { endpoint } from "lectern/core";
import { scriptSchema } from "./answers.ts";
import type { HostsContext } from "./contract.ts";

const SCRIPT = join(import.meta.dir, "reporter.sh");

/** Mounts the route of the reference reporter, which contains no data of the instance. */
export function mountReporter({ app }: HostsContext): void {
  app.get(
    "/v1/dashboard/reporter.sh",
    () => new Response(Bun.file(SCRIPT), { headers: { "content-type": "text/plain; charset=utf-8" } }),
    {
      permit: "public",
      response: scriptSchema,
      ...endpoint("dashboard", "reporter", {
        about: "A shell script that reports the packages of a machine with apt, dnf, yum or apk; run it from cron.",
      }),
    },
  );
}
