import { answerCalls, each } from '../domain/answer-calls.ts';
import { giveWay } from '../domain/priority.ts';
import { deltaOf } from './delta.ts';

/** Makes deltas of long texts: tens of milliseconds each. */
answerCalls({ run: each(({ base, text }: { base: string; text: string }) => deltaOf(base, text)) });
giveWay();
