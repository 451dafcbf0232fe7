/**
 * Everything a plugin or theme may import from the house, and nothing else: they know "lectern/core" and "lectern/db",
 * never the files behind them, so that those may change. Types of the services that plugins give each other come from
 * `contracts/`. Only re-exports stand here; what is not listed is the house's own business.
 */
export { type Static, type TObject, Type as t } from "@sinclair/typebox";
export { type RawBuilder, sql } from "kysely";
export type { AreaSpec, Authenticate } from "./areas.ts";
export { jsonWithFile } from "./base64_json.ts";
export { boot, type House, type HouseParts } from "./boot.ts";
export type { Act, AnyHandlers, EnqueueOptions, Handlers, Happening, Work } from "./bus.ts";
export type { Cached } from "./cache.ts";
export { AnswerError, ApiClient, type ApiClientOptions, type Json, serverUrlOf } from "./cli/api_client.ts";
export { inParallel } from "./cli/parallel.ts";
export { Progress } from "./cli/progress.ts";
export { baseUrlOf, type Config, configSchema, fileKilobytes, fileLimit } from "./config.ts";
export type { Access, Owned } from "./contracts/access.ts";
export { type Activity, type ActivitySource, activityOf, descriptor, type LastActivity } from "./contracts/activity.ts";
export {
  additionsTo,
  type ContentEntry,
  type ContentKind,
  dressed,
  type Hanging,
  type Searchable,
  type Shown,
  withAdditions,
} from "./contracts/content.ts";
export type {
  ExportContent,
  ExportEntry,
  ExportFile,
  ExportFiles,
  ExportFormat,
  ExportItem,
  Exporting,
  ExportKind,
  ItemRef,
} from "./contracts/exports.ts";
export type { FileClaim, FileKeeper } from "./contracts/files.ts";
export type {
  ContentMaker,
  ContentRecord,
  ImportedFile,
  ImportFiles,
  MadeItem,
  NewItem,
} from "./contracts/imports.ts";
export type { Letter, Mail } from "./contracts/mail.ts";
export type { AddressAt, EmbeddedPicture, Included, Markup, StoredContent } from "./contracts/markup.ts";
export type { Override, Overrides } from "./contracts/overrides.ts";
export type { Pages, PictureKeeper } from "./contracts/pages.ts";
export { bookPath, chapterPath, pagePath, shelfPath } from "./contracts/screen_paths.ts";
export type { Sessions } from "./contracts/sessions.ts";
export type { SystemFacts } from "./contracts/system.ts";
export type { Tag, Tags } from "./contracts/tags.ts";
export type { Allowed, Throttle } from "./contracts/throttle.ts";
export type { Credentialed, UserRef, Users } from "./contracts/users.ts";
export type {
  Admission,
  ConfirmSpec,
  Crumb,
  Dressed,
  FieldSpec,
  FormSpec,
  Handler,
  Heading,
  MenuEntry,
  PageSpec,
  Parts,
  Screen,
  ScreenPart,
  Sent,
  TableSpec,
  Ui,
  View,
  Visit,
  Web,
} from "./contracts/web.ts";
export { type EndpointFacts, endpoint } from "./endpoint.ts";
export { ApiError, BootError, denied, errorBody, notFound, refusal } from "./errors.ts";
export { contentDisposition, type FileAnswer, fileResponse } from "./file_response.ts";
export {
  type ByteRange,
  type FileContent,
  type FileStore,
  folderStore,
  type StoredEntry,
  type StoredFile,
} from "./files.ts";
export { type S3Options, s3Store } from "./files_s3.ts";
export { Html, type HtmlPart, html, htmlResponse, raw } from "./html.ts";
export type { Asking } from "./http.ts";
export type { InputObject, InputValue } from "./input.ts";
export {
  authorOf,
  forgetAuthor,
  freeSlug,
  type ItemPermission,
  type ItemPermissions,
  type ItemTable,
  itemPermissions,
  type People,
  peopleOf,
  putAway,
  type SlugScope,
  saveChanges,
  saveTags,
  type Tagged,
} from "./items.ts";
export type { JobOptions, JobRun } from "./jobs.ts";
export { chosenLanguage } from "./languages.ts";
export { type Allowance, type Limiter, type MakeLimiter, memoryLimiter } from "./limit.ts";
export type { FieldType, ListField, Listing, ListSpec, Reach } from "./listing.ts";
export { createLog, type Log, type LogLevel, redact } from "./log.ts";
export { isPublic, OutgoingError, type OutgoingFetch } from "./outgoing.ts";
export {
  type AnyContext,
  type AnyPlugin,
  type Command,
  type CommandIo,
  definePlugin,
  type Grants,
  type PluginContext,
  type PluginSpec,
} from "./plugin.ts";
export type { PluginApp, SiteApp } from "./plugin_app.ts";
export { faultsOfList, type Refused, refused } from "./refused.ts";
export type {
  ContractName,
  Contracts,
  Draft,
  EventName,
  Events,
  JobName,
  Jobs,
  PermissionName,
  Permissions,
  Permit,
  Result,
  SlotName,
  Slots,
} from "./registry.ts";
export { idOf, mountResource, type ResourceEvents, type ResourceHandlers, type ResourceSpec } from "./resource.ts";
export type { RouteInfo } from "./routes.ts";
export { fitsSecret, randomText, sha256 } from "./secrets.ts";
export { type Listening, listen } from "./serve.ts";
export { readSettings } from "./settings.ts";
export type { Narrowing } from "./sight.ts";
export { slugOf, uniqueSlug } from "./slug.ts";
export { holdOpen } from "./sockets.ts";
export { storable } from "./storable.ts";
export { ORPHAN_AGE_MS, type SweepOptions, type Swept, sweepFiles } from "./sweep.ts";
export { type Catalogue, createTexts, type Texts } from "./texts.ts";
export {
  defineTheme,
  type HookedPage,
  type OriginalHooks,
  type PageContentHook,
  type ThemeContext,
  type ThemeSpec,
} from "./theme.ts";
export type { ScreenHook, ScreenHooks, ScreenRouter, ViewPart, ViewRegistry } from "./theme_screens.ts";
export { isUpload, SNIFF_BYTES, sniff, type Upload, uploadOf } from "./upload.ts";
export { type Input, type Lookups, type Rules, ruleStrings, rules, schemaOf, valid } from "./validate.ts";
export { holds, mayUseApi, NOBODY, need, SYSTEM, type Viewer } from "./viewer.ts";
