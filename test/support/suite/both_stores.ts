/**
 * The test files that run on both kinds of store, each with what it tests of PostgreSQL itself: what depends on the server's version,
 * roles, locale and connections, and not on the statements alone, all of which are planned there (`planned_statements.ts`).
 * `test/rules/both_stores_test.ts` says which files have to be here. The tests of db/ open both kinds of store by themselves.
 */
export const BOTH_STORES: Readonly<Record<string, string>> = {
  "test/accounts/access_lists_test.ts": "triggers that count, locks of parents, plans over access lists",
  "test/content/recycle_bin_test.ts": "transactions that wait for locks of each other, cascades",
  "test/content/search_test.ts": "words, patterns and trigrams of any script",
  "test/content/slug_history_test.ts": "triggers of the account that fire for writes of roles",
  "test/content/tag_counts_test.ts": "triggers that count beside concurrent writers, rows that locks skip",
  "test/core/answer_cache_test.ts": "notices and notifications of triggers, sessions that the server ends",
  "test/core/cache_test.ts": "notifications, and their loss",
  "test/core/collation_test.ts": "order and equality of texts, whatever the locale",
  "test/core/given_sql_test.ts": "SQL that plugins give to statements of others, and what the server refuses to it",
  "test/core/grants_escape_test.ts": "what the server refuses to the role of a plugin",
  "test/core/grants_true_test.ts": "the rights of the roles of all that ships",
  "test/core/held_files_test.ts": "advisory locks of backups",
  "test/core/jobs_test.ts": "rows that two workers take by skipping locked ones",
  "test/core/joined_calls_test.ts": "savepoints, statements of roles within the transaction of another",
  "test/core/landed_versions_test.ts": "migrations of stored data",
  "test/core/late_plugins_test.ts": "statements that are cancelled, locks that are released, waiting for locks",
  "test/core/late_transactions_test.ts": "transactions that are ended while they are open",
  "test/core/listing_text_test.ts": "texts of JSON and times that the server writes",
  "test/core/migration_phases_test.ts": "the catalogs before and after each migration",
  "test/core/name_order_test.ts": "sorting, and plans over indexes of keys",
  "test/core/rebuild_test.ts": "the schema read from the catalogs and built again, for backups",
  "test/core/schema_escape_test.ts":
    "what migrations of a plugin make, read from the trees of the catalogs, and settings of sessions",
  "test/core/schema_role_test.ts": "what the server refuses to the owner of a plugin's tables, and deferred triggers",
  "test/core/server_roles_test.ts": "roles that servers with different grants share",
  "test/core/slow_reads_test.ts": "limits of statements, cancelling, waiting for locks",
  "test/core/step_account_test.ts":
    "what a step of a plugin has the account run: casts of foreign keys, parsing, prepared statements",
  "test/core/triggers_test.ts": "every trigger and function",
  "test/core/two_servers_test.ts": "two servers at one database",
  "test/monitoring/dashboard_counters_test.ts": "triggers under concurrent writes, deadlocks",
  "test/monitoring/dashboard_outage_test.ts": "tables that stay locked",
  "test/operations/doctor_breaks_test.ts": "the catalogs compared with what migrations make, sequences",
  "test/operations/doctor_test.ts": "rights and roles that drift from the grants",
  "test/web/page_screen_test.ts": "plans of the statements of a page",
};
