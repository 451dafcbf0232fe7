import { join } from "node:path";
import type { SystemFacts } from "lectern/contracts";
import { definePlugin, shippedFile } from "lectern/core";
import { jobsCommand } from "./commands.ts";
import { mountDeadJobs } from "./dead_jobs.ts";
import { migrations } from "./migrations.ts";
import { mountFacts, mountSystem } from "./routes.ts";
import { settings } from "./settings.ts";

/** The value of the setting of an instance that shows no logo. */
const NO_LOGO = "none";

/** The instance: GET /api/system (platform 9), and facts, plugins, files and failed jobs for administrators. */
export default definePlugin({
  name: "system",
  provides: ["system"],
  requires: ["instance_settings", "upkeep"],
  grants: { write: ["instance", "jobs"] },
  settings,
  commands: { jobs: jobsCommand },
  migrations,
  setup(context) {
    const { contracts, contribute, db, provide, app } = context;
    const { appName, appLogo, version } = context.settings;
    const settings = contracts.instance_settings;
    const instance: SystemFacts = {
      instanceId: async () => (await db.selectFrom("instance").select("id").executeTakeFirstOrThrow()).id,
      get name() {
        return settings.value("app_name");
      },
      get logo() {
        const logo = settings.value("app_logo");
        return logo === NO_LOGO ? "" : logo;
      },
      version,
    };
    provide("system", instance);
    contribute("instance_setting", {
      ...{ name: "app_name", group: "appearance", label: "Name of the instance", control: "text", default: "Lectern" },
      order: 10,
      ...{ rules: { app_name: ["string", "max:80"] }, variable: "APP_NAME", given: appName },
    });
    contribute("instance_setting", {
      ...{ name: "app_logo", group: "appearance", label: "Address of the logo", control: "text", default: "" },
      order: 20,
      help: "Of a picture; “none” for no logo.",
      ...{ rules: { app_logo: ["string", "max:1000", "safe_url"] }, variable: "APP_LOGO", given: appLogo },
    });
    mountSystem(context, instance, () => settings.value("app_logo") !== NO_LOGO);
    const logo = shippedFile(join(import.meta.dir, "public", "logo.png"), "image/png");
    app.site.get("/logo.png", ({ request }) => logo(request.headers), { permit: "public" });
    mountFacts(context);
    mountDeadJobs(context);
  },
});
