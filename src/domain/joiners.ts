/**
 * Emoji of several code points: pictures joined by ZWJ, flags of regions, keycaps (UTS #51). A picture may have a skin
 * tone, or the selector that asks for it in colour.
 */
const PICTURE = String.raw`[\p{Extended_Pictographic}&&\p{Emoji}][\p{Emoji_Modifier}\ufe0f]?`;
const EMOJI = String.raw`\p{RGI_Emoji_Tag_Sequence}|\p{Emoji_Keycap_Sequence}|${PICTURE}(?:\u200d${PICTURE})*`;

/** Letters of the Arabic script that join no letter after them, and those that join none at all (ArabicShaping.txt). */
const NOT_AFTER =
  String.raw`\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf
  \u06d2\u06d3\u06d5\u06e5\u06e6\u06ee\u06ef\u0759-\u075b\u076b\u076c\u0771\u0773\u0774\u0778\u0779\u0870-\u0882\u088e
  \u08aa-\u08ac\u08ae\u08b1\u08b2\u08b9`.replace(/\s+/g, '');
const ALONE = String.raw`\u0621\u0674\u06e5\u06e6`;
const ARABIC = String.raw`\p{Script=Arabic}&&\p{L}&&[\u0620-\u08ff]`;
/** ZWNJ between two letters that would join, as in Persian (UAX #31, A1). */
const UNJOINED = String.raw`(?<=[[${ARABIC}]--[${NOT_AFTER}]]\p{Mn}*)\u200c(?=\p{Mn}*[[${ARABIC}]--[${ALONE}]])`;

/**
 * ZWJ or ZWNJ after a mark that `isVirama` accepts: scripts of India, Sri Lanka and their neighbours (UAX #31, A2 and
 * B).
 */
const AFTER_MARK = String.raw`(?<=\p{L}\p{M}*(?<mark>\p{M}))(?:\u200c(?=\p{L})|\u200d(?!\p{M}))`;
/** ZWJ before the virama keeps the shape of RA in Bengali and Kannada (The Unicode Standard, 12.2 and 12.8). */
const AFTER_RA = String.raw`(?<=[\u09b0\u0cb0])\u200d(?=[\u09cd\u0ccd]\p{L})`;

let joined: RegExp | undefined;

/** The text without the invisible characters that a script or an emoji needs in their place. */
export function withoutJoined(text: string): string {
  // Compiled for the first name beyond Latin, so that no start waits for it.
  if (!/\u200c|\u200d|\ufe0f|[\u{e0020}-\u{e007f}]/u.test(text)) return text;
  joined ??= new RegExp([EMOJI, UNJOINED, AFTER_RA, AFTER_MARK].join('|'), 'gv');
  return text.replace(joined, (found: string, mark: string | undefined) =>
    mark === undefined || isVirama(mark) ? ' ' : found,
  );
}

/**
 * True for a mark that removes the vowel of a letter. These marks have combining class 9: normalising moves them before
 * a mark of class 10, and after one of class 8.
 */
function isVirama(mark: string): boolean {
  return (
    `\u05b0${mark}`.normalize('NFD') === `${mark}\u05b0` &&
    `${mark}\u3099`.normalize('NFD') === `\u3099${mark}`
  );
}
