/** Checks of the operator's settings: addresses and proxies that do not fit, and variables that nothing reads. */
import { baseUrlOf, misspeltText, misspeltVariables } from "lectern/cli";
import { Findings, type SelfCheck } from "lectern/contracts";
import type { AnyPlugin, CheckedParts } from "lectern/core";

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** APP_URL, HOST and APP_PROXIES fit each other. */
export function addressCheck(config: CheckedParts["config"]): SelfCheck {
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
      for (const one of misspeltVariables(env, plugins)) findings.add(misspeltText(one));
      return findings.as("warning", "Correct or remove them: nothing reads them.");
    },
  };
}
