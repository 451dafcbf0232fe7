import { type Cached, endpoint } from "lectern/core";
import { prepared } from "lectern/db";
import { type Discovery, type DiscoveryContext, discoveryRules, discoverySchema } from "./contract.ts";
import { about } from "./docs.ts";

const PERMIT = "settings-manage";
const DEFAULT: Discovery = { robots: "auto", sitemap: false };

const find = prepared("discovery.find", (db) => db.selectFrom("discovery").select(["robots", "sitemap"]));

const store = prepared("discovery.store", (db, p: Discovery) =>
  db
    .insertInto("discovery")
    .values({ robots: p.robots, sitemap: p.sitemap })
    .onConflict((known) =>
      known
        .constraint("discovery_pkey")
        .doUpdateSet((eb) => ({ robots: eb.ref("excluded.robots"), sitemap: eb.ref("excluded.sitemap") })),
    ),
);

/** Reads what is chosen. */
export async function readDiscovery({ db }: Pick<DiscoveryContext, "db">): Promise<Discovery> {
  return (await find.executeTakeFirst(db, {})) ?? DEFAULT;
}

/** Mounts the routes. */
export function mountChoices(context: DiscoveryContext, cached: Cached<Discovery>): void {
  const { app, chosen, perform, validate } = context;
  app.get("/discovery", async () => chosen(), {
    permit: PERMIT,
    response: discoverySchema,
    ...endpoint("discovery", "read", { about: about.read }),
  });
  app.put(
    "/discovery",
    async ({ viewer, input }) => {
      const sent = await validate(discoveryRules, input, viewer);
      const known = await readDiscovery(context);
      // The rule of the field lets no other text pass.
      const robots = (sent.robots ?? known.robots) as Discovery["robots"];
      return perform(
        "discovery_choose",
        viewer,
        { robots, sitemap: sent.sitemap ?? known.sitemap },
        async (final, tx) => {
          await store.execute(tx.db, final);
          await cached.forget(tx);
          return final;
        },
      );
    },
    {
      permit: PERMIT,
      response: discoverySchema,
      ...endpoint("discovery", "choose", { about: about.choose, rules: discoveryRules }),
    },
  );
}
