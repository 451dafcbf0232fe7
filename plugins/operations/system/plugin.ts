import { join } from "node:path";
import { definePlugin, shippedFile } from "lectern/core";
import { jobsCommand } from "./commands.ts";
import { mountDeadJobs } from "./dead_jobs.ts";
import { migrations } from "./migrations.ts";
import { mountFacts, mountSystem } from "./routes.ts";
import { settings } from "./settings.ts";

/** The instance: GET /api/system (platform 9), and facts, plugins, files and failed jobs for administrators. */
export default definePlugin({
  name: "system",
  provides: ["system"],
  requires: ["upkeep"],
  grants: { write: ["instance", "jobs"] },
  settings,
  commands: { jobs: jobsCommand },
  migrations,
  setup(context) {
    const { db, provide, app } = context;
    const { appName, appLogo, version } = context.settings;
    const instance = {
      instanceId: async () => (await db.selectFrom("instance").select("id").executeTakeFirstOrThrow()).id,
      name: appName,
      logo: appLogo === "none" ? "" : appLogo,
      version,
    };
    provide("system", instance);
    mountSystem(context, { ...instance, hasLogo: appLogo !== "none" });
    const logo = shippedFile(join(import.meta.dir, "public", "logo.png"), "image/png");
    app.site.get("/logo.png", ({ request }) => logo(request.headers), { permit: "public" });
    mountFacts(context);
    mountDeadJobs(context);
  },
});
