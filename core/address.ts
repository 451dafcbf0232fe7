import ipaddr from "ipaddr.js";

/** Which peers may say for whom they speak: nobody, everybody, or those within the listed networks. */
export type TrustedProxies = "none" | "all" | readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** Reads APP_PROXIES: empty, `*`, or addresses and CIDR ranges separated by commas. Throws for anything else. */
export function trustedProxies(setting: string): TrustedProxies {
  const text = setting.trim();
  if (text === "") return "none";
  if (text === "*" || text === "**") return "all";
  return text.split(",").map((part) => {
    const range = part.trim();
    try {
      const whole = ipaddr.process(range.split("/")[0] ?? "");
      return range.includes("/") ? ipaddr.parseCIDR(range) : [whole, whole.kind() === "ipv4" ? 32 : 128];
    } catch (cause) {
      throw new Error(`Cannot read APP_PROXIES: "${range}" is neither an address nor a CIDR range`, { cause });
    }
  });
}

/** The client's address: the peer's own, or what the nearest untrusted hop of X-Forwarded-For is. */
export function clientAddress(peer: string, forwarded: string | null, proxies: TrustedProxies): string {
  if (proxies === "none" || forwarded === null) return plain(peer);
  const hops = [...forwarded.split(",").map((hop) => hop.trim()), peer].filter((hop) => ipaddr.isValid(hop));
  for (let at = hops.length - 1; at > 0; at--) {
    const hop = hops[at] as string;
    if (!trusts(proxies, hop)) return plain(hop);
  }
  return plain(hops[0] ?? peer);
}

function trusts(proxies: TrustedProxies, address: string): boolean {
  if (proxies === "all") return true;
  if (proxies === "none") return false;
  const parsed = ipaddr.process(address);
  return proxies.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
}

/** IPv4 addresses that arrive mapped into IPv6 are shown as IPv4. */
function plain(address: string): string {
  if (!address.startsWith("::")) return address;
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
