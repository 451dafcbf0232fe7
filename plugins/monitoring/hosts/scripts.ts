/**
 * Scripts that machines run to enrol and to report (dashboard-stats 6.3), at PatchMon's paths, so that its enrolment scripts
 * work unchanged. Requests have their credentials in headers; the script in the answer contains them, as it is run as received. URLs
 * never contain credentials.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ApiError, endpoint, rules, SECOND_MS } from "lectern/core";
import { agentAnswers, scriptSchema } from "./answers.ts";
import type { HostsContext } from "./contract.ts";
import { spreadCronOf } from "./interval.ts";
import { agentVersionOf } from "./queries.ts";
import { hostOf } from "./route_scope.ts";

const file = (name: string) => join(import.meta.dir, name);
const REPORTER = file("reporter.sh");
const PERMIT = "access-api" as const;
const TYPES: ReadonlySet<unknown> = new Set(["direct-host", "proxmox-lxc"]);
const WRONG_TYPE = new ApiError(400, `The type must be one of ${[...TYPES].join(", ")}`);
/** The characters of credentials; nothing else is put into a script. */
const typeRules = rules({ type: ["required", "string", "in:direct-host,proxmox-lxc"] });
const CREDENTIAL = /^[\w-]{1,255}$/;
const BAD_CREDENTIAL = new ApiError(400, "Such credentials cannot stand in a script");

/** Mounts the routes; `intervalMinutes` is the time between reports. */
export function mountScripts(context: HostsContext, intervalMinutes: number): void {
  mountInstaller(context, intervalMinutes);
  mountEnroller(context);
}

function mountInstaller({ app, baseUrl, db }: HostsContext, intervalMinutes: number): void {
  const reporter = readFileSync(REPORTER, "utf8").trimEnd();
  const installer = readFileSync(file("install.sh"), "utf8").replace("#REPORTER#", () => reporter);
  app.get(
    "/v1/hosts/install",
    ({ request: { headers }, viewer }) =>
      script(installer, {
        URL: urlOf(baseUrl),
        API_ID: credential(headers, "x-api-id"),
        API_KEY: credential(headers, "x-api-key"),
        SCHEDULE: spreadCronOf(intervalMinutes, hostOf(viewer).id),
      }),
    {
      permit: PERMIT,
      response: scriptSchema,
      ...endpoint("hosts", "install", {
        about: "A shell script that installs the reporter for the host of the credentials; run it as root.",
        errors: [400],
      }),
    },
  );
  const { mtime } = statSync(REPORTER);
  app.get(
    "/v1/hosts/agent/timestamp",
    // An agent that learns of a newer version would replace itself with it.
    async ({ viewer }) => ({
      exists: false,
      version: await agentVersionOf({ db }, hostOf(viewer).id),
      lastModified: mtime.toISOString(),
      timestamp: Math.floor(mtime.getTime() / SECOND_MS),
    }),
    {
      permit: PERMIT,
      response: agentAnswers.timestamp,
      ...endpoint("hosts", "timestamp", { about: "Tells agents that there is no newer version." }),
    },
  );
}

function mountEnroller({ app, baseUrl }: HostsContext): void {
  const enroller = readFileSync(file("enrol.sh"), "utf8");
  app.get(
    "/v1/auto-enrollment/script",
    ({ request: { headers }, nestedQuery }) => {
      if (!TYPES.has(nestedQuery.type)) throw WRONG_TYPE;
      return script(enroller, {
        URL: urlOf(baseUrl),
        KEY: credential(headers, "x-auto-enrollment-key"),
        SECRET: credential(headers, "x-auto-enrollment-secret"),
        TYPE: String(nestedQuery.type),
      });
    },
    {
      permit: PERMIT,
      response: scriptSchema,
      ...endpoint("auto-enrollment", "script", {
        query: typeRules,
        errors: [400],
        about:
          "A shell script that enrols the machine it runs on (`type=direct-host`), or the containers of a Proxmox host " +
          "(`type=proxmox-lxc`), and installs the reporter. Headers: X-Auto-Enrollment-Key, X-Auto-Enrollment-Secret.",
      }),
    },
  );
}

/** A script below its variables. Values must not contain single quotes. */
function script(body: string, values: Readonly<Record<string, string>>): Response {
  const variables = Object.entries(values).map(([name, value]) => `${name}='${value}'\n`);
  return new Response(`#!/bin/sh\n${variables.join("")}${body}`, {
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
}

function credential(headers: Headers, name: string): string {
  const value = headers.get(name) ?? "";
  if (!CREDENTIAL.test(value)) throw BAD_CREDENTIAL;
  return value;
}

function urlOf(baseUrl: string): string {
  return baseUrl.replaceAll("'", "%27");
}
