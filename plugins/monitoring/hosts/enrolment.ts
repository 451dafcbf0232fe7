/**
 * Enrolment: scripts with an enrolment key create hosts, up to a daily limit (dashboard-stats 6.3). Requests and answers are those
 * of PatchMon. The limit is counted in the transaction that creates the host. A machine that sends a known machine id keeps
 * its host and gets new credentials.
 */
import {
  ApiError,
  type Contracts,
  type EventTransaction,
  endpoint,
  frozenViewer,
  GUEST,
  type RouteScope,
  rules,
  schemaOf,
  sql,
  type Viewer,
} from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { type EnrolledHost, enrolmentAnswers, enrolmentErrorSchema, type FailedHost } from "./answers.ts";
import { textOf } from "./body.ts";
import { type HostCredentials, insertHost, randomCredentials, renewHost } from "./changes.ts";
import type { HostDraft, HostFacts, HostsContext } from "./contract.ts";
import { objectOf } from "./parse_report.ts";
import { perMinute } from "./per_minute.ts";
import { agentError, headerScheme } from "./route_scope.ts";
import { normalizeText } from "./section_hashes.ts";

type Keys = Contracts["dashboard_keys"];

const PREFIX = "/v1/auto-enrollment";
const PER_MINUTE = 60;
const MAX_BYTES = 64 * 1024;
const MAX_NAME = 255;
const MAX_BULK = 50;
const KEYS = new WeakMap<Viewer, number>();

const REQUIRED = new ApiError(401, "Auto-enrollment credentials required");
const INVALID = new ApiError(401, "Invalid or inactive token");
const REJECTIONS = {
  unknown: INVALID,
  type: INVALID,
  inactive: INVALID,
  secret: new ApiError(401, "Invalid token secret"),
  expired: new ApiError(401, "Token expired"),
  address: new ApiError(403, "IP address not authorized for this token"),
} as const;
const UNAVAILABLE = new ApiError(503, "Service temporarily unavailable", { headers: { "retry-after": "5" } });
const LIMIT_REACHED = new ApiError(429, "Rate limit exceeded", {
  extra: { message: "This token has enrolled as many hosts as it may in a day" },
});
/** Attempts at enrolling a machine whose host is created or deleted concurrently. */
const ATTEMPTS = 3;
const CHANGED = new ApiError(409, "This machine is being enrolled or removed by somebody else");

const hostRules = rules({
  friendly_name: ["required", "string", "min:1", "max:255"],
  machine_id: ["string", "max:255"],
});
const bulkRules = rules({ hosts: ["required", "array", "max:50"] });

/** Mounts enrolment, one host or up to fifty at a time. */
export function mountEnrolment(context: HostsContext): void {
  const { app, contracts, log } = context;
  context.routeScope(PREFIX, enrolmentScope(context));
  context.contribute("credential_scheme", {
    prefixes: [PREFIX],
    schemes: {
      enrolmentKey: headerScheme("X-Auto-Enrollment-Key"),
      enrolmentSecret: headerScheme("X-Auto-Enrollment-Secret"),
    },
    error: enrolmentErrorSchema,
  });
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
      response: { 201: enrolmentAnswers.one },
      ...endpoint("auto-enrollment", "enroll", {
        about:
          "Creates a host and shows its credentials, only in this answer. A known machine keeps its host and gets new ones. " +
          "Headers: X-Auto-Enrollment-Key, X-Auto-Enrollment-Secret.",
        rules: hostRules,
        errors: [409],
      }),
    },
  );
  app.post(
    "/v1/auto-enrollment/enroll/bulk",
    async ({ request, viewer, set }) => {
      const sent = bulkOf(objectOf(await textOf(request, MAX_BYTES)));
      const success: EnrolledHost[] = [];
      const failed: FailedHost[] = [];
      for (const [at, host] of sent.entries()) {
        try {
          success.push(await enrol(viewer, draftOf(host)));
        } catch (error) {
          // Keys are shown only here: those of hosts that were created must not be lost with the answer.
          if (!(error instanceof ApiError) && success.length === 0) throw error;
          if (!(error instanceof ApiError)) log.error("Cannot enrol a host", { error });
          const reason = error instanceof ApiError ? error.message : "An error occurred";
          failed.push({
            friendly_name: normalizeText(host.friendly_name) || `host ${at + 1} of the list`,
            error: reason,
          });
        }
      }
      set.status = 201;
      const message = `Bulk enrollment completed: ${success.length} succeeded, ${failed.length} failed`;
      return { message, results: { success, failed, skipped: [] } };
    },
    {
      permit: "access-api",
      response: { 201: enrolmentAnswers.bulk },
      ...endpoint("auto-enrollment", "enroll-bulk", {
        about: "The same for up to fifty hosts; rejected ones are listed with the reason.",
        rules: bulkRules,
        fields: { hosts: { items: schemaOf(hostRules) } },
      }),
    },
  );
}

function enrolmentScope({ contracts, log }: HostsContext): RouteScope {
  const limit = perMinute(PER_MINUTE);
  return {
    limiter: null,
    ownBodies: true,
    formatError: agentError,
    async authenticate({ headers }, address) {
      limit.take(address);
      const [key, secret] = [headers.get("x-auto-enrollment-key"), headers.get("x-auto-enrollment-secret")];
      if (!key || !secret) return REQUIRED;
      let check: Awaited<ReturnType<Keys["check"]>>;
      try {
        check = await contracts.dashboard_keys.check("enrolment", key, secret, address);
      } catch (error) {
        log.error("Cannot check a key", { error });
        return UNAVAILABLE;
      }
      return "refused" in check ? REJECTIONS[check.refused] : viewerOf(check);
    },
  };
}

/** The viewer of a key: no user, with the name of the key. */
function viewerOf({ id, name }: { id: number; name: string }): Viewer {
  const viewer = frozenViewer({ ...GUEST, name, slug: "", via: "key" });
  KEYS.set(viewer, id);
  return viewer;
}

async function enrolHost(context: HostsContext, keys: Keys, viewer: Viewer, draft: HostDraft) {
  const credentials: HostCredentials = randomCredentials();
  const key = KEYS.get(viewer) as number;
  const spend = async (tx: EventTransaction) => {
    if (!(await keys.spend(key, 1, tx))) throw LIMIT_REACHED;
  };
  for (let attempt = 1; ; attempt++) {
    try {
      const known = await knownHost(context.db, draft);
      const host = known
        ? await context.perform("host_update", viewer, { row: known, draft: {} }, async (final, tx) => {
            await spend(tx);
            return renewHost(final.row, draft, credentials, tx);
          })
        : await context.perform("host_create", viewer, draft, async (final, tx) => {
            await lockMachine(final, tx);
            if (await knownHost(tx.db, final)) throw CHANGED;
            await spend(tx);
            return insertHost(final, credentials, tx);
          });
      return shown(host, credentials);
    } catch (error) {
      const isRace = error === CHANGED || (error instanceof ApiError && error.status === 404);
      if (!isRace || attempt === ATTEMPTS) throw isRace ? CHANGED : error;
    }
  }
}

function shown({ id, name, status }: HostFacts, credentials: HostCredentials) {
  return { id, friendly_name: name, ...credentials, host_group: null, status };
}

const findMachine = prepared("hosts.findMachine", (db, p: { machine: string; name: string }) =>
  db
    .selectFrom("hosts")
    .select(["id", "friendly_name as name", "status"])
    .where((eb) =>
      eb.or([
        eb("enrolled_as", "=", p.machine),
        eb.and([eb("enrolled_as", "is", null), eb("machine_id", "=", p.machine)]),
      ]),
    )
    .orderBy((eb) => eb("friendly_name", "<>", p.name))
    .orderBy("id")
    .limit(sql.lit(1)),
);

/** The host of a machine; where several share a machine id, as clones do, the one with the same name. */
async function knownHost(
  db: Executor,
  { machine_id: machine, friendly_name: name }: HostDraft,
): Promise<HostFacts | undefined> {
  if (machine === undefined) return undefined;
  return findMachine.executeTakeFirst(db, { machine, name });
}

const lock = prepared("hosts.lockMachine", (db, p: { machine: string }) =>
  db.selectNoFrom(sql`pg_advisory_xact_lock(hashtext('hosts:machine'), hashtext(${p.machine}))`.as("locked")),
);

/** Serialises scripts that enrol the same machine at the same time. */
async function lockMachine({ machine_id: machine }: HostDraft, { db }: EventTransaction): Promise<void> {
  if (machine === undefined) return;
  await lock.execute(db, { machine });
}

function draftOf(sent: Readonly<Record<string, unknown>>): HostDraft {
  const name = normalizeText(sent.friendly_name);
  if (name === "" || name.length > MAX_NAME)
    throw new ApiError(400, `Friendly name must be 1 to ${MAX_NAME} characters`);
  const machine = normalizeText(sent.machine_id).slice(0, MAX_NAME);
  return { friendly_name: name, ...(machine === "" ? {} : { machine_id: machine }) };
}

function bulkOf({ hosts }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(hosts) || hosts.length === 0 || hosts.length > MAX_BULK)
    throw new ApiError(400, `Hosts must be a list of 1 to ${MAX_BULK}`);
  return hosts.map((host: unknown) => (typeof host === "object" && host !== null ? { ...host } : {}));
}
