import { isAscii } from './text.ts';

/**
 * The scripts of Unicode 17 by their codes (ISO 15924), without those of the mixtures below. The runtime knows the
 * characters of each script, but has no list of scripts.
 */
const SCRIPTS =
  `Adlm Aghb Ahom Arab Armi Armn Avst Bali Bamu Bass Batk Beng Berf Bhks Brah Brai Bugi Buhd Cakm Cans Cari
  Cham Cher Chrs Copt Cpmn Cprt Cyrl Deva Diak Dogr Dsrt Dupl Egyp Elba Elym Ethi Gara Geor Glag Gong Gonm Goth Gran
  Grek Gujr Gukh Guru Hano Hatr Hebr Hluw Hmng Hmnp Hung Ital Java Kali Kawi Khar Khmr Khoj Kits Knda Krai Kthi Lana
  Laoo Lepc Limb Lina Linb Lisu Lyci Lydi Mahj Maka Mand Mani Marc Medf Mend Merc Mero Mlym Modi Mong Mroo Mtei Mult
  Mymr Nagm Nand Narb Nbat Newa Nkoo Nshu Ogam Olck Onao Orkh Orya Osge Osma Ougr Palm Pauc Perm Phag Phli Phlp Phnx
  Plrd Prti Rjng Rohg Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd Sidt Sind Sinh Sogd Sogo Sora Soyo Sund Sunu Sylo Syrc
  Tagb Takr Tale Talu Taml Tang Tavt Tayo Telu Tfng Tglg Thaa Thai Tibt Tirh Tnsa Todr Tols Toto Tutg Ugar Vaii Vith
  Wara Wcho Xpeo Xsux Yezi Yiii Zanb`.split(/\s+/);

/** Scripts that are written together: Japanese, Chinese and Korean, each also with Latin letters. */
const MIXTURES = ['Latn Hani Hira Kana', 'Latn Hani Bopo', 'Latn Hani Hang'];

/** Characters without a script of their own: ASCII digits, "_", most accents. */
const ANYWHERE = /[\p{scx=Zyyy}\p{scx=Zinh}]/gu;
const DIGITS = /\p{Nd}/gu;
const DIGIT = /^\p{Nd}$/u;

let ofOneScript: RegExp | undefined;

/**
 * True when all characters can belong to one script, or to one usual mixture: "Highly Restrictive" of
 * https://www.unicode.org/reports/tr39/#Restriction_Level_Detection, for any script.
 */
export function isOfOneScript(text: string): boolean {
  if (isAscii(text)) return true;
  // Compiled for the first name beyond ASCII, which takes 25 ms once, so that no start waits for it.
  ofOneScript ??= new RegExp(`^(?:${[...MIXTURES, ...SCRIPTS].map(charactersOf).join('|')})$`, 'u');
  return ofOneScript.test(text.replace(ANYWHERE, ''));
}

function charactersOf(scripts: string): string {
  return `[${scripts.replace(/\w+/g, String.raw`\p{scx=$&}`).replaceAll(' ', '')}]*`;
}

/** True when all digits are of one numbering system (https://www.unicode.org/reports/tr39/#Mixed_Number_Detection). */
export function hasDigitsOfOneKind(text: string): boolean {
  return new Set((text.match(DIGITS) ?? []).map(zeroOf)).size <= 1;
}

/** The code point of the zero of the digit's numbering system. Unicode has digits in rows of ten, from 0 to 9. */
function zeroOf(digit: string): number {
  const point = digit.codePointAt(0) ?? 0;
  let first = point;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first--;
  return point - ((point - first) % 10);
}
