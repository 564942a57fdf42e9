const MARKED: Readonly<Record<string, string>> = {
  a: 'á',
  c: 'ç',
  e: 'é',
  i: 'í',
  n: 'ñ',
  o: 'ö',
  s: 'š',
  u: 'ü',
  y: 'ý',
  z: 'ž',
  A: 'Å',
  C: 'Ç',
  E: 'É',
  I: 'Î',
  N: 'Ñ',
  O: 'Ø',
  S: 'Š',
  U: 'Û',
  Y: 'Ý',
  Z: 'Ž',
};

/** Texts whose letters have marks and whose length is that of a longer language. Names in braces stay. */
export function pseudoOf(messages: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(messages).map(([key, text]) => [key, pseudo(text)]));
}

function pseudo(text: string): string {
  const marked = text.replaceAll(/\{\w+\}|[a-zA-Z]/g, (part) => MARKED[part] ?? part);
  return `⟦${marked}${'·'.repeat(Math.ceil(text.length / 4))}⟧`;
}
