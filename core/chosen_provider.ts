import { BootError } from "./errors.ts";
import { closestMatch } from "./std/closest_match.ts";

/** What an operator chooses among several providers of one service. */
export interface ProviderChoice {
  /** The service, as an error names it: "a mail transport". */
  readonly service: string;
  /** The variable of the choice, such as "MAIL_TRANSPORT". */
  readonly variable: string;
  /** The chosen name; "" where the operator chose none. */
  readonly chosen: string;
}

/**
 * The provider of a service that plugins can replace: the one that the operator has named, else the only one; undefined where
 * there is none. Throws BootError for a name that no provider has, for a name that two have, and for several providers without
 * a choice, since data or messages would otherwise go somewhere by chance.
 * @example
 * const printer = chosenProvider([{ name: "paper" }], { service: "a printer", variable: "NOTES_PRINTER", chosen: "" });
 */
export function chosenProvider<P extends { readonly name: string }>(
  providers: readonly P[],
  { service, variable, chosen }: ProviderChoice,
): P | undefined {
  const names = providers.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new BootError(`Two plugins provide ${service} named "${twice}"; one must go`);
  if (chosen === "") {
    if (providers.length > 1)
      throw new BootError(`Each of ${listed(names)} is ${service}: set ${variable} to the one to use`);
    return providers[0];
  }
  const provider = providers.find(({ name }) => name === chosen);
  if (provider) return provider;
  const near = closestMatch(chosen, names);
  const hint =
    near === undefined ? (names.length > 0 ? `; there is ${listed(names)}` : "") : `; did you mean "${near}"?`;
  throw new BootError(`${variable} names "${chosen}", but no plugin provides ${service} of that name${hint}`);
}

function listed(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(" and ");
}
