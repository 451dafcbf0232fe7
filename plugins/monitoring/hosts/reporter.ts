import { join } from "node:path";
import { endpoint, type PluginContext } from "lectern/core";

const SCRIPT = join(import.meta.dir, "reporter.sh");

/** Serves the reference reporter, which holds nothing of the instance. */
export function serveReporter({ app }: Pick<PluginContext, "app">): void {
  app.get(
    "/v1/dashboard/reporter.sh",
    () => new Response(Bun.file(SCRIPT), { headers: { "content-type": "text/plain; charset=utf-8" } }),
    {
      permit: "public",
      ...endpoint("dashboard", "reporter", {
        about: "A shell script that reports the packages of a machine with apt, dnf, yum or apk; run it from cron.",
      }),
    },
  );
}
