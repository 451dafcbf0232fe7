/** Checks of the operator's settings: addresses and proxies that do not fit, and variables that nothing reads. */
import { closestMatch } from "../closest_match.ts";
import { baseUrlOf, type Config, configSchema } from "../config.ts";
import type { SelfCheck } from "../contracts/self_check.ts";
import { variablesOf } from "../runtime/operator_choices.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { Findings } from "./findings.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** APP_URL, HOST and APP_PROXIES fit each other. */
export function addressCheck(config: Config): SelfCheck {
  return {
    name: "core/addresses",
    title: "APP_URL and APP_PROXIES fit each other",
    check() {
      const findings = new Findings();
      const { hostname, protocol } = new URL(baseUrlOf(config));
      const isLocal = LOOPBACK.test(hostname);
      const proxies = config.proxies.trim();
      if (proxies === "*" || proxies === "**")
        findings.add("APP_PROXIES is *: any client can claim any address; list the addresses of the proxies");
      if (proxies !== "" && config.appUrl === "")
        findings.add("APP_PROXIES is set and APP_URL is not: answers name the address behind the proxy");
      if (proxies === "" && protocol === "https:")
        findings.add(
          "APP_URL is https, so a proxy is in front, and APP_PROXIES is empty: all clients share its address",
        );
      if (!isLocal && protocol === "http:") findings.add("APP_URL is http: passwords travel unencrypted");
      if (isLocal && config.appUrl !== "" && proxies !== "")
        findings.add(`APP_URL is ${hostname}, which only this machine reaches`);
      return findings.as("warning", "Set APP_URL to the address that clients use, APP_PROXIES to that of the proxy.");
    },
  };
}

/** Variables that resemble those of Lectern and its plugins, and are none: most likely misspelt, or of a plugin that is left out. */
export function variablesCheck(
  env: Readonly<Record<string, string | undefined>>,
  plugins: readonly AnyPlugin[],
): SelfCheck {
  return {
    name: "core/variables",
    title: "Every environment variable that looks like a setting is one",
    check() {
      const findings = new Findings();
      const core = Object.values(configSchema.properties).map((field) => String(field.env));
      const known = new Set([...core, ...plugins.flatMap(variablesOf), ...ELSEWHERE]);
      const families = familiesOf(known);
      for (const name of Object.keys(env).sort()) {
        if (known.has(name) || !families.has(familyOf(name))) continue;
        const near = closestMatch(name, [...known]);
        findings.add(`${name} is no setting${near === undefined ? "" : `; did you mean ${near}?`}`);
      }
      return findings.as("warning", "Correct or remove them: nothing reads them.");
    },
  };
}

/** Variables that commands and the start read outside of settings. */
const ELSEWHERE = ["MIGRATE_TOKEN", "LOG_FORMAT"];
/** Variables that share a first word are a family; a single one, such as HOST, is none. */
const FAMILY = 3;

function familyOf(name: string): string {
  return name.slice(0, name.indexOf("_") + 1);
}

function familiesOf(known: ReadonlySet<string>): ReadonlySet<string> {
  const sizes = new Map<string, number>();
  for (const name of known) sizes.set(familyOf(name), (sizes.get(familyOf(name)) ?? 0) + 1);
  sizes.delete("");
  return new Set([...sizes].filter(([, size]) => size >= FAMILY).map(([family]) => family));
}
