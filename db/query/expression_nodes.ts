/** Nodes of Kysely's trees, as plain objects: what the copy of a checked tree is made of. */
import { isObject } from "./unknown_values.ts";

/** A node of any kind, whose members are not known yet. */
export type Tree = { readonly kind: string } & { readonly [member: string]: unknown };

/** A text among the arguments of a function is a text: the server asks for its type. */
export function asText(node: Tree): Tree {
  const isText = node.kind === "ValueNode" && typeof node.value === "string";
  return isText ? { kind: "CastNode", expression: node, dataType: { kind: "DataTypeNode", dataType: "text" } } : node;
}

/** The node of a name. */
export function identifier(name: string): Tree {
  return { kind: "IdentifierNode", name };
}

/** The node of a table. */
export function tableNode(name: string, schema?: string): Tree {
  const written = { kind: "SchemableIdentifierNode", identifier: identifier(name) };
  return { kind: "TableNode", table: schema === undefined ? written : { ...written, schema: identifier(schema) } };
}

/** Maps a member that may be missing, or a list of them. */
export function deep(value: unknown, map: (value: unknown) => Tree): Tree | Tree[] | undefined {
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.map(map) : map(value);
}

/** The items of a member that is a list; none for any other. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a value is the node of all columns. */
export function isAll(node: unknown): boolean {
  return isTree(node) && node.kind === "SelectAllNode";
}

/** The member of a node that is a node itself; undefined for any other. */
export function nodeIn(node: unknown, member: string): Tree | undefined {
  const found = isObject(node) ? node[member] : undefined;
  return isTree(found) ? found : undefined;
}

/** Whether a value is a node. */
export function isTree(value: unknown): value is Tree {
  return isObject(value) && typeof value.kind === "string";
}
