import { errorOf, isOutcome, type Outcome, outcomeOf } from '../../domain/outcome.ts';
import { notingFor, statementsUnderWay } from '../../domain/spent.ts';
import { isStatementData, type StatementData, StatementNotes } from '../../domain/statements.ts';
import { monotonic } from '../../domain/time.ts';
import type { Call } from './operations.ts';

/**
 * An operation that is traced may run in another thread or process. The caller then asks for its statements, and gets
 * them with its outcome. Every other call is sent and answered as if there were no traces, at no cost.
 */

type RunCall = (call: Call) => Promise<unknown>;

/** The answer to a call that asks for its statements. A failure is no rejection here, because it has statements too. */
interface NotedAnswer {
  readonly outcome: Outcome;
  readonly statements: StatementData;
}

/** The side of the caller. */
export function callNoting(side: { readonly call: RunCall }, call: Call): Promise<unknown> {
  const notes = statementsUnderWay();
  return notes ? callAndNote(side, call, notes) : side.call(call);
}

async function callAndNote(side: { readonly call: RunCall }, call: Call, notes: StatementNotes) {
  const answer = await side.call({ ...call, isNoted: true });
  if (!isNotedAnswer(answer)) throw new Error('The answer to a call lacks its statements.');
  const { outcome, statements } = answer;
  notes.addAll(statements);
  if (outcome.ok) return outcome.value;
  throw errorOf(outcome);
}

/** The side that runs the call, by itself. */
export function answerNoting(call: Call, run: RunCall): Promise<unknown> {
  return call.isNoted ? runAndNote(call, run) : run(call);
}

async function runAndNote(call: Call, run: RunCall): Promise<NotedAnswer> {
  const notes = new StatementNotes();
  const outcome = await outcomeOf(() => notingFor(notes, () => run(call)));
  return { outcome, statements: notes.data };
}

/** The side that runs a group of calls in one transaction. Each waits for the commit of the group, so each notes it. */
export async function groupNoting(
  calls: readonly Call[],
  run: RunCall,
  runGroup: (run: RunCall) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const notes = new Map<Call, StatementNotes>();
  for (const call of calls) if (call.isNoted) notes.set(call, new StatementNotes());
  if (notes.size === 0) return runGroup(run);
  let lastRan = monotonic();
  const outcomes = await runGroup(async (call) => {
    const own = notes.get(call);
    try {
      return await (own ? notingFor(own, () => run(call)) : run(call));
    } finally {
      lastRan = monotonic();
    }
  });
  const commit = { sql: 'COMMIT', began: lastRan, ended: monotonic() };
  return outcomes.map((outcome, index) => {
    const own = calls[index] && notes.get(calls[index]);
    if (!own) return outcome;
    own.add(commit);
    return { ok: true, value: { outcome, statements: own.data } satisfies NotedAnswer };
  });
}

function isNotedAnswer(answer: unknown): answer is NotedAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  if (!('outcome' in answer && 'statements' in answer)) return false;
  return isOutcome(answer.outcome) && isStatementData(answer.statements);
}
