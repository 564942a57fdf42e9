import { sampleOf } from '../../src/http/sample.ts';
import { newName } from './client.ts';
import { bodySchema, type Operation, schemaNamed } from './contract.ts';

/** The sample of the body that an operation takes, where it takes one, as the document has it. */
export function sampleBody(operation: Operation): Readonly<Record<string, unknown>> | undefined {
  const schema = bodySchema(operation);
  const sample = schema && sampleOf(schema, schemaNamed);
  if (typeof sample === 'string') throw new Error(`${operation.operationId} has no sample: ${sample}.`);
  return sample;
}

/** The same of somebody new: user name and address are nobody's. */
export function freshBody(operation: Operation): Readonly<Record<string, unknown>> | undefined {
  const sample = sampleBody(operation);
  const username = newName();
  const fresh: Record<string, unknown> = { username, email: `${username}@example.org` };
  const members = Object.entries(sample ?? {}).map(([name, value]) => [name, fresh[name] ?? value]);
  return sample && Object.fromEntries(members);
}
