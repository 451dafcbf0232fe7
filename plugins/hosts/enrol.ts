/**
 * Enrolment: a script with an enrolment key makes hosts, so many a day (dashboard-stats 6.3). Calls and answers are those
 * of PatchMon; the key's kind is checked here as everywhere, the day's allowance is taken in the host's own transaction,
 * and no script is handed out with secrets in its address. A machine that says who it is is enrolled once.
 */
import {
  ApiError,
  type AreaSpec,
  type Contracts,
  endpoint,
  type PluginContext,
  rules,
  sql,
  type Viewer,
  type Work,
} from "lectern/core";
import { rows } from "lectern/db";
import { agentFault } from "./area.ts";
import { textOf } from "./body.ts";
import { plain } from "./canonical.ts";
import type { HostDraft, HostFacts } from "./contract.ts";
import { objectOf } from "./parse.ts";
import { perMinute } from "./per_minute.ts";
import { type HostCredentials, insertHost, randomCredentials } from "./write.ts";

type Context = Pick<PluginContext<"dashboard_keys">, "app" | "area" | "contracts" | "perform" | "log">;
type Keys = Contracts["dashboard_keys"];

const PER_MINUTE = 60;
const MAX_BYTES = 64 * 1024;
const MAX_NAME = 255;
const MAX_BULK = 50;
const KEYS = new WeakMap<Viewer, number>();

const REQUIRED = new ApiError(401, "Auto-enrollment credentials required");
const INVALID = new ApiError(401, "Invalid or inactive token");
const REFUSALS = {
  unknown: INVALID,
  type: INVALID,
  inactive: INVALID,
  secret: new ApiError(401, "Invalid token secret"),
  expired: new ApiError(401, "Token expired"),
  address: new ApiError(403, "IP address not authorized for this token"),
} as const;
const UNAVAILABLE = new ApiError(503, "Service temporarily unavailable", { headers: { "retry-after": "5" } });
const SPENT = new ApiError(429, "Rate limit exceeded", {
  extra: { message: "This token has enrolled as many hosts as it may in a day" },
});
const ENROLLED = new ApiError(409, "Host already exists", {
  extra: { message: "This machine is already enrolled" },
});

const hostRules = rules({
  friendly_name: ["required", "string", "min:1", "max:255"],
  machine_id: ["string", "max:255"],
});
const bulkRules = rules({ hosts: ["required", "array", "max:50"] });

/** Mounts enrolment, one host or up to fifty at a time. */
export function mountEnrolment(context: Context): void {
  const { app, contracts, log } = context;
  context.area("/v1/auto-enrollment", areaOf(context));
  const enrol = (viewer: Viewer, draft: HostDraft) => enrolHost(context, contracts.dashboard_keys, viewer, draft);
  app.post(
    "/v1/auto-enrollment/enroll",
    async ({ request, viewer, set }) => {
      const host = await enrol(viewer, draftOf(objectOf(await textOf(request, MAX_BYTES))));
      set.status = 201;
      return { message: "Host enrolled successfully", host };
    },
    {
      permit: "access-api",
      ...endpoint("auto-enrollment", "enroll", {
        about:
          "Makes a host and shows its credentials, this once. Headers: X-Auto-Enrollment-Key, X-Auto-Enrollment-Secret.",
        rules: hostRules,
      }),
    },
  );
  app.post(
    "/v1/auto-enrollment/enroll/bulk",
    async ({ request, viewer, set }) => {
      const sent = bulkOf(objectOf(await textOf(request, MAX_BYTES)));
      const success: unknown[] = [];
      const failed: unknown[] = [];
      for (const [at, host] of sent.entries()) {
        try {
          success.push(await enrol(viewer, draftOf(host)));
        } catch (error) {
          // Keys are shown this once: those of hosts that were made must not be lost with the answer.
          if (!(error instanceof ApiError) && success.length === 0) throw error;
          if (!(error instanceof ApiError)) log.error("Cannot enrol a host", { error });
          const reason = error instanceof ApiError ? error.message : "An error occurred";
          failed.push({ friendly_name: plain(host.friendly_name) || `host ${at + 1} of the list`, error: reason });
        }
      }
      set.status = 201;
      const message = `Bulk enrollment completed: ${success.length} succeeded, ${failed.length} failed`;
      return { message, results: { success, failed, skipped: [] } };
    },
    {
      permit: "access-api",
      ...endpoint("auto-enrollment", "enroll-bulk", {
        about: "The same for up to fifty hosts; those that were refused are named with the reason.",
        rules: bulkRules,
      }),
    },
  );
}

function areaOf({ contracts, log }: Context): AreaSpec {
  const limit = perMinute(PER_MINUTE);
  return {
    limiter: null,
    ownBodies: true,
    fault: agentFault,
    async authenticate({ headers }, address) {
      limit.take(address);
      const [key, secret] = [headers.get("x-auto-enrollment-key"), headers.get("x-auto-enrollment-secret")];
      if (!key || !secret) return REQUIRED;
      let verdict: Awaited<ReturnType<Keys["judge"]>>;
      try {
        verdict = await contracts.dashboard_keys.judge("enrolment", key, secret, address);
      } catch (error) {
        log.error("Cannot judge a key", { error });
        return UNAVAILABLE;
      }
      return "refused" in verdict ? REFUSALS[verdict.refused] : viewerOf(verdict);
    },
  };
}

/** A key is nobody: it has a name and may make hosts. */
function viewerOf({ id, name }: { id: number; name: string }): Viewer {
  const viewer: Viewer = { id: 0, name, slug: "", roles: [], permissions: new Set(), admin: false, via: "key" };
  KEYS.set(viewer, id);
  return viewer;
}

async function enrolHost({ perform }: Context, keys: Keys, viewer: Viewer, draft: HostDraft) {
  const credentials: HostCredentials = randomCredentials();
  const key = KEYS.get(viewer) as number;
  const host = await perform("host_create", viewer, draft, async (final, work) => {
    await refuseKnown(final, work);
    if (!(await keys.spend(key, 1, work.db))) throw SPENT;
    return insertHost(final, credentials, work);
  });
  return shown(host, credentials);
}

function shown({ id, name, status }: HostFacts, credentials: HostCredentials) {
  return { id, friendly_name: name, ...credentials, host_group: null, status };
}

/** Machines that are cloned share their id and report all the same; only a second enrolment is refused. */
async function refuseKnown({ machine_id: machine }: HostDraft, { db }: Work): Promise<void> {
  if (machine === undefined) return;
  await rows(db, sql`select pg_advisory_xact_lock(hashtext('hosts:machine'), hashtext(${machine}))`);
  if ((await rows(db, sql`select from hosts where machine_id = ${machine} limit 1`)).length > 0) throw ENROLLED;
}

function draftOf(sent: Readonly<Record<string, unknown>>): HostDraft {
  const name = plain(sent.friendly_name);
  if (name === "" || name.length > MAX_NAME)
    throw new ApiError(400, `Friendly name must be 1 to ${MAX_NAME} characters`);
  const machine = plain(sent.machine_id).slice(0, MAX_NAME);
  return { friendly_name: name, ...(machine === "" ? {} : { machine_id: machine }) };
}

function bulkOf({ hosts }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(hosts) || hosts.length === 0 || hosts.length > MAX_BULK)
    throw new ApiError(400, `Hosts must be a list of 1 to ${MAX_BULK}`);
  return hosts.map((host: unknown) => (typeof host === "object" && host !== null ? { ...host } : {}));
}
