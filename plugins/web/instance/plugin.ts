/**
 * Screens for what administrators set of the instance: name and look, who may come in, mail. Which settings there are is declared by the plugins
 * that read them.
 */
import { definePlugin } from "lectern/core";
import type { SettingsScreen } from "./contract.ts";
import { mountForms } from "./forms.ts";
import { mountPictures } from "./pictures.ts";
import { mountTryMail } from "./try_mail.ts";
import { mountUpkeep } from "./upkeep.ts";

const SCREENS: readonly SettingsScreen[] = [
  {
    ...{ group: "appearance", path: "/settings/appearance", title: "Name and look", icon: "image", order: 30 },
  },
  {
    ...{ group: "access", path: "/settings/access", title: "Access and registration", icon: "lock", order: 31 },
  },
  {
    ...{ group: "mail", path: "/settings/mail", title: "Mail", icon: "comment", order: 32 },
  },
];

export default definePlugin({
  name: "web_instance",
  requires: ["instance_settings", "system", "web"],
  setup(context) {
    const { contracts, contribute } = context;
    for (const { icon, order, path, title } of SCREENS)
      contribute("screen_part", {
        ...{ at: "menu/settings", path, text: title, icon, order },
        ...{ permit: ["settings-manage"], needs: "/api/settings" },
      });
    contribute("screen_part", {
      ...{ at: "menu/settings", path: "/settings/backups", text: "Backups and updates", icon: "restore", order: 79 },
      permit: ["settings-manage"],
    });
    const shared = { ...context, web: contracts.web };
    mountForms(shared, SCREENS);
    mountPictures(shared, context);
    mountTryMail(shared, context);
    mountUpkeep(shared);
  },
});
