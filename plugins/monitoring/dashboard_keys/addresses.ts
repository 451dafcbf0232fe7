import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** A network: its address and the length of its prefix in bits. */
export type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** Bits before the IPv4 address in one that is mapped into IPv6. */
const MAPPED_BITS = 96;

/** Parses an address or a CIDR range; undefined for anything else. IPv4 mapped into IPv6 becomes IPv4, a zone is dropped. */
export function networkOf(text: string): Network | undefined {
  const [, address = "", bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const parsed = addressOf(address);
  if (!parsed) return undefined;
  const isMapped = parsed.kind() === "ipv4" && !isIPv4(address);
  const size = parsed.kind() === "ipv4" ? 32 : 128;
  const counted = bits === undefined ? size : Number(bits) - (isMapped ? MAPPED_BITS : 0);
  return counted >= 0 && counted <= size ? [parsed, counted] : undefined;
}

/** Whether an address lies in one of the networks. */
export function isIn(networks: readonly Network[], address: string): boolean {
  const parsed = addressOf(address);
  if (!parsed) return false;
  return networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
}

/** Stricter than the library, which accepts "10.1" and octal numbers. */
function addressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = text.replace(/^([^%]*)%.*$/, "$1");
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare);
}
