import { join } from "node:path";
import { definePlugin, endpoint, shippedFile, sql, t } from "lectern/core";
import type {} from "./contract.ts";
import { mountDeadJobs } from "./dead_jobs.ts";
import { mountInstance } from "./routes.ts";

/** The BookStack version whose API is spoken here; clients compare it to decide which endpoints they may use. */
const SPOKEN_VERSION = "v26.05+lectern";

/** What an operator may set about the instance. */
const settings = t.Object({
  appName: t.String({ default: "Lectern", minLength: 1, env: "APP_NAME" }),
  appLogo: t.String({
    default: "",
    env: "APP_LOGO",
    description: "Address of a logo instead of the one that ships; none for no logo at all",
  }),
  version: t.String({ default: SPOKEN_VERSION, pattern: "^v", env: "APP_VERSION" }),
});

/** Facts about the instance: GET /api/system (platform 9), and what those who look after it want to know beside. */
export default definePlugin({
  name: "system",
  provides: ["system"],
  permissions: { write: ["instance", "jobs"] },
  settings,
  migrations: {
    async "0001_init"(db) {
      await sql`create table instance (id uuid not null, single boolean primary key default true check (single))`.execute(
        db,
      );
      await sql`insert into instance (id) values (gen_random_uuid())`.execute(db);
    },
  },
  setup(context) {
    const { app, baseUrl, db, provide, site } = context;
    const { appName, appLogo, version } = context.settings;
    const ownLogo = appLogo === "none" ? "" : appLogo;
    const instanceId = async () => (await db.selectFrom("instance").select("id").executeTakeFirstOrThrow()).id;
    provide("system", { instanceId, name: appName, logo: ownLogo, version });
    app.get(
      "/system",
      async () => ({
        version,
        instance_id: await instanceId(),
        app_name: appName,
        app_logo: appLogo === "none" ? null : ownLogo || `${baseUrl}/logo.png`,
        base_url: baseUrl,
      }),
      {
        permit: "access-api",
        ...endpoint("system", "read", { about: "Reads details about the instance. Some values may be null." }),
      },
    );
    const logo = shippedFile(join(import.meta.dir, "public", "logo.png"), "image/png");
    site.get("/logo.png", ({ request }) => logo(request.headers), { permit: "public" });
    mountInstance(context);
    mountDeadJobs(context);
  },
});
