/**
 * Our own use of PostgreSQL's protocol (docs/decisions/store.md): waiting statements share a round trip. All other code
 * imports only this file.
 */
export { isConnectionLost, isSilence, isStale } from './connection.ts';
export { OpenTransaction } from './open-transaction.ts';
export {
  control,
  type Lender,
  type Patience,
  parserOf,
  type Runner,
  runAlone,
  type Statement,
} from './pipeline.ts';
export { PipelinedConnections } from './pipelined-connections.ts';
