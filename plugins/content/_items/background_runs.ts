import {
  type ApiError,
  type Contracts,
  localizedError,
  narrowedViewer,
  type PluginContext,
  type Viewer,
} from "lectern/core";

/** The row of a run in the background, as far as it says for whom it runs. */
interface RunOwner {
  readonly created_by: number;
  /** The names of the permissions that its credential had, with commas; null for all that the user has. */
  readonly scope: string | null;
}

interface RunContext extends Pick<PluginContext, "texts"> {
  readonly contracts: Pick<Contracts, "users">;
}

/** The scope of a viewer's credential as the row of a run keeps it. */
export function scopeOf({ only }: Viewer): string | null {
  return only ? [...only].join() : null;
}

/** The user of a run, with the permissions of now, within the scope of the credential. Throws 404 where the user is gone. */
export async function viewerOfRun(
  { contracts }: Pick<RunContext, "contracts">,
  { created_by, scope }: RunOwner,
): Promise<Viewer> {
  const user = await contracts.users.viewer(created_by);
  if (!user) throw localizedError(404, ":noun not found", { noun: "User" });
  return scope === null ? user : narrowedViewer(user, new Set(scope.split(",")));
}

/**
 * Why a run failed, in the language of its user: `refused`, the answer that a request would have got, else `failed`, a text of the language
 * files.
 */
export async function reasonOfRun(
  { contracts, texts }: RunContext,
  { created_by }: RunOwner,
  { refused, failed }: { readonly refused: ApiError | undefined; readonly failed: string },
): Promise<string> {
  const user = await contracts.users.viewer(created_by);
  const [text, params] = refused ? (refused.details.text ?? [refused.message, {}]) : [failed, {}];
  return texts.say(text, params, user?.language ?? texts.language());
}
