import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { BootError } from "../errors.ts";

/** Addresses an operator names in a setting: none, all, or those within the listed networks. */
export type Networks = "none" | "all" | readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/**
 * Reads APP_PROXIES: which peers may say for whom they speak. Where it is empty, TRUSTED_PROXIES is read instead, as the
 * contract of the dashboard calls it. Throws BootError; see `networksOf`.
 */
export function trustedProxies(setting: string, otherwise = ""): Networks {
  return setting.trim() === "" ? networksOf("TRUSTED_PROXIES", otherwise) : networksOf("APP_PROXIES", setting);
}

/** Reads a setting: empty, `*`, or addresses and CIDR ranges separated by commas. Throws BootError for anything else. */
export function networksOf(variable: string, setting: string): Networks {
  const text = setting.trim();
  if (text === "") return "none";
  if (text === "*" || text === "**") return "all";
  return text.split(",").map((part) => {
    const range = part.trim();
    try {
      const whole = ipaddr.process(range.split("/")[0] ?? "");
      return range.includes("/") ? ipaddr.parseCIDR(range) : [whole, whole.kind() === "ipv4" ? 32 : 128];
    } catch (cause) {
      throw new BootError(`Cannot read ${variable}: "${range}" is neither an address nor a CIDR range`, { cause });
    }
  });
}

/**
 * The client's address: the peer's own, or what the nearest untrusted hop of X-Forwarded-For is. The walk goes from the
 * right and ends at the last address that could be read: what stands before a hop that is none may be anybody's invention
 * (dashboard-stats 3.5).
 */
export function clientAddress(peer: string, forwarded: string | null, proxies: Networks): string {
  const own = plain(peer);
  if (proxies === "none" || forwarded === null) return own;
  const isTrusted = (address: string) => proxies === "all" || (isIP(address) !== 0 && isWithin(proxies, address));
  let nearest = own;
  for (const text of forwarded.split(",").reverse()) {
    if (!isTrusted(nearest)) break;
    const hop = hopOf(text.trim());
    if (hop === undefined) break;
    nearest = hop;
  }
  return nearest;
}

/** A hop as proxies write it: an address, with its port and in brackets where they like; undefined for anything else. */
function hopOf(text: string): string | undefined {
  const [, bracketed, ported] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? [];
  const address = (bracketed ?? ported ?? text).replace(/%.*$/s, "");
  // Stricter than the library, which takes "1" and octal numbers for addresses.
  if (isIP(address) === 0 || (bracketed !== undefined && isIPv4(address))) return undefined;
  return ipaddr.process(address).toString();
}

/** Whether an address lies within networks. */
export function isWithin(networks: Networks, address: string): boolean {
  if (networks === "all") return true;
  if (networks === "none") return false;
  const parsed = ipaddr.process(address);
  return networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
}

/** IPv4 addresses that arrive mapped into IPv6 are shown as IPv4. */
function plain(address: string): string {
  if (!address.startsWith("::")) return address;
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
