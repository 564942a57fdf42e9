import { answerCalls, each } from '../domain/answer-calls.ts';
import { giveWay } from '../domain/priority.ts';
import { differenceOf } from './difference.ts';

/** Compares texts: about a second at most for two of a mebibyte. */
answerCalls({ run: each(differenceOf) });
giveWay();
