import { type PluginContext, rules, type Static, t } from "lectern/core";

/** The body of a conversion. */
export const conversionRules = rules({ html: ["string"] });

/** The Markdown of a conversion. */
export const conversionSchema = t.Object({ markdown: t.String() }, { $id: "MarkdownConversion" });

/** What the files of this plugin share. */
export interface ExportsContext
  extends Pick<PluginContext, "app" | "baseUrl" | "children" | "slot" | "pools" | "validate"> {
  readonly settings: {
    /** The limit of each statement that reads what is exported, in milliseconds. */
    readonly readTimeoutMs: number;
  };
}

declare module "lectern/contracts" {
  interface Answers {
    "POST /api/exports/markdown": Static<typeof conversionSchema>;
  }
}
