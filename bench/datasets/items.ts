import { seededRandom, zipfPicker } from './random.ts';

/** A row of an item, without its id (its place in the order, from 1). */
export interface ItemRow {
  readonly author_id: number;
  readonly title: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly created_at: number;
}

const BODY_BYTES = 1024;
const WORDS = 8_000;
const COMMON =
  'the of and to in is that it was for on are as with his they at be this from have or by one had not but what all were when we there can an your which their said if do will each about how up out them then she many some so these would other into has more her two like him see time could no make than first been its who now people my made over did down only way find use may water long little very after words called just where most know'.split(
    ' ',
  );
const ONSETS = 'b c d f g h j k l m n p r s t v w br ch cl dr fl gr kr pl pr sh sl st th tr'.split(' ');
const VOWELS = 'a e i o u ai ea io ou'.split(' ');
const CODAS = ['', '', 'n', 'r', 's', 'l', 't', 'nd', 'st', 'rk'];
const CATEGORIES = Array.from({ length: 24 }, (_, index) => `category-${index + 1}`);
const TAGS = Array.from({ length: 500 }, (_, index) => `tag-${index + 1}`);
const SINCE = Date.UTC(2025, 0, 1);

/** Everyday words first, then invented ones, from common to rare, as in every language. */
export function vocabulary(random: () => number, words = WORDS): string[] {
  const pick = (parts: readonly string[]) => parts[Math.floor(random() * parts.length)] ?? '';
  const syllable = () => pick(ONSETS) + pick(VOWELS) + pick(CODAS);
  const coined = new Set<string>(COMMON);
  while (coined.size < words) coined.add(syllable() + syllable() + (random() < 0.4 ? syllable() : ''));
  return [...coined];
}

/** Items of one kilobyte with a category and three tags each. The authors take turns. */
export function* items(count: number, authors: number): Generator<ItemRow> {
  const random = seededRandom(7);
  const word = zipfPicker(vocabulary(random), random);
  const category = zipfPicker(CATEGORIES, random);
  const tag = zipfPicker(TAGS, random);
  for (let index = 0; index < count; index++) {
    const tags = new Set<string>();
    while (tags.size < 3) tags.add(tag());
    yield {
      author_id: (index % authors) + 1,
      title: sentence(word, 40).trimEnd(),
      content: sentence(word, BODY_BYTES),
      category: category(),
      tags: [...tags],
      created_at: SINCE + index * 60_000,
    };
  }
}

/** Exactly `length` characters of words. */
export function sentence(word: () => string, length: number): string {
  let text = word();
  while (text.length < length) text += ` ${word()}`;
  return text.slice(0, length);
}
