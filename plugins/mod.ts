/** The one list of what ships, in the order of the wish; boot puts providers before those who need them. */
import type { AnyPlugin } from "lectern/core";
import access from "./access/plugin.ts";
import attachments from "./attachments/plugin.ts";
import auditLog from "./audit_log/plugin.ts";
import books from "./books/plugin.ts";
import chapters from "./chapters/plugin.ts";
import comments from "./comments/plugin.ts";
import contentPermissions from "./content_permissions/plugin.ts";
import dashboard from "./dashboard/plugin.ts";
import dashboardKeys from "./dashboard_keys/plugin.ts";
import docs from "./docs/plugin.ts";
import exporting from "./exports/plugin.ts";
import hosts from "./hosts/plugin.ts";
import images from "./images/plugin.ts";
import importing from "./imports/plugin.ts";
import languages from "./languages/plugin.ts";
import links from "./links/plugin.ts";
import loader from "./loader/plugin.ts";
import mail from "./mail/plugin.ts";
import markup from "./markup/plugin.ts";
import migrate from "./migrate/plugin.ts";
import pageDrafts from "./page_drafts/plugin.ts";
import pages from "./pages/plugin.ts";
import recycleBin from "./recycle_bin/plugin.ts";
import roles from "./roles/plugin.ts";
import search from "./search/plugin.ts";
import sessions from "./sessions/plugin.ts";
import shelves from "./shelves/plugin.ts";
import system from "./system/plugin.ts";
import tags from "./tags/plugin.ts";
import throttle from "./throttle/plugin.ts";
import tokens from "./tokens/plugin.ts";
import users from "./users/plugin.ts";
import web from "./web/plugin.ts";
import webAccount from "./web_account/plugin.ts";
import webEditing from "./web_editing/plugin.ts";
import webSettings from "./web_settings/plugin.ts";
import webhooks from "./webhooks/plugin.ts";

const plugins: readonly AnyPlugin[] = [
  access,
  mail,
  throttle,
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
  recycleBin,
  auditLog,
  webhooks,
  search,
  links,
  exporting,
  importing,
  dashboardKeys,
  hosts,
  dashboard,
  loader,
  migrate,
  docs,
  system,
  languages,
  web,
  webEditing,
  webAccount,
  webSettings,
];

export default plugins;
