/** Which files of a plugin are in use. Files of a plugin that makes no claim are never swept away. */
export interface FileClaim {
  /** The plugin whose files these are. */
  readonly plugin: string;
  /** Those of the keys, as the plugin's own `files` knows them, that some row names. */
  readonly used: (keys: readonly string[]) => Promise<readonly string[]>;
}

declare module "../registry.ts" {
  interface Slots {
    file_claims: FileClaim;
  }
}
