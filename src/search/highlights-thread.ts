import { answerCalls, each } from '../domain/answer-calls.ts';
import { highlightsIn, type Range } from '../domain/highlights.ts';
import { giveWay } from '../domain/priority.ts';
import { termsOf } from '../domain/words.ts';
import type { SearchedPage } from './highlights.ts';

/** Looks for a keyword in the texts of a page: some 100 ms at most, because a page is bounded in bytes and a keyword in characters. */
answerCalls({
  run: each(({ keyword, items }: SearchedPage): (readonly Range[])[][] => {
    const terms = termsOf(keyword);
    return items.map((texts) => texts.map(({ text, isCut }) => highlightsIn(text, terms, isCut)));
  }),
});
giveWay();
