import type { Peer } from '../../domain/peer.ts';
import type { WriteOperation } from '../operation.ts';
import type { Store } from '../store.ts';
import { answerNoting } from './noted-calls.ts';
import type { Call, Operations } from './operations.ts';
import { operationNamed } from './operations.ts';

/** The side of the primary: runs the writes of a worker (`openWorkerStore`) on its store. */
export function answerWorker(worker: Peer, store: Store, operations: Operations): void {
  const write = async ({ name, input }: Call): Promise<unknown> => {
    const operation = operationNamed(operations, name);
    if (!isWrite(operation)) throw new Error(`The operation "${name}" is no write.`);
    return store.write(operation, input);
  };
  worker.answer('write', async (call) => {
    if (!isCall(call)) throw new Error('A worker sent a write without a name.');
    return answerNoting(call, write);
  });
  worker.answer('ping', () => store.ping());
}

function isCall(call: unknown): call is Call {
  return (
    typeof call === 'object' &&
    call !== null &&
    'name' in call &&
    typeof call.name === 'string' &&
    'input' in call
  );
}

function isWrite(
  operation: ReturnType<typeof operationNamed>,
): operation is WriteOperation<unknown, unknown> {
  return operation.kind === 'write';
}
