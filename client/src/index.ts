export type { Fields, Format } from './chosen.ts';
export {
  type CallArguments,
  type Client,
  createClient,
  type Row,
  type SignInName,
  type TokenClient,
  WalkError,
  type WalkName,
} from './client.ts';
export type { AnyFailure, CallInput, Data, Failure, OperationName, Result, Success } from './result.ts';
export { requestOf } from './send.ts';
export type { SessionState } from './session-status.ts';
export { cookieTokens, memoryTokens, storedTokens, type Tokens } from './tokens.ts';
export type * from './types.gen.ts';
