import type { ClientBase } from 'pg';
import { type Answer, type Statement, sendPipeline } from './pipeline.ts';

/** Takes statements to the server: over connections that many share, or over the one of a transaction. */
export interface Runner {
  run(statement: Statement): Promise<Answer>;
}

/** Runs one statement in a round trip of its own. */
export async function runAlone(client: ClientBase, statement: Statement): Promise<Answer> {
  const { answers, error } = await sendPipeline(client, [statement]);
  const [answer] = answers;
  if (error !== undefined || !answer) throw error;
  return answer;
}
