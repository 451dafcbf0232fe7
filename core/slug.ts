/** Slugs: how names become parts of addresses (content-api 4.1). */

/** Longest base of a slug in characters; a suffix may follow. */
const MAX_BASE = 240;
const SUFFIX_LENGTH = 3;
const HEX_LENGTH = 5;
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Letters that do not decompose into an ASCII letter and marks; scripts without a mapping vanish. */
const LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "ß=ss æ=ae œ=oe ø=o ł=l đ=d ð=d þ=th ħ=h ı=i ŋ=n ĸ=k ŧ=t ſ=s ə=e ƒ=f",
    "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o",
    "а=a б=b в=v г=g д=d е=e ж=zh з=z и=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya",
    "ђ=dj є=ye і=i ј=j љ=lj њ=nj ћ=c џ=dz ѕ=z ґ=g",
    "ا=a أ=a إ=a آ=a ب=b ت=t ث=th ج=g ح=h خ=kh د=d ذ=th ر=r ز=z س=s ش=sh ص=s ض=d ط=t ظ=th ع=aa غ=gh ف=f ق=k ك=k ل=l م=m ن=n ه=h و=o ي=y ى=a ة=a ء= پ=p چ=ch ژ=zh گ=g ک=k ی=y",
    "٠=0 ١=1 ٢=2 ٣=3 ٤=4 ٥=5 ٦=6 ٧=7 ٨=8 ٩=9",
  ].flatMap((line) => line.split(" ").map((pair) => pair.split("=") as [string, string])),
);

/** The slug of a name, empty where nothing of it can be written in ASCII. */
export function slugOf(name: string): string {
  const ascii = [...name.normalize("NFKD").toLowerCase()].map(asciiOf).join("");
  const slug = ascii
    .replace(/_/g, "-")
    .replace(/@/g, "-at-")
    .replace(/[^a-z0-9\s-]/g, "")
    .replace(/[\s-]+/g, "-");
  return cut(slug.replace(/^-+|-+$/g, ""));
}

/**
 * A free slug for a name: its own, else with a random suffix; random hex where the name leaves nothing. `isTaken` is
 * asked until it says no; the item's own present slug must count as free.
 */
export async function uniqueSlug(name: string, isTaken: (slug: string) => Promise<boolean>): Promise<string> {
  const own = slugOf(name);
  const base = own === "" ? random("0123456789abcdef", HEX_LENGTH) : own;
  let slug = base;
  while (await isTaken(slug)) slug = `${base}-${random(ALPHANUMERIC, SUFFIX_LENGTH)}`;
  return slug;
}

function asciiOf(character: string): string {
  if (character.charCodeAt(0) < 128) return character;
  if (/\p{M}/u.test(character)) return "";
  return LETTERS[character] ?? (/\s/.test(character) ? " " : "");
}

function cut(slug: string): string {
  if (slug.length <= MAX_BASE) return slug;
  const boundary = slug.lastIndexOf("-", MAX_BASE);
  return slug.slice(0, boundary > 0 ? boundary : MAX_BASE);
}

function random(alphabet: string, length: number): string {
  const values = crypto.getRandomValues(new Uint32Array(length));
  return Array.from(values, (value) => alphabet[value % alphabet.length]).join("");
}
