/** The dialog of a link, which both editors ask. */
import { asAddress, isSafeAddress } from "./elements.ts";
import { ask, make, type Texts } from "./screen.ts";

/** What a link is to be; an address of "" takes it away. */
export interface WrittenLink {
  readonly address: string;
  readonly text: string;
}

/** Asks for the address and the text of a link; `isThere` offers to take it away. Undefined where nothing is to change. */
export async function askLink(texts: Texts, link: WrittenLink, isThere: boolean): Promise<WrittenLink | undefined> {
  const field = (name: string, value: string) =>
    make("input", { id: `rich-${name}`, value, autocomplete: "off", spellcheck: "false" });
  const [address, label] = [field("address", link.address), field("label", link.text)];
  const chosen = await ask(
    texts.link ?? "",
    [
      make("label", { for: address.id }, texts.address),
      address,
      make("label", { for: label.id }, texts.linkText),
      label,
    ],
    [
      { text: texts.apply ?? "", value: "apply", isMain: true },
      ...(isThere ? [{ text: texts.removeLink ?? "", value: "remove" }] : []),
      { text: texts.cancel ?? "", value: "" },
    ],
  );
  if (chosen === "remove") return { address: "", text: label.value };
  const written = asAddress(address.value);
  return chosen !== "" && written !== "" && isSafeAddress(written)
    ? { address: written, text: label.value }
    : undefined;
}
