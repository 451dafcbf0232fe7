/**
 * Languages with their names, each in itself, as whoever looks for a language need not know that of the screen; where the runtime does
 * not know the name, in the language of the screen, else the name of the catalogue.
 */
export function languageNames(languages: readonly string[], shownIn: string): [code: string, name: string][] {
  return languages.map((language): [string, string] => {
    try {
      const tag = language.replaceAll("_", "-");
      const name = new Intl.DisplayNames([tag, shownIn], { type: "language" }).of(tag) ?? language;
      return [language, name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)];
    } catch {
      // A theme may have a catalogue whose name is not a language tag.
      return [language, language];
    }
  });
}
