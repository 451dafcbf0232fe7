/**
 * The parts of the report, in its order. Each is a program of this folder that also runs alone, and either hands its figures to the
 * report (`record.ts`) or is shown as it prints.
 */

/** A benchmark of the report. */
export interface Part {
  readonly name: string;
  readonly title: string;
  /** What is compared with what, in a sentence or two. */
  readonly about: string;
  /** Arguments of `bun`, from the top of Lectern. */
  readonly args: readonly string[];
}

/** All benchmarks that the report contains. */
export const PARTS: readonly Part[] = [
  {
    name: "http",
    title: "HTTP by route",
    about:
      "Requests per second and latency of the runtime beside hand-written servers that make the same statements (`bare.ts`), without credentials, limits, permissions or events.",
    args: ["test/bench/http.ts", "2"],
  },
  {
    name: "hello",
    title: "The core's own cost of a request",
    about:
      "Processor time of the server for a request whose route does nothing: the core with one plugin, and all that ships with it, beside `Bun.serve` and one route of Elysia.",
    args: ["test/bench/hello.ts", "2"],
  },
  {
    name: "workers",
    title: "Several processes on one address",
    about:
      "Page reads of `serve --workers 2` beside one process over the same database. Without cores to spare, database and generator take from the workers; the last column is the ratio on cores of their own.",
    args: ["test/bench/workers.ts", "3", "2"],
  },
  {
    name: "cached",
    title: "Cached reads",
    about:
      "A page read whose answer is cached, beside the same without the cache, a hand-written server that asks the store, and one with a map for a cache.",
    args: ["test/bench/cached.ts", "3"],
  },
  {
    name: "team",
    title: "A team of 500 reads",
    about:
      "Page reads of 500 users with ten roles, a few pages more often than all others, beside the same without the cache; with two writes among a hundred requests; and of one user.",
    args: ["test/bench/team.ts", "5"],
  },
  {
    name: "restart",
    title: "Screens after a start",
    about:
      "Page screens of one user at 16 connections in the first three seconds, as soon as the server is ready and some seconds later, beside the rate later on.",
    args: ["test/bench/restart.ts"],
  },
  {
    name: "dashboard",
    title: "Dashboard statistics",
    about:
      "Polls of 100,000 hosts beside polls of none, under reports; answers 304 beside bare ones; a report's time in the database.",
    args: ["test/bench/dashboard.ts"],
  },
  {
    name: "pages-1k",
    title: "Listings and permissions at 1,000 pages",
    about: "Medians in milliseconds, for viewers who see all, little or nothing.",
    args: ["test/bench/permissions.ts", "1000"],
  },
  {
    name: "pages-1m",
    title: "Listings and permissions at 1,000,000 pages",
    about: "The same at a million pages.",
    args: ["test/bench/permissions.ts", "1000000"],
  },
  {
    name: "search-100k",
    title: "Search at 100,000 pages",
    about: "Medians in milliseconds, with the total that was answered; `+` marks a lower bound.",
    args: ["test/bench/search.ts", "100000"],
  },
  {
    name: "search-small",
    title: "Search on a small wiki",
    about: "Searches of 300 pages at one connection, with what they take of the server's and of PostgreSQL's CPU.",
    args: ["test/bench/small_wiki.ts"],
  },
  {
    name: "precision",
    title: "Precision of the search",
    about:
      "At which place `/api/search` has the page that answers a question: 200 questions over the 1,396 pages of the documentation of Bun, as people type them.",
    args: ["test/bench/precision.ts"],
  },
  {
    name: "precision-better",
    title: "Precision of the search by relevance",
    about: "The same with `mode=better`, as the screens ask.",
    args: ["test/bench/precision.ts", "mode=better"],
  },
  {
    name: "search-modes",
    title: "Both modes of the search at 100,000 pages",
    about:
      "Searches of `/api/search` without and with `mode=better` side by side: the times of one client, those of 8, and what the index takes a page.",
    args: ["test/bench/search_modes.ts"],
  },
  {
    name: "suggestions",
    title: "Suggestions while somebody types",
    about: "What `/api/search/suggestions` takes with 16 clients at 100,000 pages.",
    args: ["test/bench/suggestions.ts"],
  },
  {
    name: "search-1m",
    title: "Search at 1,000,000 pages",
    about: "The same at a million pages.",
    args: ["test/bench/search.ts", "1000000"],
  },
  {
    name: "stalls",
    title: "What hostile requests do to others",
    about: "The longest wait of another user's reads while a hostile input is processed, beside undisturbed reads.",
    args: ["test/bench/stalls.ts"],
  },
  {
    name: "sign-ins",
    title: "What wrong passwords do to others",
    about:
      "The longest wait of another user's lists, downloads and sign-in while 58 wrong passwords are checked, from one address and for one account.",
    args: ["test/bench/sign_ins.ts"],
  },
  {
    name: "growth-20k",
    title: "What grows with the store, at 20,000 pages",
    about: "Boot, listings and totals, search, changes of many items, bytes by table.",
    args: ["test/bench/growth.ts", "20000"],
  },
  {
    name: "growth-1m",
    title: "What grows with the store, at 1,000,000 pages",
    about: "A store of 1,000,000 pages: boot, listings and totals, search, changes of many items, bytes by table.",
    args: ["test/bench/growth.ts", "1000000"],
  },
  {
    name: "boot",
    title: "Boot",
    about:
      "From the start of the process to the first answer of /ready, by the number of pages (a million: see what grows).",
    args: ["test/bench/boot.ts", "0", "1000"],
  },
  {
    name: "memory",
    title: "Memory",
    about: "Of the server's process at rest, under a mixed load at 16 connections, and after 30 minutes of it.",
    args: ["test/bench/memory.ts", "30"],
  },
  {
    name: "faults",
    title: "Faults survived",
    about:
      "Eight clients create pages while parts are killed or frozen. Lost are pages that were acknowledged and are not there at the end; wrong are answers 5xx other than 503 and 507.",
    args: ["test/bench/faults.ts", "50"],
  },
  {
    name: "failover",
    title: "Failover of PostgreSQL",
    about:
      "The leader of three servers under Patroni (ttl 20 s, synchronous replication) is killed ten times while two servers of Lectern write. Seconds without an acknowledged write, and until every server was ready; lost are pages that were acknowledged and are not there at the end, wrong are answers other than 200 and 503.",
    args: ["test/bench/ha.ts", "10", "20"],
  },
  {
    name: "clients",
    title: "Many and slow clients",
    about: "Reads of one client while others hold connections open.",
    args: ["test/bench/clients.ts", "10000"],
  },
  {
    name: "replicas",
    title: "Reads from a replica",
    about:
      "A server with DATABASE_READ_URLS beside one without, over the same primary; all of it on one machine, so that the primary's processor time is what counts.",
    args: ["test/bench/replicas.ts"],
  },
  {
    name: "webhooks",
    title: "Webhooks",
    about: "Deliveries per second, and what they cost the requests that cause them.",
    args: ["test/bench/webhooks.ts"],
  },
  {
    name: "grants",
    title: "Plugins with roles of their own",
    about: "Statements of a plugin that run as its role, beside the same without.",
    args: ["test/bench/grants.ts"],
  },
  {
    name: "backup",
    title: "Backup and restore",
    about: "Time and memory of the commands.",
    args: ["test/bench/backup.ts"],
  },
  {
    name: "object-store",
    title: "Large files in object stores",
    about:
      "Memory and time of a process that uploads a stream of 500 MB and reads it back, over the S3 services that are installed.",
    args: ["test/bench/object_store.ts", "500"],
  },
];
