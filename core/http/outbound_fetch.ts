/**
 * Calls to other servers, as plugins make them: only to hosts the plugin was granted, never to private, loopback or
 * link-local addresses unless the operator allows them, and always to the very address that was checked, so that a name
 * that resolves differently the second time gains nothing. Redirects are handed back to the caller, not followed.
 */
import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { isWithin, type Networks, networksOf } from "./client_address.ts";

/** A `fetch` that refuses what the plugin or the operator did not allow. Throws OutgoingError. */
export type OutgoingFetch = (url: string | URL, init?: BunFetchRequestInit) => Promise<Response>;

/**
 * Why a call was not made.
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

/** What an outgoing call may reach. */
export interface OutgoingRules {
  /** Host names the plugin was granted, with a leading `*.` for sub-domains; `"any"` for all; none by default. */
  readonly hosts: readonly string[] | "any";
  /** Private networks the operator opened: CIDR ranges, or `*`; addresses of `isSealed` are opened one by one alone. */
  readonly allowPrivate: string;
}

/** Resolves a host name; replaced in tests. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

/** Makes the `fetch` of one plugin. Throws BootError where the operator's networks cannot be read. */
export function outgoingFetch(
  rules: OutgoingRules,
  resolve: Resolve = (host) => lookup(host, { all: true }),
): OutgoingFetch {
  const open = networksOf("ALLOW_PRIVATE_HOSTS", rules.allowPrivate);
  return async (target, init = {}) => {
    const url = new URL(target);
    if (url.protocol !== "http:" && url.protocol !== "https:") throw refusal(url, "only http and https are spoken");
    if (!granted(rules.hosts, url.hostname)) throw refusal(url, "the plugin was not granted this host");
    const address = await inTime(reachable(url, open, resolve), init.signal);
    const headers = new Headers(init.headers);
    headers.set("host", url.host);
    const pinned = new URL(url);
    pinned.hostname = address.includes(":") ? `[${address}]` : address;
    // The certificate must be that of the name, though the call goes to the address.
    const tls = url.protocol === "https:" ? { tls: { ...init.tls, serverName: bare(url.hostname) } } : {};
    return fetch(pinned, { ...init, headers, redirect: "manual", ...tls });
  };
}

/** Whether an address is neither private, loopback, link-local, reserved nor otherwise special. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast" && !isSealed(address);
}

/** Where clouds tell their machines secrets, beside the link-local IPv4 addresses. */
const METADATA = ["fd00:ec2::254", "fd20:ce::254", "100.100.100.200"].map((one) => ipaddr.parse(one).toString());
const LINK_LOCAL = ipaddr.IPv4.parseCIDR("169.254.0.0/16");

/** Whether an address is one that no range opens, however wide: of metadata, or IPv4 in an outdated disguise. */
function isSealed(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (METADATA.includes(parsed.toString())) return true;
  if (parsed instanceof ipaddr.IPv4) return parsed.match(LINK_LOCAL);
  const bytes = parsed.toByteArray();
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12).some((byte) => byte > 1);
  return isCompatible || within(parsed, bytes).some((inner) => isSealed(inner));
}

/** IPv4 addresses that an IPv6 address stands for: behind NAT64 and its like in its end, in 6to4 near its beginning. */
function within(address: ipaddr.IPv6, bytes: readonly number[]): string[] {
  const range = address.range();
  if (range === "rfc6052" || range === "rfc6145") return [bytes.slice(12).join(".")];
  return range === "6to4" ? [bytes.slice(2, 6).join(".")] : [];
}

/** Whether the operator named this address and no other with it. */
function isNamed(open: Networks, address: string): boolean {
  if (typeof open === "string") return false;
  const wanted = ipaddr.process(address).toString();
  return open.some(([network, bits]) => bits === network.toByteArray().length * 8 && network.toString() === wanted);
}

async function reachable(url: URL, open: Networks, resolve: Resolve): Promise<string> {
  const host = bare(url.hostname);
  const found = ipaddr.isValid(host) ? [{ address: host }] : await resolve(host);
  const mayReach = ({ address }: { address: string }) =>
    isPublic(address) || (isSealed(address) ? isNamed(open, address) : isWithin(open, address));
  const [first] = found;
  // One forbidden address among several is refused too: which one a later attempt would take is not ours to choose.
  if (!first || !found.every(mayReach))
    throw refusal(url, "it is a private or reserved address, which ALLOW_PRIVATE_HOSTS does not open");
  return first.address;
}

/** Resolving a name knows no limit of its own, and must not outlast the call it is for. Throws the signal's reason. */
async function inTime<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function granted(hosts: OutgoingRules["hosts"], hostname: string): boolean {
  if (hosts === "any") return true;
  return hosts.some((host) => (host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host));
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function refusal(url: URL, reason: string): OutgoingError {
  return new OutgoingError(`Cannot call "${url.host}": ${reason}`);
}
