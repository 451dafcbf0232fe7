import ipaddr from "ipaddr.js";

/** Groups of an IPv6 address that name its network; whoever has one address of it has them all. */
const NETWORK_GROUPS = 4;

/** What an address counts as for limits: itself, or the network of 64 bits where it is IPv6. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, NETWORK_GROUPS).join(":") : parsed.toString();
}
