import { activityDescription, activityPhrases } from "lectern/contracts";

/** Types that have a phrase. */
export const PHRASED: readonly string[] = Object.keys(activityPhrases);

/** The phrase of a type of the audit log: that of BookStack, else that of its plugin, else its name. */
export function phraseOf(type: string, described: Parameters<typeof activityDescription>[0]): string {
  return activityDescription(described, type)?.phrase ?? type.replaceAll("_", " ");
}

/** Types of platform 6.2 without a phrase: no plugin performs them yet. */
const UNUSED = [
  ...["settings_update", "user_mfa_reset", "auth_register"],
  ...["mfa_setup_method", "mfa_remove_method", "sort_rule_create", "sort_rule_update", "sort_rule_delete"],
];

/** The types that BookStack has. */
export const TYPES: ReadonlySet<string> = new Set([...PHRASED, ...UNUSED]);
