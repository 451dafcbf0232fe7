/**
 * The module "lectern/core": everything that plugins and themes import from the runtime. What is not exported here is internal
 * and may change. The types of the services that plugins provide to each other are in "lectern/contracts", what commands need
 * in "lectern/cli".
 */
export { type Static, type TSchema, Type as t } from "@sinclair/typebox";
export { t as elysiaTypes } from "elysia";
export { type Expression, expressionBuilder, type RawBuilder, sql } from "kysely";
export { ConfinedProcess, type ProcessEvents, type ProcessLimits } from "./children/confinement/confined_process.ts";
export { MessageReader, messageBytes, ProtocolError } from "./children/confinement/messages.ts";
export { confinedModules } from "./children/confinement/modules.ts";
export type { ConfinedOrder, Enforcement } from "./children/confinement/trampoline.ts";
export { inTurn } from "./children/in_turn.ts";
export type { CallServer, ChildTask } from "./children/messages.ts";
export type { Children, RunOptions } from "./children/pool.ts";
export { type ChildEnd, type ChildLimits, lowerPriority, watchChild } from "./children/process_limits.ts";
export { chosenProvider } from "./chosen_provider.ts";
export { fileKilobytes, fileLimit } from "./config.ts";
export { defineTheme } from "./define_theme.ts";
export { ApiError, BootError, denied, invalidFields, localizedError, notFound } from "./errors.ts";
export type { Cached, CacheOptions } from "./events/cache.ts";
export type {
  AnswerCacheFigures,
  AnswerSource,
  CachedAnswers,
  JoiningRows,
  NoteRows,
  SharedAnswers,
  TableDependency,
} from "./events/cached_answers.ts";
export type { AskedValue, DerivedAnswers, DerivedSource, DerivedValue } from "./events/derived_answers.ts";
export type { EventRecord, EventTransaction } from "./events/event_bus.ts";
export type { JobHandler, JobRun } from "./events/job_queue.ts";
export { type FailedRun, JobFailure, type JobOptions, type JobPauses } from "./events/job_retry.ts";

export { attended } from "./events/transaction_watch.ts";
export { noRoomError, ObjectStoreAway } from "./failures.ts";
export {
  callContribution,
  callContributionNow,
  callContributions,
  contributorOf,
  type Fault,
  isOperatorsOwn,
  isShipped,
  unwritable,
} from "./faults.ts";
export {
  type ByteRange,
  checkedKey,
  type FileContent,
  type FileStore,
  type SignedAnswer,
  type StoredEntry,
  type StoredFile,
  type UnfinishedUpload,
  type UnfinishedUploads,
} from "./files/file_store.ts";
export type { DeclaredFileStore, FileClaim, FileStoreProvider } from "./files/provided.ts";
export type { AnsweredRequest } from "./http/answer_observers.ts";
export { fileAnswer, mediaTypeOf } from "./http/answer_schemas.ts";
export {
  fieldsOf,
  idSchema,
  listingSchema,
  listOf,
  mapSchema,
  noContent,
  nullable,
  peopleFields,
  peopleIdFields,
  personSchema,
  timesFields,
  timestampSchema,
  userRefSchema,
  withContributedFields,
} from "./http/answer_types.ts";
export { isWithin, networkOf, networksOf } from "./http/client_address.ts";
export { isCrossSite } from "./http/cross_site.ts";
export { type EndpointSpec, endpoint } from "./http/endpoint.ts";
export {
  contentDisposition,
  type DownloadAnswer,
  downloadResponse,
  fileResponse,
  shippedFile,
} from "./http/file_response.ts";
export { OutgoingError, type OutgoingFetch } from "./http/outbound_fetch.ts";
export { ownPath } from "./http/own_path.ts";
export type { SiteApp } from "./http/plugin_app.ts";
export type { Allowance, Limiter } from "./http/rate_limit.ts";
export { currentRequestId } from "./http/request_context.ts";
export type { Authenticate, RouteScope } from "./http/route_scope.ts";
export type { RouteInfo } from "./http/route_table.ts";
export { matchesSlowHash, slowHash } from "./http/slow_hashes.ts";
export { staticFileAnswer, staticFileType } from "./http/static_file.ts";
export { acceptWebSocket } from "./http/websocket.ts";
export { beginWork, chargeWork, timedWork } from "./http/work_budget.ts";
export { type Catalogue, type CatalogueSource, createTexts, type PluralForms, type Texts } from "./i18n/catalogue.ts";
export { chosenLanguage, directionOf, keptByTag, localeTag, writtenDay, writtenNumber } from "./i18n/languages.ts";
export { slugOf, uniqueSlug } from "./i18n/slug.ts";
export type { InputObject, InputValue } from "./input/body_parsing.ts";
export { bodyChunks } from "./input/body_stream.ts";
export { idOf } from "./input/path_id.ts";
export { storable } from "./input/storable_text.ts";
export { isUpload, SNIFF_BYTES, sniff, type Upload, uploadOf } from "./input/uploads.ts";
export { jobNotice } from "./job_store.ts";
export { LastUsedBatch } from "./last_used.ts";
export { type Log, logRetried, startLine } from "./log.ts";
export type {
  Contracts,
  Definitions,
  Draft,
  EventName,
  Events,
  ItemFields,
  Items,
  JobName,
  Jobs,
  PermissionName,
  Permissions,
  Permit,
  PlaceName,
  Places,
  Result,
  Slots,
  ViewName,
  Views,
} from "./registry.ts";
export type { AddedFields } from "./resources/added_fields.ts";
export type {
  ContentEntry,
  ContentKind,
  ContentVerb,
  Dependents,
  KindLabels,
  ParentColumns,
  ResponseFields,
  Searchable,
  SearchedParts,
} from "./resources/content.ts";
export {
  freeSlug,
  type ItemTable,
  type OwnColumn,
  type OwnValues,
  saveChanges,
  softDelete,
} from "./resources/items.ts";
export type { ListSpec, VisibleRows } from "./resources/list_spec.ts";
export {
  mountResource,
  type ResourceEvents,
  type ResourceHandlers,
  type ResourceSpec,
} from "./resources/resource.ts";
export type { VisibilityRule } from "./resources/visibility.ts";
export type { IsolatedContext, IsolatedMember } from "./runtime/isolated_context.ts";
export type { Peers, Telemetry, Traces, Upkeep } from "./runtime/own_contracts.ts";
export {
  type AnyContext,
  type AnyPlugin,
  definePlugin,
  type Grants,
  type IsolatedEntry,
  type PluginContext,
} from "./runtime/plugin.ts";
export { fileBelow } from "./runtime/plugin_folder.ts";
export { renamedKey } from "./runtime/plugin_keys.ts";
export { PowerError } from "./runtime/power_checks.ts";
export type { Recorded } from "./runtime/recorded.ts";
export type { CheckedParts, CheckFindings, SelfCheck } from "./runtime/self_check.ts";
export type { SlotSpecs } from "./runtime/slot_specs.ts";
export { sharedLimits } from "./shared_limits.ts";
export { closestMatch } from "./std/closest_match.ts";
export { ExpiringMap, MAX_KEYS } from "./std/expiring_map.ts";
export { deepFreeze } from "./std/freeze.ts";
export { Gathered, type GatheredOptions } from "./std/gathered.ts";
export { Html, type HtmlPart, html, htmlResponse, raw } from "./std/html.ts";
export { JsonBytes } from "./std/json_bytes.ts";
export { matchesSecret, randomText, sha256 } from "./std/secrets.ts";
export { Semaphore } from "./std/semaphore.ts";
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./std/time.ts";
export { trimChars, trimEndChars } from "./std/trim_chars.ts";
export { withinTime } from "./std/within_time.ts";
export { type YieldToEventLoop, yieldToEventLoop } from "./std/yield_to_event_loop.ts";
export type { OpenSpan, SpanAttributes, SpanStart, TraceHeaders, TraceRecorder } from "./tracing.ts";
export { rejectControlCharacters } from "./validation/control_characters.ts";
export { errorsOfList, type FormErrors, formErrors } from "./validation/form_errors.ts";
export { type ItemSchemas, schemaOf } from "./validation/rule_schema.ts";
export { type Input, type Rules, ruleStrings, rules } from "./validation/rules.ts";
export type { Lookups } from "./validation/validate.ts";
export {
  authorOf,
  frozenViewer,
  GUEST,
  hasPermission,
  inLanguage,
  mayUseApi,
  narrowedViewer,
  requirePermission,
  SYSTEM,
  type Viewer,
} from "./viewer.ts";
