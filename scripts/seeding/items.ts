import { type Language, pick } from './people.ts';

/** A content item as a client sends it. */
export interface Item {
  readonly title: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
}

const CATEGORIES = ['news', 'notes', 'recipes', 'travel', 'reviews'];
const TAGS = ['first', 'weekend', 'city', 'music', 'Küche', 'книги', '旅行', 'ロボット', 'رحلة', 'बाज़ार'];

/** Titles and sentences, by language. */
const TEXTS: Readonly<Record<Language, readonly [titles: readonly string[], sentences: readonly string[]]>> =
  {
    en: [
      ['A walk along the harbour', 'What the library keeps', 'Bread for Sunday'],
      ['The boats came in before noon.', 'Every book had a note in it.', 'Let the dough rest overnight.'],
    ],
    de: [
      ['Ein Abend in der Straße', 'Äpfel und Nüsse', 'Über die Brücke'],
      ['Der Zug fuhr pünktlich ab.', 'Im Garten blühen die Rosen.', 'Morgen wird es schöner.'],
    ],
    el: [
      ['Βόλτα στη θάλασσα', 'Το παλιό σπίτι', 'Καφές το πρωί'],
      ['Ο ήλιος έλαμπε πάνω στο νερό.', 'Τα βιβλία ήταν ανοιχτά.', 'Όλοι μιλούσαν δυνατά.'],
    ],
    ru: [
      ['Прогулка по городу', 'Старая библиотека', 'Чай с вареньем'],
      ['Утром выпал первый снег.', 'Поезд пришёл вовремя.', 'Мы долго говорили о книгах.'],
    ],
    ja: [
      ['港町を歩く', '図書館の一日', '日曜日のパン'],
      ['朝の市場はとてもにぎやかだった。', '雨が降る前に駅に着いた。', '古い本を三冊借りた。'],
    ],
    zh: [
      ['城市漫步', '图书馆的一天', '周末的面包'],
      ['早上的市场非常热闹。', '下雨之前我们到了车站。', '他借了三本旧书。'],
    ],
    ko: [
      ['항구를 걷다', '도서관의 하루', '일요일의 빵'],
      ['아침 시장은 무척 붐볐다.', '비가 오기 전에 역에 도착했다.', '오래된 책을 세 권 빌렸다.'],
    ],
    ar: [
      ['نزهة على الميناء', 'يوم في المكتبة', 'خبز يوم الأحد'],
      ['كان السوق مزدحما في الصباح.', 'وصلنا إلى المحطة قبل المطر.', 'استعار ثلاثة كتب قديمة.'],
    ],
    hi: [
      ['बंदरगाह की सैर', 'पुस्तकालय में एक दिन', 'रविवार की रोटी'],
      ['सुबह बाज़ार में बहुत भीड़ थी।', 'बारिश से पहले हम स्टेशन पहुँच गए।', 'उसने तीन पुरानी किताबें लीं।'],
    ],
  };

/** An item in a language. The same number always gives the same item. */
export function itemOf(language: Language, number: number): Item {
  const [titles, sentences] = TEXTS[language];
  const length = 1 + (number % 12);
  return {
    title: `${pick(titles, number)} (${number + 1})`,
    content: Array.from({ length }, (_, index) => pick(sentences, number + index)).join(' '),
    category: pick(CATEGORIES, number),
    tags: [pick(TAGS, number), pick(TAGS, number * 3 + 1)],
  };
}
