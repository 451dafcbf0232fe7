/**
 * The update check: requests a URL of the operator once a day and shows the newest version on the screen of the system. It is off
 * unless UPDATE_CHECK is set, and nothing is installed by it.
 */
import type { Visit } from "lectern/contracts";
import { DAY_MS, definePlugin } from "lectern/core";
import { newestVersion } from "./newest_version.ts";
import { mountUpdate } from "./routes.ts";
import { settings } from "./settings.ts";

export default definePlugin({
  name: "version_check",
  grants: { net: "any" },
  settings,
  setup({ app, contribute, fetch, log, onStart, onStop, runtime, settings: { url } }) {
    let newest: string | undefined;
    mountUpdate({ app, runtime }, { isChecked: url !== "", newest: () => newest });
    if (url === "") return;
    let timer: ReturnType<typeof setInterval> | undefined;
    const check = async () => {
      try {
        newest = await newestVersion(fetch, url);
        if (isNewer(newest, runtime.version))
          log.info("There is a newer version", { newest, version: runtime.version });
      } catch (error) {
        log.warn("Cannot check for a newer version", { error });
      }
    };
    onStart(() => {
      void check();
      timer = setInterval(() => void check(), DAY_MS);
      timer.unref();
    });
    onStop(() => clearInterval(timer));
    contribute("screen_part", {
      at: "system/figures",
      label: "Newest version",
      read: ({ ui: { t } }: Visit) => {
        if (newest === undefined) return t("Unknown");
        return isNewer(newest, runtime.version)
          ? t(":version, newer than this one", { version: newest })
          : t(":version, this one is not older", { version: newest });
      },
    });
  },
});

function isNewer(version: string, than: string): boolean {
  return Bun.semver.order(version, than) > 0;
}
