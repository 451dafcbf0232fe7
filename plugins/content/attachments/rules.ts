import { fileKilobytes, rules } from "lectern/core";

/** The rules of both bodies (content-api 2.4) for a file limit in megabytes. */
export function rulesFor(limitMb: number) {
  const max = `max:${fileKilobytes(limitMb)}` as const;
  return {
    create: rules({
      name: ["required", "string", "min:1", "max:255"],
      uploaded_to: ["required", "integer", "exists:entities,id,type,page"],
      file: ["required_without:link", "file", max],
      link: ["required_without:file", "string", "min:1", "max:2000", "safe_url"],
    }),
    update: rules({
      name: ["string", "min:1", "max:255"],
      uploaded_to: ["integer", "exists:entities,id,type,page"],
      file: ["file", max],
      link: ["string", "min:1", "max:2000", "safe_url"],
    }),
  };
}
