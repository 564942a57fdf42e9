import { answerCalls, each } from '../domain/answer-calls.ts';
import { textFrom } from './text-from.ts';

/** Makes long texts again of their bases: some ten milliseconds, and ten times the memory of the text, for each. */
answerCalls({ run: each(({ base, delta }: { base: string; delta: string }) => textFrom(base, delta)) });
