/**
 * The languages of code in Markdown, beside those that HTML brings along. They are a script of their own, which the source editor loads
 * where a page has code in one of them, and which gives the editor parsers without any code of the editor.
 */
import type { StreamParser } from "@codemirror/language";
import { c, cpp, csharp, java, kotlin } from "@codemirror/legacy-modes/mode/clike";
import { diff } from "@codemirror/legacy-modes/mode/diff";
import { dockerFile } from "@codemirror/legacy-modes/mode/dockerfile";
import { go } from "@codemirror/legacy-modes/mode/go";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { nginx } from "@codemirror/legacy-modes/mode/nginx";
import { perl } from "@codemirror/legacy-modes/mode/perl";
import { powerShell } from "@codemirror/legacy-modes/mode/powershell";
import { properties } from "@codemirror/legacy-modes/mode/properties";
import { python } from "@codemirror/legacy-modes/mode/python";
import { ruby } from "@codemirror/legacy-modes/mode/ruby";
import { rust } from "@codemirror/legacy-modes/mode/rust";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { standardSQL } from "@codemirror/legacy-modes/mode/sql";
import { swift } from "@codemirror/legacy-modes/mode/swift";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { xml } from "@codemirror/legacy-modes/mode/xml";
import { yaml } from "@codemirror/legacy-modes/mode/yaml";
import { LANGUAGES_LOADED, type LanguageName } from "./source_language_names.ts";

const PARSERS: Readonly<Record<LanguageName, StreamParser<unknown>>> = {
  c,
  cpp,
  csharp,
  diff,
  dockerfile: dockerFile,
  go,
  ini: properties,
  java,
  kotlin,
  lua,
  nginx,
  perl,
  powershell: powerShell,
  python,
  ruby,
  rust,
  shell,
  sql: standardSQL,
  swift,
  toml,
  xml,
  yaml,
};

EventTarget.prototype.dispatchEvent.call(document, new CustomEvent(LANGUAGES_LOADED, { detail: PARSERS }));
