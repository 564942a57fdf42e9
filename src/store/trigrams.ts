/** A trigram index finds keywords of at least this many code points. */
export const TRIGRAM = 3;

/** A trigram of a keyword and where it stands there, in code points. */
export interface Trigram {
  readonly text: string;
  readonly place: number;
}

/** The trigrams of a keyword, each once, where it stands first. */
export function trigramsOf(keyword: string): Trigram[] {
  const characters = [...keyword];
  const places = new Map<string, number>();
  for (let place = 0; place + TRIGRAM <= characters.length; place++) {
    const text = characters.slice(place, place + TRIGRAM).join('');
    if (!places.has(text)) places.set(text, place);
  }
  return [...places].map(([text, place]) => ({ text, place }));
}
