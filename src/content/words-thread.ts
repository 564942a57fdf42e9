import { answerCalls, each } from '../domain/answer-calls.ts';
import type { SearchedTexts } from './fields.ts';
import { wordsOfItem } from './words-of-item.ts';

answerCalls({ run: each((items: readonly SearchedTexts[]) => items.map(wordsOfItem)) });
