/**
 * How the components of the known documentation systems read as plain Markdown: notes become quotes, steps and tabs get
 * a bold title, cards become links, parameter fields a bold name with its type. A component nobody knows is dropped and
 * its content stays. Works on content that is already converted; looks for nothing itself.
 */
import { linesOf } from "./code_spans.ts";

/** What a component is told about the place it stands in. */
export interface Around {
  /** Counts the steps of one list of steps. */
  readonly steps: { count: number };
}

type Render = (attributes: Readonly<Record<string, string>>, content: string, around: Around) => string;

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
    return under(bold(/^\d/.test(text) || title === undefined ? text : `${steps.count}. ${text}`), content);
  },
  Tab: ({ title, label, value }, content) => titled(title ?? label ?? value, content),
  TabItem: ({ title, label, value }, content) => titled(label ?? title ?? value, content),
  Accordion: ({ title }, content) => titled(title, content),
  Expandable: ({ title }, content) => titled(title, content),
  Update: ({ label }, content) => titled(label, content),
  Frame: ({ caption }, content) => [content, caption ? `*${caption}*` : ""].filter(Boolean).join("\n\n"),
  Card: card,
  LinkCard: card,
  ParamField: field,
  ResponseField: field,
  CodeGroup: (_attributes, content) => labelled(content),
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

/** Whether a name is a component of a documentation system: what is replaced even in plain Markdown files. */
export function isKnown(name: string): boolean {
  return Object.hasOwn(NOTES, name) || Object.hasOwn(RENDERS, name) || WRAPPERS.includes(name);
}

/** The Markdown of a component that stands on lines of its own. */
export function renderComponent(
  name: string,
  attributes: Readonly<Record<string, string>>,
  content: string,
  around: Around,
): string {
  if (Object.hasOwn(NOTES, name)) return note(attributes.title ?? (NOTES[name] || kindOf(attributes.type)), content);
  const render = Object.hasOwn(RENDERS, name) ? RENDERS[name] : undefined;
  if (render) return render(attributes, content, around);
  const { title, href } = attributes;
  return content === "" && title !== undefined && href !== undefined ? card(attributes, "") : content;
}

function kindOf(type: string | undefined): string {
  return type === undefined || !/^[a-z]+$/i.test(type) ? "" : type.charAt(0).toUpperCase() + type.slice(1);
}

function bold(title: string): string {
  return `**${escaped(title)}**`;
}

/** A title from an attribute: no Markdown yet, so what would start a tag is escaped; code marks stay. */
function escaped(title: string): string {
  return title
    .replace(/\s+/g, " ")
    .trim()
    .replace(/(`[^`]*`)|</g, (sign, code?: string) => code ?? (sign === "<" ? "&lt;" : sign));
}

function under(head: string, content: string): string {
  return content === "" ? head : `${head}\n\n${content}`;
}

function titled(title: string | undefined, content: string): string {
  return title === undefined || title.trim() === "" ? content : under(bold(title), content);
}

function note(title: string, content: string): string {
  const first = linesOf(content)[0];
  const flows =
    first !== undefined && !first.fenced && !/^\s*([-*+#>|]|\d+[.)]\s|!\[)/.test(first.text.replace(/^\*\*/, ""));
  const text = title === "" ? content : flows ? `**${escaped(title)}:** ${content}` : under(bold(title), content);
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
    : under(head, content);
}

function field(attributes: Readonly<Record<string, string>>, content: string): string {
  const name = ["path", "query", "body", "header", "name"]
    .map((key) => attributes[key])
    .find((value) => value !== undefined);
  const facts = [
    attributes.type,
    attributes.required === undefined || attributes.required === "false" ? undefined : "required",
    attributes.default === undefined ? undefined : `default \`${attributes.default}\``,
  ].filter((fact) => fact !== undefined);
  if (name === undefined) return content;
  return under(
    `**\`${name}\`**${facts.length > 0 ? ` (${facts.map((fact) => fact.replaceAll("<", "&lt;")).join(", ")})` : ""}`,
    content,
  );
}

/** Code blocks side by side carry their tab's name behind the language; one below the other it stands above them. */
function labelled(content: string): string {
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
