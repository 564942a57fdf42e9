import { answerCalls, each } from '../../domain/answer-calls.ts';
import { giveWay } from '../../domain/priority.ts';
import { deltaOf } from './delta.ts';

/** Makes deltas of long texts, null where one is of no use. What takes too long is ended from outside. */
answerCalls({ run: each(({ base, text }: { base: string; text: string }) => deltaOf(base, text) ?? null) });
giveWay();
