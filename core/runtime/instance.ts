import type { Migrating, Store } from "../../db/mod.ts";
import type { FileStore } from "../files/file_store.ts";
import type { Log } from "../log.ts";

/** A place of another file store, such as a bucket for backups. */
export interface OpenedPlace {
  readonly files: FileStore;
  /** The variables to look at where it fails. */
  readonly check: string;
}

/**
 * The instance as a command sees it that does not boot, so that no migration runs: its store and its files, opened on demand, and
 * what is installed.
 */
export interface Instance {
  /** The settings of the plugin whose command this is, by its schema. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The runtime, by the name "core", and the plugins: what has migrations. */
  readonly installed: readonly Migrating[];
  readonly log: Log;
  /** DATA_DIR. */
  readonly dataDir: string;
  /** The name of the file store in use, such as "disk", and its place, such as a folder or a bucket. */
  readonly filesAt: { readonly name: string; readonly place: string };
  hasStore(): Promise<boolean>;
  /** Refuses to create a store where a variable has another name than the setting which would say where it is. Throws BootError. */
  refuseOtherNames(): Promise<void>;
  /** Opens the store, with few connections; it is created where there is none. The caller closes it. */
  openStore(): Promise<Store>;
  /** The file store in use, with its name in messages. One that a plugin's setup contributes is opened by a boot over a temporary store. */
  withFiles<T>(run: (files: FileStore, described: string) => Promise<T>): Promise<T>;
  /** Opens a place by an address such as "s3://backups", of the file store that a plugin declares by this name. Throws BootError. */
  openPlace(scheme: string, place: string): OpenedPlace;
}
