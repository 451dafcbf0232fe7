/** A value as a source has it: `{ read: ["books"] }`. */
export function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? String(value);
  const members = Object.entries(value).map(([key, member]) => `${keyText(key)}: ${written(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function keyText(key: string): string {
  return /^[a-z_]\w*$/i.test(key) ? key : JSON.stringify(key);
}
