/**
 * Screens for administrators: users, roles, audit log, recycle bin, maintenance, system, and permissions of single items. They read
 * and change everything through the API.
 */
import { join } from "node:path";
import type { MenuEntry } from "lectern/contracts";
import { labelSlots } from "lectern/contracts";
import { definePlugin } from "lectern/core";
import { AUDIT_LOG_PERMIT, mountAuditLog } from "./audit_log.ts";
import { mountItemPermissions } from "./item_permissions.ts";
import { mountMaintenance } from "./maintenance.ts";
import { checkLabels } from "./permission_names.ts";
import { markOwnPermissions } from "./permissions_badge.ts";
import { mountRecycleBin, RECYCLE_BIN_PERMIT } from "./recycle_bin.ts";
import { mountRoles } from "./roles.ts";
import { mountSystem } from "./system.ts";
import { mountUsers } from "./users.ts";

const ENTRIES: readonly Omit<MenuEntry, "at">[] = [
  { path: "/settings/users", text: "Users", icon: "users", permit: ["users-manage"], order: 10 },
  { path: "/settings/roles", text: "Roles", icon: "roles", permit: ["user-roles-manage"], order: 20 },
  {
    path: "/settings/audit",
    text: "Audit log",
    icon: "audit",
    needs: "/api/audit-log",
    permit: AUDIT_LOG_PERMIT,
    order: 60,
  },
  {
    path: "/settings/recycle-bin",
    text: "Recycle bin",
    icon: "bin",
    needs: "/api/recycle-bin",
    permit: RECYCLE_BIN_PERMIT,
    order: 70,
  },
  { path: "/settings/maintenance", text: "Maintenance", icon: "settings", permit: ["settings-manage"], order: 80 },
  { path: "/settings/system", text: "System and plugins", icon: "system", permit: ["settings-manage"], order: 90 },
];

export default definePlugin({
  name: "web_settings",
  requires: ["mail", "users", "web"],
  uses: ["overrides"],
  slots: labelSlots,
  setup(context) {
    const { contracts, contribute, on, slot } = context;
    const { mail, users, web } = contracts;
    for (const entry of ENTRIES) contribute("screen_part", { at: "menu/settings", ...entry });
    const shared = {
      ...context,
      web,
      canInvite: () => mail.isConfigured,
      commonPassword: users.commonPassword,
      permissionsScript: web.asset("permissions.js", join(import.meta.dir, "public", "permissions.js")),
    };
    mountUsers(shared);
    mountRoles(shared);
    mountAuditLog(shared);
    mountRecycleBin(shared);
    mountMaintenance(shared);
    mountSystem(shared);
    mountItemPermissions(shared);
    if (contracts.overrides) markOwnPermissions(shared, { contribute, overrides: contracts.overrides });
    on("app_boot", { inTransaction: () => checkLabels(slot("permission_label"), slot("permission")) });
  },
});
