import { BootError } from "../errors.ts";
import type { Catalogue, Texts } from "../i18n/catalogue.ts";
import type { Log } from "../log.ts";
import type { AnyPlugin } from "./plugin.ts";

type Speaker = Pick<AnyPlugin, "name" | "texts">;

/**
 * Adds the texts of plugins to the catalogue. Where a plugin gives another text for a key than Lectern or a plugin that ships with
 * it, theirs is used and a warning logged, since a new version of Lectern may add a key that the plugin has. Throws BootError where
 * two other plugins, or two that ship, give different texts for one key in one language.
 */
export function addPluginTexts(
  plugins: readonly Speaker[],
  texts: Texts,
  { shipped, log }: { readonly shipped: readonly Speaker[]; readonly log: Pick<Log, "warn"> },
): void {
  const owners = new Map<string, { readonly name: string; readonly ships: boolean }>();
  const ships = (plugin: Speaker) => shipped.includes(plugin);
  // Those that ship first, whose texts are used.
  for (const plugin of [...plugins.filter(ships), ...plugins.filter((each) => !ships(each))]) {
    for (const [language, catalogue] of Object.entries(plugin.texts)) {
      const used = Object.entries(catalogue).filter(([key, text]) => {
        const place = `${language} ${key}`;
        const present = texts.say(key, {}, language);
        const isCore = language === "en" && present !== key;
        const owner = owners.get(place) ?? (isCore ? { name: "core", ships: true } : undefined);
        owners.set(place, owner ?? { name: plugin.name, ships: ships(plugin) });
        if (owner === undefined || present === text) return true;
        if (!owner.ships || ships(plugin))
          throw new BootError(
            `The plugin "${plugin.name}" gives the text "${key}" in "${language}" as "${text}", and "${owner.name}" as "${present}"`,
          );
        log.warn("A plugin gives another text for a key than Lectern, whose text is used", {
          ...{ plugin: plugin.name, language, key, text, used: present, from: owner.name },
        });
        return false;
      });
      texts.add(language, Object.fromEntries(used) as Catalogue);
    }
  }
}
