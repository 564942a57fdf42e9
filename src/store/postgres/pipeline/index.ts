/**
 * Our own use of PostgreSQL's protocol (decisions 0022): statements that wait share a round trip. All other code
 * imports from this file alone.
 */
export { isConnectionLost, type Lender } from './connection.ts';
export { OpenTransaction } from './open-transaction.ts';
export type { Patience } from './pipeline.ts';
export { PipelinedConnections } from './pipelined-connections.ts';
export { type Runner, runAlone } from './runner.ts';
export { StatementNames } from './statement-names.ts';
export { parserOf } from './types.ts';
