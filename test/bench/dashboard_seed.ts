import { sha256 } from "lectern/core";
import postgres from "postgres";

/** What every seeded host shows as its key. */
export const API_KEY = "benchmark";
/** Outdated packages of a seeded host. */
export const OUTDATED = 10;
const REPORTS = 24;
const REPOSITORIES = 200;

/** The name of the nth package. */
export function packageName(n: number): string {
  return `package-${n}`;
}

/**
 * Fills a database with hosts that have reported hourly for a day: ten outdated packages each, three of two hundred
 * repositories, systems in six names and four versions. The triggers of the runtime count along.
 */
export async function seedHosts(url: string, hosts: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`insert into packages (name) select 'package-' || n from generate_series(0, 999) n`;
  await sql`insert into repositories (name, url, distribution, components, repo_type, is_secure)
    select 'main', 'http://mirror.example/' || n, 'stable', 'main', 'deb', false from generate_series(1, ${REPOSITORIES}) n`;
  await sql`insert into hosts (friendly_name, api_id, api_key_hash, status, os_name, os_version, n_packages, n_outdated,
      n_security, last_seen_at, last_report_at)
    select 'host ' || n, 'bench_' || n, ${sha256(API_KEY)}, 'active',
      (array['Ubuntu','Debian','Rocky Linux','Alpine Linux','Fedora','SUSE'])[1 + n * 31 % 101 % 6], (1 + n * 17 % 103 % 4)::text,
      500, ${OUTDATED}, 3, now(), now() from generate_series(1, ${hosts}) n`;
  await sql`insert into host_outdated (host_id, package_id, security, current_version, available_version)
    select h, 1 + (h * 7 + p * 13) % 1000, p < 3, '1.0', '1.1'
    from generate_series(1, ${hosts}) h, generate_series(0, ${OUTDATED - 1}) p on conflict do nothing`;
  await sql`insert into host_repositories (host_id, repository_id, is_enabled)
    select h, 1 + (h + r * 61) % ${REPOSITORIES}, true from generate_series(1, ${hosts}) h, generate_series(0, 2) r`;
  await sql`insert into host_reports (host_id, received_at, kind, n_packages, n_outdated, n_security)
    select h, now() - r * interval '1 hour' - h * interval '1 hour' / ${hosts}::int, 'full', 500, ${OUTDATED}, 3
    from generate_series(1, ${hosts}) h, generate_series(0, ${REPORTS - 1}) r`;
  await sql`update hosts set n_outdated = c.n, n_security = c.s from (select host_id, count(*) as n,
    count(*) filter (where security) as s from host_outdated group by 1) c where c.host_id = hosts.id`;
  await sql.unsafe("vacuum analyze");
  // A hundred thousand hosts in one statement leave as many dead rows behind, which no instance ever has at once.
  for (const table of ["host_totals", "report_counts"]) await sql.unsafe(`vacuum full analyze ${table}`);
  await sql.end();
}
