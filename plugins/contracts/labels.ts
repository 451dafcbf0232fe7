/**
 * What people read in place of names of kinds, permissions and activities. All of these are English texts and the keys of their
 * translations, which a plugin gives in its `texts`. A name without a label is shown as it is.
 */
import {
  type ContentKind,
  type ContentVerb,
  deepFreeze,
  type KindLabels,
  type PermissionName,
  type SlotSpecs,
} from "lectern/core";
import type { ActivitySource } from "./activity.ts";
import { activityPhrases } from "./activity_phrases.ts";

/**
 * What the form of a role shows for a permission that a plugin adds.
 * @example
 * context.contribute("permission_label", {
 *   permission: "note-pin",
 *   label: "Pin notes",
 *   about: "Keep notes at the top of the list.",
 *   section: "Notes",
 * });
 */
export interface PermissionLabel {
  readonly permission: PermissionName;
  /** "Publish recipes". */
  readonly label: string;
  /** What the permission allows, in a sentence. */
  readonly about?: string;
  /** The heading of the group that it is in, "Recipes"; without one it is among those of all plugins. */
  readonly section?: string;
}

/** How a type of the audit log is described. */
export interface ActivityDescription {
  /** What the user did, after their name and before that of the item: "applauded". Calls of webhooks have it as their text. */
  readonly phrase: string;
  /** The type in a list of types: "Applause"; the phrase by default. */
  readonly label?: string;
  /** The heading of its group in such lists. */
  readonly section?: string;
}

/**
 * The labels of a kind; made of its name where it has none.
 * @example
 * const { one, many } = kindLabels(context.slot("content"), "note");
 */
export function kindLabels(kinds: readonly ContentKind[], kind: string): KindLabels {
  return kinds.find((each) => each.kind === kind)?.labels ?? { one: kind, many: kind };
}

/**
 * The description of a type of the audit log: BookStack's words, else those of its source or its kind of content; undefined where it has none.
 * @example
 * const slots = { activity: context.slot("activity"), content: context.slot("content") };
 * activityDescription(slots, "note_create")?.phrase; // "created note"
 */
export function activityDescription(
  { activity, content }: { readonly activity: readonly ActivitySource[]; readonly content: readonly ContentKind[] },
  type: string,
): ActivityDescription | undefined {
  if (Object.hasOwn(activityPhrases, type)) return { phrase: activityPhrases[type] ?? type };
  for (const { descriptions = {} } of activity) if (Object.hasOwn(descriptions, type)) return descriptions[type];
  const at = type.lastIndexOf("_");
  const labels = content.find(({ kind }) => kind === type.slice(0, at))?.labels;
  const verb = VERBS.find((each) => each === type.slice(at + 1));
  if (!labels || !verb) return undefined;
  const phrase = labels.phrases?.[verb] ?? `${PAST[verb]} ${labels.one.toLowerCase()}`;
  return { phrase, section: labels.many };
}

const PAST: Readonly<Record<ContentVerb, string>> = {
  create: "created",
  update: "updated",
  delete: "deleted",
  move: "moved",
};
const VERBS = ["create", "update", "delete", "move"] as const;

declare module "lectern/core" {
  interface Slots {
    permission_label: PermissionLabel;
  }
}

/** What is known of these slots beside their types. */
export const labelSlots = deepFreeze({
  permission_label: {
    members: { permission: "text", label: "text", about: "optional_text", section: "optional_text" },
  },
} as const satisfies SlotSpecs);
