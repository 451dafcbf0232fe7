import { BootError } from "../errors.ts";
import type { Texts } from "../i18n/catalogue.ts";
import type { AnyPlugin } from "./plugin.ts";

/**
 * Adds the texts of plugins to the catalogue. Throws BootError where two plugins give different texts for one key in one language,
 * or a plugin gives another text for a key of the runtime.
 */
export function addPluginTexts(plugins: readonly Pick<AnyPlugin, "name" | "texts">[], texts: Texts): void {
  const owners = new Map<string, string>();
  for (const { name, texts: own } of plugins)
    for (const [language, catalogue] of Object.entries(own)) {
      for (const [key, text] of Object.entries(catalogue)) {
        const place = `${language} ${key}`;
        const present = texts.say(key, {}, language);
        const owner = owners.get(place) ?? (language === "en" && present !== key ? "core" : undefined);
        if (owner !== undefined && present !== text)
          throw new BootError(
            `The plugin "${name}" gives the text "${key}" in "${language}" as "${text}", and "${owner}" as "${present}"`,
          );
        owners.set(place, owner ?? name);
      }
      texts.add(language, catalogue);
    }
}
