/**
 * Types of the services that plugins give each other, with the few functions that belong to them: the door
 * "lectern/contracts". Providers and readers: plugins/hooks.md.
 */
export type { Access, Owned } from "./access.ts";
export { type Activity, type ActivitySource, activityOf, descriptor, type LastActivity } from "./activity.ts";
export type { CredentialScheme, ListItemSchema } from "./api_docs.ts";
export {
  type BookColumns,
  type ContentEntry,
  type ContentKind,
  type Dependents,
  type FieldsById,
  fieldsOfRead,
  jsonTime,
  mergeResponseFields,
  NO_SELECTED_FIELDS,
  type ResponseFields,
  recordFailedSelects,
  responseFieldsOf,
  type Searchable,
  type SelectedFields,
  selectedFields,
  withResponseFields,
} from "./content.ts";
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
} from "./exports.ts";
export type { FileClaim, FileKeeper, FileStoreProvider } from "./files.ts";
export type {
  ContentMaker,
  ContentRecord,
  ImportedFile,
  ImportFiles,
  MadeItem,
  NewItem,
} from "./imports.ts";
export {
  type AnyItemReader,
  findItem,
  type Item,
  type ItemAddress,
  type ItemName,
  type ItemReader,
  type ItemsAddress,
  listItems,
  readItem,
} from "./items.ts";
export {
  type ActivityDescription,
  activityDescription,
  type ContentVerb,
  type KindLabels,
  kindLabels,
  type PermissionLabel,
} from "./labels.ts";
export { type Mail, type MailMessage, MailRejected, type MailTransport, type OutgoingMail } from "./mail.ts";
export type {
  AddressAt,
  EmbeddedPicture,
  Included,
  LoadPages,
  Markup,
  MarkupCall,
  PreparedContent,
  SentContent,
  StoredContent,
} from "./markup.ts";
export type { Metric, MetricValue } from "./metrics.ts";
export type { Override, Overrides } from "./overrides.ts";
export type { HookedPage, MarkdownConverterHook, PageContentHook } from "./page_content.ts";
export type { DraftPage, Pages, PictureKeeper } from "./pages.ts";
export type {
  DocumentHead,
  ReplacingView,
  ScreenHook,
  ScreenIcon,
  ViewPart,
  ViewReplacement,
} from "./screen_hooks.ts";
export { bookPath, chapterPath, pagePath, shelfPath } from "./screen_paths.ts";
export type {
  FiguresName,
  HeadLink,
  ScreenFacts,
  ScreenFigure,
  ScreenHead,
  ScreenPart,
  ShownFigure,
  Toolbar,
  ToolbarEntry,
  ToolbarItem,
  ToolbarName,
} from "./screen_places.ts";
export type { EngineAnswer, EngineHit, EngineQuery, SearchDocument, SearchEngine } from "./search.ts";
export type { CheckFindings, SelfCheck } from "./self_check.ts";
export {
  type PendingSignIn,
  pathAfterSignIn,
  type Sessions,
  type SignInClient,
  type SignInOptions,
  type SignInOutcome,
  type SignInStep,
} from "./sessions.ts";
export type { SystemFacts } from "./system.ts";
export { saveTags, type Tag, type Tags } from "./tags.ts";
export type { Allowed, Throttle } from "./throttle.ts";
export type { Credentialed, UserRef, Users } from "./users.ts";
export type {
  Comparison,
  ConfirmSpec,
  Crumb,
  DecoratedContent,
  FieldSpec,
  FormSpec,
  Heading,
  MenuEntry,
  PageSpec,
  Parts,
  Screen,
  ScreenAccess,
  ScreenHandler,
  ScreenItem,
  ScreenRedirect,
  SubmitResult,
  TableSpec,
  Ui,
  View,
  Visit,
  Web,
} from "./web.ts";
