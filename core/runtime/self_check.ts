import type { Db, ReplicaReads, Store } from "../../db/mod.ts";
import type { Config } from "../config.ts";
import type { JobQueue } from "../events/job_queue.ts";
import type { FileStore } from "../files/file_store.ts";
import type { FileClaim } from "../files/provided.ts";
import type { ContentKind } from "../resources/content.ts";
import type { PluginChoices } from "./operator_choices.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { PluginRoles } from "./plugin_roles.ts";
import type { RunningServers } from "./running_servers.ts";

/** What a check found. */
export interface CheckFindings {
  /** "ok" if nothing is wrong; "warning" for what does no harm yet or may be wanted; "error" for lost or wrong data. */
  readonly status: "ok" | "warning" | "error";
  /** The number of rows, files or other things that are wrong; 0 if the status is "ok". */
  readonly count: number;
  /** A few of them for people, without secrets: "attachment 12: file 2026-01/plan.pdf". */
  readonly examples: readonly string[];
  /** What an operator should do, as a sentence. */
  readonly advice?: string;
}

/**
 * A check of the instance: the contribution to the slot `self_check`. The command `doctor`, a schedule and administrators
 * run it, also beside a running server. Build on `referenceCheck` and `missingFilesCheck` of `lectern/contracts` for rows that refer
 * to nothing and rows whose file is missing.
 * @example
 * context.contribute("self_check", {
 *   name: "notes/empty",
 *   title: "Every note has a text",
 *   async check() {
 *     const found = await context.db.selectFrom("notes").select("id").where("name", "=", "").limit(5).execute();
 *     return {
 *       status: found.length === 0 ? "ok" : "warning",
 *       count: found.length,
 *       examples: found.map(({ id }) => `note ${id}`),
 *     };
 *   },
 *   async fix() {
 *     const gone = await context.db.deleteFrom("notes").where("name", "=", "").returning("id").execute();
 *     return gone.length;
 *   },
 * });
 */
export interface SelfCheck {
  /** Unique: the plugin and a subject, "notes/empty". */
  readonly name: string;
  /** What holds where nothing is found, as a sentence without a full stop. */
  readonly title: string;
  /** Whether the command alone runs it, and no schedule, as it reads much or takes seconds. */
  readonly onDemand?: boolean;
  /**
   * Looks and changes nothing. Reads large tables in batches or counts them in the database, so that memory is bounded. What it
   * throws is reported as an error of the check.
   */
  check(): Promise<CheckFindings> | CheckFindings;
  /** Repairs what `check` reports; returns how many were repaired. Runs for `doctor --fix` alone, and may be interrupted at any moment. */
  fix?(): Promise<number> | number;
}

/** The parts of a runtime that its checks look at. */
export interface CheckedParts {
  readonly config: Config;
  readonly store: Pick<Store, "kind" | "hosts">;
  readonly db: Db;
  /** The replicas of the store, where it reads from any. */
  readonly replicas: ReplicaReads | undefined;
  readonly files: FileStore;
  readonly jobs: JobQueue;
  readonly roles: PluginRoles;
  readonly servers: RunningServers;
  readonly plugins: readonly AnyPlugin[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of the plugins that do not ship. */
  readonly thirdParty: ReadonlySet<string>;
  /** Kinds of grants that the operator denied, by plugin. */
  readonly denied: PluginChoices["denied"];
  /** Contributions to `file_claims`; complete after boot. */
  claims(): readonly FileClaim[];
  /** Contributions to `content`; complete after boot. */
  kinds(): readonly ContentKind[];
}

declare module "../registry.ts" {
  interface Slots {
    self_check: SelfCheck;
  }
}
