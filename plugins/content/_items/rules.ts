import { fileKilobytes, type Rules, rules } from "lectern/core";

/** The bodies of a create and an update (content-api 2.4): name and description, then the kind's own fields. */
export function itemRules<const Own extends Rules>(own: Own) {
  const shared = { description: ["string", "max:1900"], description_html: ["string", "max:2000"], ...own } as const;
  return {
    create: rules({ name: ["required", "string", "max:255"], ...shared }),
    update: rules({ name: ["string", "min:1", "max:255"], ...shared }),
  };
}

/** The rule of a cover image, for a limit on files in megabytes. */
export function coverRule(limitMb: number) {
  return ["nullable", "image_extension", "mimes:jpeg,png,gif,webp,avif", `max:${fileKilobytes(limitMb)}`] as const;
}
