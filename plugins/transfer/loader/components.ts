/**
 * Renders the components of common documentation systems as plain Markdown: notes become quotes, steps and tabs get a bold
 * title, cards become links, parameter fields a bold name with its type. An unknown component is replaced by its content.
 * The content is already converted; finding components is the caller's work.
 */
import { linesOf } from "./code_spans.ts";

/** State that the components of one list of steps share. */
export interface RenderState {
  /** Counts the steps of one list of steps. */
  readonly steps: { count: number };
}

type Render = (attributes: Readonly<Record<string, string>>, content: string, state: RenderState) => string;

const NOTES: Readonly<Record<string, string>> = {
  Note: "Note",
  Info: "Info",
  Tip: "Tip",
  Warning: "Warning",
  Danger: "Danger",
  Check: "Check",
  Caution: "Caution",
  Callout: "",
  Admonition: "",
  Aside: "",
  Alert: "",
};

const RENDERS: Readonly<Record<string, Render>> = {
  Step: ({ title }, content, { steps }) => {
    steps.count += 1;
    const text = title ?? `Step ${steps.count}`;
    return joinBlocks(bold(/^\d/.test(text) || title === undefined ? text : `${steps.count}. ${text}`), content);
  },
  Tab: ({ title, label, value }, content) => withTitle(title ?? label ?? value, content),
  TabItem: ({ title, label, value }, content) => withTitle(label ?? title ?? value, content),
  Accordion: ({ title }, content) => withTitle(title, content),
  Expandable: ({ title }, content) => withTitle(title, content),
  Update: ({ label }, content) => withTitle(label, content),
  Frame: ({ caption }, content) => [content, caption ? `*${caption}*` : ""].filter(Boolean).join("\n\n"),
  Card: card,
  LinkCard: card,
  ParamField: field,
  ResponseField: field,
  CodeGroup: (_attributes, content) => withTabNames(content),
  Image: ({ src, alt = "" }) => (src === undefined ? "" : `![${alt}](${src})`),
  Icon: () => "",
};

const WRAPPERS = [
  "Steps",
  "Tabs",
  "AccordionGroup",
  "CardGroup",
  "CardGrid",
  "Columns",
  "Column",
  "Panel",
  "Tooltip",
  "Badge",
  "RequestExample",
  "ResponseExample",
  "Snippet",
];

/** Whether a name is a component of a documentation system; those are replaced even in plain Markdown files. */
export function isKnownComponent(name: string): boolean {
  return Object.hasOwn(NOTES, name) || Object.hasOwn(RENDERS, name) || WRAPPERS.includes(name);
}

/** Renders a component that occupies lines of its own. */
export function renderComponent(
  name: string,
  attributes: Readonly<Record<string, string>>,
  content: string,
  state: RenderState,
): string {
  if (Object.hasOwn(NOTES, name)) return note(attributes.title ?? (NOTES[name] || kindOf(attributes.type)), content);
  const render = Object.hasOwn(RENDERS, name) ? RENDERS[name] : undefined;
  if (render) return render(attributes, content, state);
  const { title, href } = attributes;
  return content === "" && title !== undefined && href !== undefined ? card(attributes, "") : content;
}

function kindOf(type: string | undefined): string {
  return type === undefined || !/^[a-z]+$/i.test(type) ? "" : type.charAt(0).toUpperCase() + type.slice(1);
}

function bold(title: string): string {
  return `**${escaped(title)}**`;
}

/** Escapes `<` in a title from an attribute, except within code spans. */
function escaped(title: string): string {
  return title
    .replace(/\s+/g, " ")
    .trim()
    .replace(/(`[^`]*`)|</g, (sign, code?: string) => code ?? (sign === "<" ? "&lt;" : sign));
}

function joinBlocks(head: string, content: string): string {
  return content === "" ? head : `${head}\n\n${content}`;
}

function withTitle(title: string | undefined, content: string): string {
  return title === undefined || title.trim() === "" ? content : joinBlocks(bold(title), content);
}

function note(title: string, content: string): string {
  const first = linesOf(content)[0];
  const isInline =
    first !== undefined && !first.fenced && !/^\s*([-*+#>|]|\d+[.)]\s|!\[)/.test(first.text.replace(/^\*\*/, ""));
  const text =
    title === "" ? content : isInline ? `**${escaped(title)}:** ${content}` : joinBlocks(bold(title), content);
  return text
    .split("\n")
    .map((line) => (line.trim() === "" ? ">" : `> ${line}`))
    .join("\n");
}

function card({ title, href }: Readonly<Record<string, string>>, content: string): string {
  const name = escaped(title ?? href ?? "");
  const head = href === undefined ? `**${name}**` : `**[${name}](${/[\s()]/.test(href) ? `<${href}>` : href})**`;
  if (name === "") return content;
  return content !== "" && !content.includes("\n\n") && !/^([-*+>#|]|`{3}|\d+[.)]\s)/.test(content)
    ? `${head}: ${content}`
    : joinBlocks(head, content);
}

function field(attributes: Readonly<Record<string, string>>, content: string): string {
  const name = ["path", "query", "body", "header", "name"]
    .map((key) => attributes[key])
    .find((value) => value !== undefined);
  const details = [
    attributes.type,
    attributes.required === undefined || attributes.required === "false" ? undefined : "required",
    attributes.default === undefined ? undefined : `default \`${attributes.default}\``,
  ].filter((fact) => fact !== undefined);
  if (name === undefined) return content;
  return joinBlocks(
    `**\`${name}\`**${details.length > 0 ? ` (${details.map((fact) => fact.replaceAll("<", "&lt;")).join(", ")})` : ""}`,
    content,
  );
}

/** Moves the tab's name of each code block from behind its language to a line above the block. */
function withTabNames(content: string): string {
  return linesOf(content)
    .flatMap(({ text, opens }) => {
      const label = opens ? labelOf(text) : "";
      return label === "" ? [text] : ["", `${/^\s*/.exec(text)?.[0] ?? ""}${bold(label)}`, "", text];
    })
    .join("\n")
    .trim();
}

function labelOf(fence: string): string {
  const words = fence.replace(/^[\s>]*[`~]+\s*\S*/, "").replace(/\{[^}]*\}|[\w-]+=("[^"]*"|'[^']*'|\S+)/g, "");
  return words.replace(/\s+/g, " ").trim();
}
