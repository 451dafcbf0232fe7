import ipaddr from "ipaddr.js";

/** Groups of an IPv6 address that are its network prefix (64 bits); a client usually has all addresses of its network. */
const NETWORK_GROUPS = 4;

/** The key by which attempts of an address are counted: the address itself, or the /64 network of an IPv6 address. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, NETWORK_GROUPS).join(":") : parsed.toString();
}
