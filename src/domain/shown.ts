/** Characters that act on a terminal, or on the order of what is read there: controls, line ends and marks of direction. */
const ACTING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A name of others for the terminal: as it is, or in quotes where it has characters that act there. */
export function shown(name: string): string {
  return escaped(name) === name ? name : escaped(JSON.stringify(name));
}

/** A text for the terminal with escapes for the characters that act there. JSON escapes only some of them. */
export function escaped(text: string): string {
  return text.replace(ACTING, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
