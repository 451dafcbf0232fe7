import { BootError } from "lectern/core";

/** Where drawings are edited. */
export interface DrawingEditor {
  readonly address: string;
  readonly origin: string;
}

/** The editor of draw.io's makers, as in BookStack. */
const DEFAULT_ADDRESS = "https://embed.diagrams.net/";
const OFF: ReadonlySet<string> = new Set(["", "false", "0"]);
const ON: ReadonlySet<string> = new Set(["true", "1"]);
/** How the editor talks to the page around it. */
const PROTOCOL = { embed: "1", proto: "json", spin: "1" };

/** The editor that DRAWIO names; undefined where there is none. Throws BootError for what is neither an address nor true or false. */
export function drawingEditor(setting: string): DrawingEditor | undefined {
  const value = setting.trim();
  if (OFF.has(value.toLowerCase())) return undefined;
  const given = ON.has(value.toLowerCase()) ? DEFAULT_ADDRESS : value;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new BootError(
      `Cannot use DRAWIO: found "${value}", expected true, false or an address that begins with https://`,
    );
  for (const [name, word] of Object.entries(PROTOCOL)) url.searchParams.set(name, word);
  return { address: url.href, origin: url.origin };
}
