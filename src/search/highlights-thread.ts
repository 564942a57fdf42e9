import type { Highlights } from '../content/contract.ts';
import { answerCalls, each } from '../domain/answer-calls.ts';
import { highlightsIn } from '../domain/highlights.ts';
import { giveWay } from '../domain/priority.ts';
import { termsOf } from '../domain/words.ts';
import type { SearchedPage } from './highlights.ts';

/** Looks for a keyword in the texts of a page: some 100 ms at most, because a page is bounded in bytes and a keyword in characters. */
answerCalls({
  run: each(({ keyword, items }: SearchedPage): Highlights[] => {
    const terms = termsOf(keyword);
    return items.map(({ title, content, isCut }) => ({
      title: highlightsIn(title, terms, false),
      content: highlightsIn(content, terms, isCut),
    }));
  }),
});
giveWay();
