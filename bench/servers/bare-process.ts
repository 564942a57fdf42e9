import type { AddressInfo } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyReply } from 'fastify';
import { UserPage, UserQuery } from '../../src/accounts/contract.ts';
import { accountFormats } from '../../src/accounts/formats-contract.ts';
import { ContentInput } from '../../src/content/body-contract.ts';
import { ContentRecord } from '../../src/content/contract.ts';
import { contentFormats } from '../../src/content/formats-contract.ts';
import { shareNamedSchemas } from '../../src/http/components.ts';
import { answers } from '../../src/http/envelope.ts';
import { IdParams, pagingFormats } from '../../src/http/paging.ts';
import { ContentPage, ContentQuery } from '../../src/lists/contract.ts';
import { LoginResult } from '../../src/sessions/contract.ts';
import type { Sample } from './sample.ts';

/**
 * The bare server: Fastify with its own defaults, the contracts of the service for validation and serialisation, and
 * one answer that it repeats. It has no storage, no token check and no hook.
 */

const formats = Object.fromEntries(
  Object.entries({ ...accountFormats, ...contentFormats, ...pagingFormats }).map(([name, { validate }]) => [
    name,
    validate,
  ]),
);
const app = Fastify({ ajv: { customOptions: { formats } } }).withTypeProvider<TypeBoxTypeProvider>();
shareNamedSchemas(app);

let sample: Sample = { status: 200, headers: {}, body: {} };

// The sample is an answer of the service. The schema that serialises it has its type.
async function repeat(_request: unknown, reply: FastifyReply): Promise<never> {
  reply.code(sample.status).headers(sample.headers);
  return sample.body as never;
}

const record = answers(ContentRecord, 'One item.', 401, 404);
app.get('/api/content/:id', { schema: { params: IdParams, response: record } }, repeat);
app.post('/api/content', { schema: { body: ContentInput, response: record } }, repeat);
app.get(
  '/api/content',
  { schema: { querystring: ContentQuery, response: answers(ContentPage, 'Items.', 401) } },
  repeat,
);
app.get(
  '/api/users',
  { schema: { querystring: UserQuery, response: answers(UserPage, 'Users.', 401, 403) } },
  repeat,
);
app.post('/api/auth/refresh', { schema: { response: answers(LoginResult, 'Tokens.', 401) } }, repeat);

process.on('message', (next: Sample) => {
  sample = next;
  process.send?.('ready');
});
process.on('disconnect', () => process.exit());
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.((app.server.address() as AddressInfo).port);
