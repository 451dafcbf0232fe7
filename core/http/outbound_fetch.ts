/**
 * The `fetch` of plugins: only to hosts that the plugin was granted, and to private, loopback or link-local addresses only if
 * the operator allows them. The connection goes to the address that was checked, so that a second DNS answer has no effect.
 * Redirects are returned to the caller and not followed.
 */
import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { isWithin, type Networks, networksOf } from "./client_address.ts";

/** A `fetch` that throws OutgoingError for hosts and addresses that are not allowed. */
export type OutgoingFetch = (url: string | URL, init?: BunFetchRequestInit) => Promise<Response>;

/**
 * The reason for which a call was not made.
 * @example
 * try {
 *   await context.fetch("https://notes.example.com/ping");
 * } catch (error) {
 *   if (error instanceof OutgoingError) context.log.warn("Cannot call the notes server", { error });
 * }
 */
export class OutgoingError extends Error {
  override readonly name = "OutgoingError";
}

/** The hosts and addresses that calls may reach. */
export interface OutgoingRules {
  /** The host names that the plugin was granted, with a leading `*.` for sub-domains; `"any"` for all. */
  readonly hosts: readonly string[] | "any";
  /** Private networks that the operator allows: CIDR ranges, or `*`. Metadata addresses must be named one by one. */
  readonly allowPrivate: string;
}

/** Resolves a host name; replaced in tests. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

/** Creates the `fetch` of one plugin. Throws BootError if `allowPrivate` cannot be parsed. */
export function outgoingFetch(
  rules: OutgoingRules,
  resolve: Resolve = (host) => lookup(host, { all: true }),
): OutgoingFetch {
  const allowed = networksOf("ALLOW_PRIVATE_HOSTS", rules.allowPrivate);
  return async (target, init = {}) => {
    const url = new URL(target);
    if (url.protocol !== "http:" && url.protocol !== "https:")
      throw notAllowed(url, "only http and https are supported");
    if (!isGranted(rules.hosts, url.hostname)) throw notAllowed(url, "the plugin was not granted this host");
    const address = await untilAborted(addressOf(url, allowed, resolve), init.signal);
    const headers = new Headers(init.headers);
    headers.set("host", url.host);
    const pinned = new URL(url);
    pinned.hostname = address.includes(":") ? `[${address}]` : address;
    // The URL holds the address; the certificate is checked against the name.
    const tls = url.protocol === "https:" ? { tls: { ...init.tls, serverName: withoutBrackets(url.hostname) } } : {};
    return fetch(pinned, { ...init, headers, redirect: "manual", ...tls });
  };
}

/** Whether an address is neither private, loopback, link-local, reserved nor otherwise special. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast" && !isMetadata(address);
}

/** Metadata services of clouds, beside the link-local IPv4 addresses. */
const METADATA = ["fd00:ec2::254", "fd20:ce::254", "100.100.100.200"].map((one) => ipaddr.parse(one).toString());
const LINK_LOCAL = ipaddr.IPv4.parseCIDR("169.254.0.0/16");

/** Whether an address is of a metadata service, or an IPv4 address in a deprecated IPv6 form. Ranges do not allow these. */
function isMetadata(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (METADATA.includes(parsed.toString())) return true;
  if (parsed instanceof ipaddr.IPv4) return parsed.match(LINK_LOCAL);
  const bytes = parsed.toByteArray();
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12).some((byte) => byte > 1);
  return isCompatible || embedded(parsed, bytes).some((inner) => isMetadata(inner));
}

/** The IPv4 address embedded in an IPv6 address: at the end for NAT64 and similar, near the beginning for 6to4. */
function embedded(address: ipaddr.IPv6, bytes: readonly number[]): string[] {
  const range = address.range();
  if (range === "rfc6052" || range === "rfc6145") return [bytes.slice(12).join(".")];
  return range === "6to4" ? [bytes.slice(2, 6).join(".")] : [];
}

/** Whether the operator allowed exactly this address. */
function isNamed(allowed: Networks, address: string): boolean {
  if (typeof allowed === "string") return false;
  const wanted = ipaddr.process(address).toString();
  return allowed.some(([network, bits]) => bits === network.toByteArray().length * 8 && network.toString() === wanted);
}

async function addressOf(url: URL, allowed: Networks, resolve: Resolve): Promise<string> {
  const host = withoutBrackets(url.hostname);
  const found = ipaddr.isValid(host) ? [{ address: host }] : await resolve(host);
  const mayReach = ({ address }: { address: string }) =>
    isPublic(address) || (isMetadata(address) ? isNamed(allowed, address) : isWithin(allowed, address));
  const [first] = found;
  // All addresses of the name must be allowed, since a retry may use another one.
  if (!first || !found.every(mayReach))
    throw notAllowed(url, "it is a private or reserved address, which ALLOW_PRIVATE_HOSTS does not open");
  return first.address;
}

/** Waits until the signal aborts, as DNS lookups have no timeout. Throws the reason of the signal. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    // No deadline of its own: the caller's signal may abort for any reason.
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function isGranted(hosts: OutgoingRules["hosts"], hostname: string): boolean {
  if (hosts === "any") return true;
  return hosts.some((host) => (host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host));
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function notAllowed(url: URL, reason: string): OutgoingError {
  return new OutgoingError(`Cannot call "${url.host}": ${reason}`);
}
