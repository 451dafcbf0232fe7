/**
 * Who a client is by its address: the nearest hop that no trusted proxy forwarded, the networks that settings name, and the
 * key by which clients are counted. What a client claims about itself, in X-Forwarded-For or X-Request-Id, is believed of
 * trusted proxies alone.
 */
import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { BootError } from "../errors.ts";

/** The networks that a setting names: none, all, or a list. */
export type Networks = "none" | "all" | readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/**
 * The proxies whose X-Forwarded-For is trusted: APP_PROXIES, else TRUSTED_PROXIES (dashboard-stats 3.5). Throws BootError; see
 * `networksOf`.
 */
export function trustedProxies(setting: string, otherwise = ""): Networks {
  return setting.trim() === "" ? networksOf("TRUSTED_PROXIES", otherwise) : networksOf("APP_PROXIES", setting);
}

/**
 * Parses a setting: empty, `*`, or addresses and CIDR ranges separated by commas. Throws BootError for anything else.
 * @example
 * const readers = networksOf("NOTES_READERS", "127.0.0.1, 10.0.0.0/8");
 */
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
 * The client's address: that of the peer, or of the nearest hop in X-Forwarded-For that is not a trusted proxy. Hops are read
 * from the right, up to the first that is not an address: whatever is left of it may be forged (dashboard-stats 3.5).
 */
export function clientAddress(peer: string, forwarded: string | null, proxies: Networks): string {
  const own = unmapped(peer);
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

/** The address in a hop of X-Forwarded-For, which may have a port and brackets; undefined for anything else. */
function hopOf(text: string): string | undefined {
  const [, bracketed, ported] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? [];
  const address = (bracketed ?? ported ?? text).replace(/%.*$/s, "");
  // Stricter than the library, which takes "1" and octal numbers for addresses.
  if (isIP(address) === 0 || (bracketed !== undefined && isIPv4(address))) return undefined;
  return ipaddr.process(address).toString();
}

/** Groups of an IPv6 address that are its network prefix (64 bits); a client usually has all addresses of its network. */
const NETWORK_GROUPS = 4;

/** Networks of addresses that came lately, since each request of a guest asks for its own, and parsing takes as long as the rest of a request. */
const NETWORKS = new Map<string, string>();
const MAX_NETWORKS = 1_000;

/**
 * The key by which a client is counted: the address itself, or the /64 network of an IPv6 address.
 * @example
 * const tries = new ExpiringMap<{ count: number; endsAt: number }>(600_000);
 * const count = tries.get(networkOf("2001:db8::1"))?.count ?? 0;
 */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const known = NETWORKS.get(address);
  if (known !== undefined) return known;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const network = parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, NETWORK_GROUPS).join(":") : parsed.toString();
  if (NETWORKS.size >= MAX_NETWORKS) NETWORKS.clear();
  NETWORKS.set(address, network);
  return network;
}

/**
 * Whether networks contain an address.
 * @example
 * if (!isWithin(networksOf("NOTES_READERS", "10.0.0.0/8"), "10.1.2.3")) throw new ApiError(403, "This address is not allowed");
 */
export function isWithin(networks: Networks, address: string): boolean {
  if (networks === "all") return true;
  if (networks === "none") return false;
  const parsed = ipaddr.process(address);
  return networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
}

/** What the address of an IPv4 client begins with on a socket of both families. */
const MAPPED = "::ffff:";

/** An IPv4 address that is mapped into IPv6, as IPv4; other addresses as they are. */
function unmapped(address: string): string {
  if (!address.startsWith("::")) return address;
  const rest = address.slice(MAPPED.length);
  if (address.startsWith(MAPPED) && isIPv4(rest)) return rest;
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

const REQUEST_ID = /^[A-Za-z0-9-]{1,64}$/;

/** The `X-Request-Id` of a trusted proxy; undefined for other peers, and for an id of another form. */
export function requestIdOf(peer: string, headers: Headers, proxies: Networks): string | undefined {
  if (proxies === "none") return undefined;
  const id = headers.get("x-request-id");
  if (id === null || !REQUEST_ID.test(id)) return undefined;
  return isTrustedPeer(peer, proxies) ? id : undefined;
}

/** Whether the other end of a connection is a trusted proxy. */
export function isTrustedPeer(peer: string, proxies: Networks): boolean {
  if (proxies === "none" || proxies === "all") return proxies === "all";
  const own = unmapped(peer);
  return isIP(own) !== 0 && isWithin(proxies, own);
}
