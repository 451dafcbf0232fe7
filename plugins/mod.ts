/**
 * The plugins that ship with Lectern, by group. Boot orders them: providers of a contract before its users, otherwise as they are
 * listed here.
 */
import type { AnyPlugin } from "lectern/core";
import access from "./accounts/access/plugin.ts";
import contentPermissions from "./accounts/content_permissions/plugin.ts";
import mail from "./accounts/mail/plugin.ts";
import roles from "./accounts/roles/plugin.ts";
import sessions from "./accounts/sessions/plugin.ts";
import throttle from "./accounts/throttle/plugin.ts";
import tokens from "./accounts/tokens/plugin.ts";
import users from "./accounts/users/plugin.ts";
import attachmentTexts from "./content/attachment_texts/plugin.ts";
import attachments from "./content/attachments/plugin.ts";
import bookSort from "./content/book_sort/plugin.ts";
import books from "./content/books/plugin.ts";
import chapters from "./content/chapters/plugin.ts";
import comments from "./content/comments/plugin.ts";
import contentCopies from "./content/content_copies/plugin.ts";
import formulas from "./content/formulas/plugin.ts";
import homePage from "./content/home_page/plugin.ts";
import images from "./content/images/plugin.ts";
import links from "./content/links/plugin.ts";
import markup from "./content/markup/plugin.ts";
import pageDrafts from "./content/page_drafts/plugin.ts";
import pages from "./content/pages/plugin.ts";
import recycleBin from "./content/recycle_bin/plugin.ts";
import search from "./content/search/plugin.ts";
import shelves from "./content/shelves/plugin.ts";
import slugHistory from "./content/slug_history/plugin.ts";
import tagRenames from "./content/tag_renames/plugin.ts";
import tags from "./content/tags/plugin.ts";
import watching from "./content/watching/plugin.ts";
import dashboardKeys from "./monitoring/dashboard_keys/plugin.ts";
import dashboard from "./monitoring/dashboard_stats/plugin.ts";
import hosts from "./monitoring/hosts/plugin.ts";
import addressChange from "./operations/address_change/plugin.ts";
import auditLog from "./operations/audit_log/plugin.ts";
import discovery from "./operations/discovery/plugin.ts";
import docs from "./operations/docs/plugin.ts";
import doctor from "./operations/doctor/plugin.ts";
import health from "./operations/health/plugin.ts";
import instanceSettings from "./operations/instance_settings/plugin.ts";
import isolation from "./operations/isolation/plugin.ts";
import languages from "./operations/languages/plugin.ts";
import opentelemetry from "./operations/opentelemetry/plugin.ts";
import s3Files from "./operations/s3_files/plugin.ts";
import scheduledBackups from "./operations/scheduled_backups/plugin.ts";
import system from "./operations/system/plugin.ts";
import versionCheck from "./operations/version_check/plugin.ts";
import webhooks from "./operations/webhooks/plugin.ts";
import themes from "./themes/plugin.ts";
import exporting from "./transfer/exports/plugin.ts";
import importing from "./transfer/imports/plugin.ts";
import loader from "./transfer/loader/plugin.ts";
import migrate from "./transfer/migrate/plugin.ts";
import webAccount from "./web/account/plugin.ts";
import webDiagrams from "./web/diagrams/plugin.ts";
import webDrawings from "./web/drawings/plugin.ts";
import webEditing from "./web/editing/plugin.ts";
import webInstance from "./web/instance/plugin.ts";
import webIntegrations from "./web/integrations/plugin.ts";
import webReading from "./web/reading/plugin.ts";
import webSettings from "./web/settings/plugin.ts";
import web from "./web/shell/plugin.ts";

const plugins: readonly AnyPlugin[] = [
  instanceSettings,
  access,
  mail,
  throttle,
  // Before users, whose mails name the instance.
  system,
  users,
  roles,
  tokens,
  sessions,
  markup,
  tags,
  shelves,
  books,
  chapters,
  pages,
  pageDrafts,
  contentPermissions,
  attachments,
  images,
  comments,
  bookSort,
  contentCopies,
  tagRenames,
  recycleBin,
  addressChange,
  auditLog,
  webhooks,
  search,
  attachmentTexts,
  homePage,
  watching,
  links,
  slugHistory,
  exporting,
  importing,
  dashboardKeys,
  hosts,
  dashboard,
  loader,
  migrate,
  docs,
  scheduledBackups,
  s3Files,
  languages,
  // Before themes, which may listen to events of the plugins that it loads.
  isolation,
  themes,
  health,
  opentelemetry,
  versionCheck,
  doctor,
  web,
  webReading,
  webEditing,
  webAccount,
  webSettings,
  webInstance,
  webIntegrations,
  webDiagrams,
  webDrawings,
  discovery,
  formulas,
];

export default plugins;
export { removedVariables } from "./removed_variables.ts";
