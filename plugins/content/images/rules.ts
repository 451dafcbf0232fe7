import { fileKilobytes, rules } from "lectern/core";

/** The rules of both bodies and of the query by address (content-api 2.4) for a file limit in megabytes. */
export function rulesFor(limitMb: number) {
  const file = ["image_extension", "mimes:jpeg,png,gif,webp,avif", `max:${fileKilobytes(limitMb)}`] as const;
  return {
    create: rules({
      type: ["required", "string", "in:gallery,drawio"],
      uploaded_to: ["required", "integer"],
      image: ["required", "file", ...file],
      name: ["string", "max:180"],
    }),
    update: rules({ name: ["string", "min:1", "max:180"], image: ["file", ...file] }),
    byUrl: rules({ url: ["required", "string"] }),
  };
}
