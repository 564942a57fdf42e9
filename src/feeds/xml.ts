/** Characters that no XML 1.0 document may have, not even as a reference: controls, U+FFFE, U+FFFF, half a pair. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/** A parser would turn a carriage return into a line feed, and white space in an attribute into a space. */
const SPECIAL = /[&<>"'\t\n\r]/g;
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** A text as the content of an element, or as a value between quotation marks. */
export function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(SPECIAL, (each) => REFERENCES[each] ?? '');
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';
