/** The languages of the people. */
export type Language = 'en' | 'de' | 'el' | 'ru' | 'ja' | 'zh' | 'ko' | 'ar' | 'hi';

export interface Person {
  readonly username: string;
  readonly email: string;
  readonly language: Language;
}

/** First and second parts of names, by language. */
const NAMES: readonly (readonly [Language, readonly string[], readonly string[]])[] = [
  ['en', ['Ada', 'Grace', 'Edsger', 'Barbara'], ['Lovelace', 'Hopper', 'Clark', 'Liskov']],
  ['de', ['Jürgen', 'Käthe', 'Sören', 'Änne'], ['Müller', 'Weiß', 'Schröder', 'Köhler']],
  ['el', ['Ελένη', 'Γιώργος', 'Μαρία', 'Νίκος'], ['Παππάς', 'Ιωάννου', 'Δήμου', 'Κώστα']],
  ['ru', ['Анна', 'Борис', 'Вера', 'Дмитрий'], ['Иванова', 'Петров', 'Смирнов', 'Орлова']],
  ['ja', ['さくら', '健太', 'ゆうこ', '太郎'], ['佐藤', '鈴木', '高橋', '田中']],
  ['zh', ['小明', '丽华', '建国', '雨桐'], ['王', '李', '张', '刘']],
  ['ko', ['민준', '서연', '지우', '하은'], ['김', '이', '박', '최']],
  ['ar', ['ليلى', 'عمر', 'سلمى', 'يوسف'], ['حداد', 'نجار', 'خوري', 'منصور']],
  ['hi', ['अनिता', 'रवि', 'मीरा', 'विजय'], ['शर्मा', 'गुप्ता', 'सिंह', 'वर्मा']],
];

/** The same people each time. A number makes their names different. */
export function people(count: number): Person[] {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const [language, first, second] = pick(NAMES, index);
    const round = Math.floor(index / NAMES.length);
    const name = pick(first, round) + pick(second, Math.floor(round / first.length));
    return { username: `${name}${number}`, email: `person${number}@example.org`, language };
  });
}

/** The element at an index, which starts again at the end of the list. */
export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}
