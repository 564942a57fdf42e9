import type { SearchedTexts } from '../content/fields.ts';
import { answerCalls, each } from '../domain/answer-calls.ts';
import { wordsOfItem } from './words-of-item.ts';

answerCalls({ run: each((items: readonly SearchedTexts[]) => items.map(wordsOfItem)) });
