/**
 * An address with `precision` of its four parts and `x` for the others (platform 6.1). A part of an IPv6 address is two of its
 * eight groups; a masked one is written without `::`. A text that is no address is masked as a whole if the precision is 0.
 */
export function maskAddress(address: string, precision: number): string {
  if (address === "") return "";
  if (precision >= 4) return address;
  const groups = address.includes(":") ? groupsOf(address) : address.split(".");
  const separator = address.includes(":") ? ":" : ".";
  const kept = Math.max(0, precision) * (groups.length / 4);
  return groups.map((group, at) => (at < kept ? group : "x")).join(separator);
}

/** The eight groups of an IPv6 address with `::` expanded; a mapped IPv4 part becomes two groups. */
function groupsOf(address: string): string[] {
  const plain = address.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(":"),
  );
  const [head = "", tail] = plain.split("::");
  const before = head === "" ? [] : head.split(":");
  if (tail === undefined) return before;
  const after = tail === "" ? [] : tail.split(":");
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0"), ...after];
}
