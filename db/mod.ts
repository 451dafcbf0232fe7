/**
 * The module "lectern/db": the store as core and plugins use it. What is not exported here is internal. Tables are declared into
 * `Tables` by `declare module "lectern/db"`, which TypeScript merges only into an interface that is re-exported by a star.
 */
export type { SequenceValue, StoreSchema } from "./backup/catalogue.ts";
export { unlessHeld } from "./backup/hold.ts";
export {
  isEmptyStore,
  isInUse,
  type Plan,
  type Rebuild,
  type RebuildOptions,
  rebuildStore,
  type TableRows,
} from "./backup/rebuild.ts";
export { type LedgerRow, type Snapshot, type SnapshotUse, withSnapshot } from "./backup/snapshot.ts";
export { type ChangeEnding, type ChangeObserver, changeOf, type TableChange } from "./connection/changes.ts";
export type { StatementObserver } from "./connection/connection_types.ts";
export { changesAccess, withinTransaction } from "./connection/dialect.ts";
export type { HostState } from "./connection/hosts.ts";
export type { IdleLimit, IdleLimits } from "./connection/idle_transactions.ts";
export { isWithinTransaction, type JoinedOutcome, outsideTransaction, undoCall } from "./connection/joined.ts";
export { type PoolLoad, type SlowQueryOptions, type StoreLimits, withSlowPool } from "./connection/limits.ts";
export type { ListenHandlers } from "./connection/listener.ts";
export { recordingStatements } from "./connection/recorded_statements.ts";
export type { AwayReads, ReadCounts, ReplicaReads, ReplicaStatus } from "./connection/replica_reads.ts";
export type { StoreEvent } from "./connection/store_events.ts";
export type { StoreLoad } from "./connection/store_pools.ts";
export { onPrimary, StoreSession, type StoreSessionFacts } from "./connection/store_session.ts";
export type { PluginStore, Store, StoreOptions } from "./connection/store_types.ts";
export { type KnownTimelines, Timelines } from "./connection/timelines.ts";
export { type TransactionControl, transactionControl } from "./connection/transaction_control.ts";
export { type MovedStore, movedStores, removeMovedStore } from "./embedded/moved_stores.ts";
export { definerPath, runAsDefiner } from "./grants/definer.ts";
export { asOwner, dropOwned, giveToOwner, joinOwners } from "./grants/owner_role.ts";
export { roleObstacle } from "./grants/role_obstacle.ts";
export {
  dropPluginRole,
  dropRole,
  type RoleDrift,
  type RoleGrants,
  RolesSync,
  roleDrift,
  type SyncedRoles,
  syncRoles,
} from "./grants/roles.ts";
export { adoptObjects, type UnownedObject, unownedObjects } from "./grants/unowned.ts";
export { openStore } from "./open.ts";
export {
  addColumns,
  type ColumnNames,
  firstMissingTable,
  hasTable,
  missingColumns,
  presentColumns,
  tableNames,
} from "./query/catalogs.ts";
export { CACHE_CHANNEL, unreportedTables, type WatchedTable, watchTables } from "./query/change_triggers.ts";
export { checkedExpression, type ExpressionPlace } from "./query/checked_expression.ts";
export { type ColumnName, idColumn, refs, timeColumns } from "./query/columns.ts";
export { compressWithLz4 } from "./query/compression.ts";
export {
  ConnectionLost,
  ExpressionRefused,
  GrantError,
  QUERY_CANCELED,
  SchemaDenied,
  StatementRefused,
  StoreError,
  StoreUnavailable,
} from "./query/errors.ts";
export { type Grants, guarded, isDenied } from "./query/grants.ts";
export {
  type ContributedKind,
  dropObjectRecords,
  dropPluginRecord,
  type InstalledPluginsTable,
  type PluginRecord,
  type PluginTablesTable,
  pluginRecords,
  pluginTables,
  type RecordedVersion,
  recordedVersion,
  recordStoreVersion,
  storedVersion,
  writePluginRecords,
} from "./query/installed_plugins.ts";
export { type FoundObject, madeObjects, recordingObjects } from "./query/made_objects.ts";
export {
  dropLedger,
  isMigrated,
  ledgers,
  MIGRATION_LOCK,
  type Migrating,
  type MigrationStatus,
  type Migrations,
  migrate,
  migrationStatus,
  migrationStatuses,
  pending,
  removes,
  type StepRunner,
} from "./query/migrate.ts";
export { type Executor, prepared, preparedStatements, type Statement } from "./query/prepared.ts";
export { flatten, flattened, memoized, rows, rowsOf, write } from "./query/query.ts";
export { columnsOf, rowJson } from "./query/row_json.ts";
export {
  differenceText,
  enableTrigger,
  makeObject,
  type SchemaDifference,
  type SchemaObject,
  schemaDifferences,
  schemaObjects,
  triggersOff,
} from "./query/schema_objects.ts";
export { advanceSequence, type LateSequence, lateSequences } from "./query/sequences.ts";
export { createSignIndex, hasSigns, signsOf } from "./query/sign_index.ts";
export { FUNCTIONS, OPERATORS, TEMPLATES, TYPES } from "./query/sql_words.ts";
export { referringTables } from "./query/table_owners.ts";
export * from "./query/tables.ts";
export { createTrigramIndex, hasTrigrams } from "./query/trigram_index.ts";
export { codeOf, isObject, messageOf } from "./query/unknown_values.ts";
export { hasStore, withThrowawayStore } from "./throwaway_store.ts";
