/**
 * The hosts that a plugin may call: those that it names, and for `setting:NAME` those of the URLs or host names that the operator
 * gives in that setting of the plugin, separated by commas or spaces. A plugin whose server the operator chooses needs no "any" so.
 */
import type { TObject } from "@sinclair/typebox";
import { BootError } from "../errors.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";

const PREFIX = "setting:";
/** A host name, with a leading `*.` for its sub-domains, an IPv4 address, or an IPv6 address in brackets. */
const HOST = /^(?:(?:\*\.)?[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/;

/** The names of the settings whose hosts a plugin may call. */
export function hostSettings({ net = [] }: Pick<Grants, "net">): string[] {
  if (net === "any") return [];
  return net.filter((host) => host.startsWith(PREFIX)).map((host) => host.slice(PREFIX.length));
}

/**
 * The hosts of a plugin's grant `net`. Throws BootError that names the plugin and the setting, without its value, where it is
 * neither a URL nor a host name.
 */
export function grantedHosts(
  { name, settings: schema }: Pick<AnyPlugin, "name" | "settings">,
  net: NonNullable<Grants["net"]>,
  settings: Readonly<Record<string, unknown>>,
): readonly string[] | "any" {
  if (net === "any") return net;
  const named = net.filter((host) => !host.startsWith(PREFIX));
  const given = hostSettings({ net }).flatMap((field) =>
    [settings[field] ?? ""]
      .flat()
      .flatMap((value) => String(value).split(/[\s,]+/))
      .filter((text) => text !== "")
      .map((text) => {
        const host = hostOf(text);
        if (host !== undefined) return host;
        throw new BootError(
          `Cannot read the settings of "${name}": ${shownSetting(schema, field)}: expected a URL or a host name, or several separated by commas`,
        );
      }),
  );
  return [...named, ...given];
}

/** A host as it is shown to operators: for that of a setting the variable, if it has one. */
export function shownHost({ settings }: Pick<AnyPlugin, "settings">, host: string): string {
  if (!host.startsWith(PREFIX)) return host;
  const field = host.slice(PREFIX.length);
  const variable: unknown = settings?.properties[field]?.env;
  return typeof variable === "string" ? `${host} (${variable})` : host;
}

function shownSetting(schema: TObject | undefined, field: string): string {
  const variable: unknown = schema?.properties[field]?.env;
  return typeof variable === "string" ? variable : field;
}

function hostOf(text: string): string | undefined {
  if (text.includes("://")) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url && (url.protocol === "http:" || url.protocol === "https:") ? url.hostname : undefined;
  }
  const name = text.toLowerCase().replace(/:\d+$/, "");
  return HOST.test(name) ? name : undefined;
}
