/**
 * Settings of a PostgreSQL server whose data nobody misses: nothing waits for the disk, pages are logged by their changes alone, and
 * tables are neither vacuumed nor analyzed by themselves. Not for servers that die or are copied during a test.
 */
export const FAST_SETTINGS: Readonly<Record<string, string>> = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  autovacuum: "off",
};
