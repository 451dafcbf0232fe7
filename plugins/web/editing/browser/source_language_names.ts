/** The event by which the script of languages gives its parsers to the editor. */
export const LANGUAGES_LOADED = "lectern-languages";

/** The languages of that script, with further names that are written behind a fence. */
export const LANGUAGE_NAMES = {
  c: ["h"],
  cpp: ["c++", "hpp"],
  csharp: ["c#", "cs"],
  diff: ["patch"],
  dockerfile: ["docker"],
  go: ["golang"],
  ini: ["properties", "conf", "env"],
  java: [],
  kotlin: ["kt"],
  lua: [],
  nginx: [],
  perl: ["pl"],
  powershell: ["ps1", "pwsh"],
  python: ["py"],
  ruby: ["rb"],
  rust: ["rs"],
  shell: ["bash", "sh", "zsh", "console"],
  sql: ["postgresql", "mysql", "sqlite"],
  swift: [],
  toml: [],
  xml: ["svg"],
  yaml: ["yml"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The name of such a language. */
export type LanguageName = keyof typeof LANGUAGE_NAMES;
