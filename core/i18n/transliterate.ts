/**
 * Transliterates text to ASCII as the original does, by the results of voku/portable-ascii for English: the last table of
 * many languages that has a letter decides, so the letters of one language follow several systems (ж is z as in Serbian, щ is
 * shh as in GOST, я is ia as in passports). No npm library agrees: the best one differs in a third of the Cyrillic and Greek
 * letters. Latin letters with marks need no table: Unicode decomposes them.
 */

/** `letters=ASCII` in groups by script; an empty right side drops the letter. Case matters: Η is h and η is i. */
const LETTERS: Readonly<Record<string, string>> = tableOf([
  // Latin letters that do not decompose, or decompose otherwise
  "ß=ss ẞ=ss æ=ae Æ=ae ǽ=ae Ǽ=ae œ=oe Œ=oe ø=o Ø=o ł=l Ł=l đ=d Đ=d ð=d Ð=d þ=th Þ=th ħ=h Ħ=h ı=i ŋ=n Ŋ=n ŉ=n ĸ=k ŧ=t Ŧ=t ſ=s",
  "ə=e Ə=e ƒ=f ɨ=i Ɨ=i ɵ=o Ɵ=o ʉ=u Ʉ=u ʊ=u Ʊ=u ȼ=c Ȼ=c ⱥ=a Ⱥ=a ɇ=e Ɇ=e ɉ=j Ɉ=j ƚ=l Ƚ=l ⱦ=t Ⱦ=t ɏ=y Ɏ=y ƶ=z Ƶ=z Ɓ=b ꞥ=n Ꞥ=n ꞩ=s Ꞩ=s",
  "ꜳ=aa Ꜳ=aa ꜵ=ao Ꜵ=ao ꜷ=au Ꜷ=au ꜹ=av Ꜹ=av ꜻ=av Ꜻ=av ꜽ=ay Ꜽ=ay ꝏ=oo Ꝏ=oo ꜩ=tz Ꜩ=tz ᵫ=ue",
  "ȸ=db ȹ=qp ʣ=dz ʥ=dz ʤ=dezh ʦ=ts ʧ=tesh ʨ=tc ʩ=feng ʪ=ls ʫ=lz ɮ=lezh",
  // Greek
  "α=a β=v γ=gh δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=ks ο=o π=p ρ=r σ=s ς=s τ=t υ=i φ=f χ=kh ψ=ps ω=o",
  "ά=a έ=e ή=i ί=i ό=o ύ=y ώ=w ϊ=i ϋ=y ΐ=i ΰ=y ϐ=v ϑ=th ϒ=y",
  "Α=a Β=b Γ=g Δ=d Ε=e Ζ=z Η=h Θ=th Ι=i Κ=k Λ=l Μ=m Ν=n Ξ=ks Ο=o Π=p Ρ=r Σ=s Τ=t Υ=y Φ=f Χ=x Ψ=ps Ω=o",
  "Ά=a Έ=e Ή=i Ί=i Ό=o Ύ=y Ώ=w Ϊ=i Ϋ=y",
  "ΑΥ=au ΑΎ=au Αυ=au Αύ=au ΕΙ=i ΕΊ=i Ει=ei Εί=i ΕΥ=ef ΕΎ=eu Ευ=ef Εύ=eu ΟΙ=i ΟΊ=i Οι=oi Οί=i ΟΥ=u ΟΎ=ou Ου=oy Ού=ou",
  "ΥΙ=i ΎΙ=i ΥΊ=i Υι=yi Ύι=i Υί=i αι=ai αυ=au αύ=au ει=ei εί=i ευ=ef εύ=eu οι=oi οί=i ου=oy ού=ou υι=yi ύι=i υί=i",
  // Cyrillic
  bothCases(
    "а=a б=b в=v г=g ґ=g д=d е=e ё=e є=je ж=z з=z и=i і=i ї=yi й=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=x ц=c ч=c",
    "ш=s щ=shh ъ=ie ы=y ь= э=e ю=iu я=ia ђ=dj ѓ=gj ѕ=dz ј=j љ=lj њ=nj ћ=c ќ=kj џ=dz ә=a ғ=g қ=q ң=n ө=o ұ=u ү=u һ=h",
    "ѣ=e ѥ=je ѧ=ja ѩ=ja ѫ=u ѭ=ju ѯ=ks ѱ=ps ѳ=f ѵ=i ѡ=o ѿ=ot ꙋ=u ꙗ=ja",
  ),
  // Arabic and Persian
  "ا=a أ=a إ=a آ=a ب=b پ=p ت=t ث=th ج=g چ=ch ح=h خ=kh د=d ذ=th ر=r ز=z ژ=zh س=s ش=sh ص=s ض=d ط=t ظ=th ع=aa غ=gh",
  "ف=f ق=k ك=k ک=k گ=g ل=l م=m ن=n ه=h و=o ؤ=o ي=y ی=y ئ=y ء=aa ٠=0 ١=1 ٢=2 ٣=3 ٤=4 ٥=5 ٦=6 ٧=7 ٨=8 ٩=9",
  // Georgian
  "ა=a ბ=b გ=g დ=d ე=e ვ=v ზ=z თ=t ი=i კ=k ლ=l მ=m ნ=n ო=o პ=p ჟ=zh რ=r ს=s ტ=t უ=u ფ=f ქ=q ღ=gh ყ=y შ=sh ჩ=ch ც=ts",
  "ძ=dz წ=ts ჭ=ch ხ=kh ჯ=j ჰ=h",
  // Armenian
  bothCases(
    "ա=a բ=b գ=g դ=d ե=e զ=z է=e ը=y թ=th ժ=zh ի=i լ=l խ=kh ծ=ts կ=k հ=h ձ=dz ղ=gh ճ=tch մ=m յ=y ն=n շ=sh ո=vo չ=ch պ=p",
    "ջ=j ռ=r ս=s վ=v տ=t ր=r ց=c ւ=u փ=ph ք=q օ=o ֆ=f",
  ),
  "և=ev",
  // Devanagari; vowel signs are dropped
  "अ=a आ=aa इ=i ई=ii उ=u ऊ=uu ऋ=ri ए=e ऐ=ai ओ=o औ=ou ऑ=oi ॐ=oms क=ka ख=kha ग=ga घ=gha ङ=na च=ca छ=chha ज=ja झ=jha ञ=nia",
  "ट=ta ठ=tha ड=da ढ=dha ण=nae त=ta थ=tha द=tha ध=thha न=na प=pa फ=fa ब=b भ=bha म=ma य=ya र=ra ल=l ळ=li व=va श=sha ष=shha स=sa ह=ha",
  // Signs and dashes
  "€=eur £=ps ¥=yen ¢=c ₹=rs ₽=rub ₴=uah ₺=tl ₩=w ₪=ns ₫=d ₸=kzt ₾=gel ฿=thb µ= ˚=0 –=- —=-",
]);

const PAIRS = new RegExp(
  Object.keys(LETTERS)
    .filter((letters) => letters.length > 1)
    .join("|"),
  "g",
);

/** A text in ASCII: unknown characters are dropped, white space becomes spaces. */
export function transliterate(text: string): string {
  const known = text.normalize("NFC").replace(PAIRS, (pair) => LETTERS[pair] ?? "");
  return [...known].map(asciiOf).join("");
}

function asciiOf(character: string): string {
  if (character.charCodeAt(0) < 128) return character;
  const known = LETTERS[character];
  if (known !== undefined) return known;
  if (/[\s\u200b]/u.test(character)) return " ";
  const parts = character.normalize("NFKD");
  // Signs and fractions that decompose into letters or digits (™, ½) would read as words.
  if (!/[\p{L}\p{N}]/u.test(character) || !/^[\p{L}\p{N}\p{M}]+$/u.test(parts)) return "";
  return [...parts].map((part) => (part < "\u0080" ? part : (LETTERS[part] ?? ""))).join("");
}

function tableOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.flatMap((line) => line.split(" ").map((pair) => pair.split("=") as [string, string])),
  );
}

function bothCases(...lines: readonly string[]): string {
  const line = lines.join(" ");
  return `${line} ${line.toUpperCase().replace(/=\w*/g, (ascii) => ascii.toLowerCase())}`;
}
