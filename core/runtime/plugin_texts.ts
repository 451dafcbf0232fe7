import { BootError } from "../errors.ts";
import type { Catalogue, CatalogueSource, Texts } from "../i18n/catalogue.ts";
import type { Log } from "../log.ts";
import type { AnyPlugin } from "./plugin.ts";

type Speaker = Pick<AnyPlugin, "name" | "texts">;

/** The plugin whose text is used, or the runtime. */
interface Owner {
  readonly name: string;
  readonly ships: boolean;
}

const CORE: Owner = { name: "core", ships: true };

/**
 * Adds the texts of plugins to the catalogue. Where a plugin gives another text for a key than Lectern or a plugin that ships with
 * it, theirs is used and a warning logged, since a new version of Lectern may add a key that the plugin has. Throws BootError where
 * two other plugins, or two that ship, give different texts for one key in one language.
 */
export function addPluginTexts(
  plugins: readonly Speaker[],
  texts: Texts,
  { shipped, log }: { readonly shipped: Pick<readonly Speaker[], "includes">; readonly log: Pick<Log, "warn"> },
): void {
  const owners = new Map<string, Map<string, Owner>>();
  const speakers = new Map<string, number>();
  for (const { texts: own } of plugins)
    for (const language of Object.keys(own)) speakers.set(language, (speakers.get(language) ?? 0) + 1);
  const ships = (plugin: Speaker) => shipped.includes(plugin);
  // Those that ship first, whose texts are used.
  for (const plugin of [...plugins.filter(ships), ...plugins.filter((each) => !ships(each))]) {
    for (const [language, source] of Object.entries(plugin.texts)) {
      // Texts of one plugin alone, in a language without others, collide with none and are read when they are used.
      if (speakers.get(language) === 1 && language !== "en") {
        texts.add(language, source);
        continue;
      }
      const catalogue = read(source);
      const known = owners.get(language) ?? new Map<string, Owner>();
      owners.set(language, known);
      const own = { name: plugin.name, ships: ships(plugin) };
      const unused = Object.entries(catalogue).flatMap(([key, text]) => {
        const owner = known.get(key) ?? (language === "en" && texts.say(key) !== key ? CORE : undefined);
        if (owner === undefined) {
          known.set(key, own);
          return [];
        }
        const present = texts.say(key, {}, language);
        const given = typeof text === "string" ? text : text.other;
        if (present === given) return [];
        if (!owner.ships || own.ships)
          throw new BootError(
            `The plugin "${plugin.name}" gives the text "${key}" in "${language}" as "${given}", and "${owner.name}" as "${present}"`,
          );
        log.warn("A plugin gives another text for a key than Lectern, whose text is used", {
          ...{ plugin: plugin.name, language, key, text: given, used: present, from: owner.name },
        });
        return [key];
      });
      texts.add(language, without(catalogue, unused));
    }
  }
}

function read(source: CatalogueSource): Catalogue {
  return typeof source === "function" ? source() : source;
}

function without(catalogue: Catalogue, keys: readonly string[]): Catalogue {
  if (keys.length === 0) return catalogue;
  return Object.fromEntries(Object.entries(catalogue).filter(([key]) => !keys.includes(key)));
}
