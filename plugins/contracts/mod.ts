/**
 * Types of the services that plugins give each other, with the few functions that belong to them: the door
 * "lectern/contracts". Providers and readers: plugins/hooks.md.
 */
export type {
  CheckFindings,
  ContentEntry,
  ContentKind,
  ContentVerb,
  Dependents,
  FileClaim,
  FileStoreProvider,
  KindLabels,
  ParentColumns,
  ResponseFields,
  Searchable,
  SearchedParts,
  SelfCheck,
} from "lectern/core";
export { type Access, type ItemPermissions, itemPermissions, type Owned } from "./access.ts";
export {
  type Activity,
  type ActivitySource,
  activityOf,
  activitySlots,
  descriptor,
  type LastActivity,
  lastActivitySlots,
} from "./activity.ts";
export { activityPhrases } from "./activity_phrases.ts";
export type { AnswerPath, Answers, AnswerTo, ChangeAnswer, ItemListing, ListingOf, SubmitResult } from "./answers.ts";
export type { CredentialScheme, ListItemSchema } from "./api_docs.ts";
export { docsSlots } from "./api_docs.ts";
export {
  type BookEntry,
  type FieldsById,
  fieldsOfRead,
  jsonTime,
  listedFields,
  mergeResponseFields,
  NO_SELECTED_FIELDS,
  recordFailedSelects,
  responseFieldsOf,
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
export { exportSlots } from "./exports.ts";
export type { FileKeeper } from "./files.ts";
export { fileKeeperSlots } from "./files.ts";
export type { Favourites, HomeKind, ItemViews } from "./home_page.ts";
export type { ContentMaker, ContentRecord, ImportedFile, ImportFiles, MadeItem, NewItem } from "./imports.ts";
export { importSlots } from "./imports.ts";
export {
  type InstanceSetting,
  type InstanceSettings,
  instanceSettingSlots,
  type SettingFault,
  type SettingGroup,
  type SettingName,
  type SettingOptions,
  type SettingValue,
  type SettingValues,
} from "./instance_settings.ts";
export {
  type AnyItemReader,
  findItem,
  type Item,
  type ItemAddress,
  type ItemName,
  type ItemReader,
  type ItemsAddress,
  itemReaderSlots,
  listItems,
  readItem,
} from "./items.ts";
export {
  type ActivityDescription,
  activityDescription,
  kindLabels,
  labelSlots,
  type PermissionLabel,
} from "./labels.ts";
export { type Mail, type MailMessage, MailRejected, type MailTransport, mailSlots, type OutgoingMail } from "./mail.ts";
export type {
  AddressAt,
  Comparison,
  EmbeddedPicture,
  Included,
  LoadPages,
  Markup,
  MarkupCall,
  MergedPart,
  Passage,
  PreparedContent,
  SentContent,
  StoredContent,
  WantedPassage,
} from "./markup.ts";
export type { Metric, MetricValue } from "./metrics.ts";
export { metricSlots } from "./metrics.ts";
export { withNonces } from "./nonces.ts";
export {
  joinedOutlines,
  type Outlined,
  type OutlineEntry,
  outlineEntries,
  outlineLine,
  outlineLines,
} from "./outlines.ts";
export type { Override, Overrides } from "./overrides.ts";
export type { HookedPage, MarkdownConverterHook, PageContentHook, ShownPage } from "./page_content.ts";
export { markdownSlots, pageContentSlots, shownContent } from "./page_content.ts";
export type { PagePicture, PagePictures } from "./page_pictures.ts";
export { pagePictureSlots } from "./page_pictures.ts";
export type { DraftPage, Pages, PictureKeeper } from "./pages.ts";
export { pictureSlots } from "./pages.ts";
export type { ConfirmSpec, FieldSpec, FormSpec, PageSpec, TableSpec } from "./part_specs.ts";
export type { DocumentHead, ReplacingView, ScreenHook, ScreenIcon, ViewReplacement } from "./screen_hooks.ts";
export { bookPath, chapterPath, pagePath, shelfPath } from "./screen_paths.ts";
export type {
  FiguresName,
  HeadLink,
  MenuEntry,
  MenuName,
  PlacePart,
  ScreenFacts,
  ScreenFigure,
  ScreenHead,
  ScreenPart,
  ScreenPreview,
  ShownFigure,
  Toolbar,
  ToolbarEntry,
  ToolbarItem,
  ToolbarName,
  ViewPart,
} from "./screen_places.ts";
export { screenSlots } from "./screen_slots.ts";
export type { EngineAnswer, EngineHit, EngineQuery, Search, SearchDocument, SearchEngine } from "./search.ts";
export { searchSlots } from "./search.ts";
export {
  authorReferences,
  Findings,
  type ItemColumns,
  itemReferences,
  type MissingFilesOptions,
  missingFilesCheck,
  type Reference,
  type ReferenceCheckOptions,
  referenceCheck,
} from "./self_checks.ts";
export {
  type PendingSignIn,
  pathAfterSignIn,
  type Sessions,
  type SignInClient,
  type SignInOptions,
  type SignInOutcome,
  type SignInStep,
  signInSlots,
} from "./sessions.ts";
export type { SystemFacts } from "./system.ts";
export { type SuggestedTag, saveTags, type Tag, type Tags } from "./tags.ts";
export type { Allowed, Throttle } from "./throttle.ts";
export {
  type Credentialed,
  type People,
  peopleOf,
  type UserFace,
  type UserPicture,
  type UserRef,
  type Users,
  userPictureSlots,
  withoutAuthor,
} from "./users.ts";
export type {
  Crumb,
  DecoratedContent,
  DrawnFor,
  DrawnScreen,
  Heading,
  Parts,
  Screen,
  ScreenHandler,
  ScreenItem,
  ScreenRedirect,
  Ui,
  View,
  Visit,
  Web,
} from "./web.ts";
