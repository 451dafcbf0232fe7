import type { Sessions, SystemFacts } from "lectern/contracts";
import { type FormErrors, type PluginContext, rules, type Static, t } from "lectern/core";
import type { Db } from "lectern/db";

/** The single row with what search engines may do; none until somebody has chosen. */
export interface DiscoveryTable {
  robots: Robots;
  sitemap: boolean;
}

/** Whether search engines may read: "auto" as visitors may. */
export type Robots = "auto" | "allow" | "refuse";

/** What is chosen about search engines. */
export type Discovery = Readonly<DiscoveryTable>;

/** The body of a choice; fields that are absent stay as they are. */
export const discoveryRules = rules({ robots: ["string", "in:auto,allow,refuse"], sitemap: ["boolean"] });

/** What is chosen about search engines. */
export const discoverySchema = t.Object(
  {
    robots: t.Union([t.Literal("auto"), t.Literal("allow"), t.Literal("refuse")]),
    sitemap: t.Boolean(),
  },
  { $id: "Discovery" },
);

/** Data of the screen. */
export interface DiscoveryData {
  readonly chosen: Discovery;
  readonly formErrors: FormErrors;
  /** Whether visitors may read at all. */
  readonly isPublic: boolean;
}

/** What the files of this plugin share. */
export interface DiscoveryContext
  extends Pick<
    PluginContext,
    "app" | "baseUrl" | "limiter" | "perform" | "pools" | "runtime" | "slot" | "validate" | "visible"
  > {
  readonly db: Db;
  readonly system: SystemFacts;
  readonly sessions: Sessions;
  /** The path of APP_URL without a final slash. */
  readonly root: string;
  /** What is chosen. */
  chosen(): Discovery | Promise<Discovery>;
}

declare module "lectern/contracts" {
  interface Answers {
    "/api/discovery": Static<typeof discoverySchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    discovery: DiscoveryTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** An administrator chooses what search engines may do. */
    discovery_choose: { draft: Discovery; result: Discovery };
  }
  interface Views {
    "discovery/settings": DiscoveryData;
  }
}
