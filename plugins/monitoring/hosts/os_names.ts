/** The stored name of an operating system, and the names that agents send, in lower case (dashboard-stats 1.3). */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  Ubuntu: ["ubuntu"],
  Debian: ["debian", "debian gnu/linux"],
  "Red Hat Enterprise Linux": ["rhel", "red hat enterprise linux", "red hat enterprise linux server"],
  "Rocky Linux": ["rocky", "rocky linux"],
  AlmaLinux: ["almalinux"],
  CentOS: ["centos", "centos linux", "centos stream"],
  Fedora: ["fedora", "fedora linux"],
  "Oracle Linux": ["ol", "oracle linux server"],
  "Amazon Linux": ["amzn", "amazon linux"],
  "Alpine Linux": ["alpine", "alpine linux"],
  "Arch Linux": ["arch", "arch linux"],
  SUSE: ["suse", "sles"],
  FreeBSD: ["freebsd"],
  pfSense: ["pfsense"],
  Windows: ["windows"],
  Unknown: ["", "unknown"],
};
const BY_SENT = new Map(Object.entries(NAMES).flatMap(([name, sent]) => sent.map((word) => [word, name] as const)));

/** Normalises the name of an operating system, which differs between versions of agents. */
export function systemName(sent: string): string {
  const name = sent.trim();
  const word = name.toLowerCase();
  return BY_SENT.get(word) ?? (word.startsWith("opensuse") ? "SUSE" : name);
}
