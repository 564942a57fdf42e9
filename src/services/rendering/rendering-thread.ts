import { answerCalls, each } from '../../domain/answer-calls.ts';
import { giveWay } from '../../domain/priority.ts';
import { htmlOf } from './markdown.ts';

/** Makes HTML of Markdown. What takes too long is ended from outside. */
answerCalls({ run: each(htmlOf) });
giveWay();
