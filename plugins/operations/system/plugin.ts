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
/** What an upload of an icon makes: the beginning of the paths of its files. */
const ICON = /^\/branding\/icon-[0-9a-f]{24}$/;

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
    const { app, baseUrl, contracts, contribute, db, provide } = context;
    const { appName, appLogo, version } = context.settings;
    const settings = contracts.instance_settings;
    const ofInstance = (address: string) => (address.startsWith("/") ? baseUrl + address : address);
    const instance: SystemFacts = {
      instanceId: async () => (await db.selectFrom("instance").select("id").executeTakeFirstOrThrow()).id,
      get name() {
        return settings.value("app_name");
      },
      get logo() {
        const logo = settings.value("app_logo");
        return logo === NO_LOGO ? "" : ofInstance(logo);
      },
      icon(side) {
        const icon = settings.value("app_icon");
        return icon === "" ? "" : ofInstance(`${icon}-${side}.png`);
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
      ...{ name: "app_logo", group: "appearance", label: "Logo", control: "picture", default: "", order: 20 },
      // An address, "none", or what an upload has made.
      ...{ rules: { app_logo: ["string", "max:1000", "safe_url"] }, variable: "APP_LOGO", given: appLogo },
    });
    contribute("instance_setting", {
      ...{ name: "app_icon", group: "appearance", label: "Icon in browsers", control: "picture", default: "" },
      rules: { app_icon: ["string", "max:100"] },
      check: (value) =>
        ICON.test(String(value)) ? undefined : { text: "An icon is uploaded by POST /api/settings/icon." },
    });
    mountSystem(context, instance, () => settings.value("app_logo") !== NO_LOGO);
    const logo = shippedFile(join(import.meta.dir, "public", "logo.png"), "image/png");
    app.site.get("/logo.png", ({ request }) => logo(request.headers), { permit: "public" });
    mountFacts(context);
    mountDeadJobs(context);
  },
});
