import ipaddr from "ipaddr.js";
import { BootError } from "./errors.ts";

/** Addresses an operator names in a setting: none, all, or those within the listed networks. */
export type Networks = "none" | "all" | readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** Reads APP_PROXIES: which peers may say for whom they speak. Throws BootError; see `networksOf`. */
export function trustedProxies(setting: string): Networks {
  return networksOf("APP_PROXIES", setting);
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

/** The client's address: the peer's own, or what the nearest untrusted hop of X-Forwarded-For is. */
export function clientAddress(peer: string, forwarded: string | null, proxies: Networks): string {
  if (proxies === "none" || forwarded === null) return plain(peer);
  const hops = [...forwarded.split(",").map((hop) => hop.trim()), peer].filter((hop) => ipaddr.isValid(hop));
  for (let at = hops.length - 1; at > 0; at--) {
    const hop = hops[at] as string;
    if (!isWithin(proxies, hop)) return plain(hop);
  }
  return plain(hops[0] ?? peer);
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
