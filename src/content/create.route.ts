import { callerOf } from '../http/access.ts';
import { ETAG } from '../http/entity-tags.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { largeInTurn } from '../http/under-way.ts';
import { ContentRecord, itemLinks, NewContent, takesContent, textsOf, toRecord } from './contract.ts';
import { create } from './create.ts';
import { entityTagOf } from './entity-tag-contract.ts';
import { storedAs } from './stored.ts';
import { type ContentWrites, countWrite } from './writes.ts';

const created = answers(ContentRecord, 'The new item.', 401, 403, ...BODY_FAILURES);

export function createContentRoute(app: App, parts: ContentWrites): void {
  const { store, stored, clock } = parts;
  app.post(
    '/api/content',
    {
      ...takesContent,
      config: {
        access: 'signed_in',
        limits: ['writes', 'writtenMebibytes', 'storedMebibytes'],
        shows: 'own',
        programs: 'write',
        ignoresUnknown: true,
      },
      schema: {
        operationId: 'createContent',
        tags: ['content'],
        summary: 'Create a content item',
        description: 'The caller becomes its author.',
        body: NewContent,
        response: { ...created, 200: { ...created[200], headers: ETAG } },
      },
      links: itemLinks('getContent', 'updateContent', 'deleteContent'),
    },
    async (request, reply) => {
      const { body } = request;
      const caller = callerOf(request);
      countWrite(parts, caller, ...textsOf(body));
      await stored.requireRoom(caller.userId);
      const row = await create(store, { item: body, caller, now: clock() });
      stored.add(caller.userId, storedAs(Buffer.byteLength(body.title) + Buffer.byteLength(body.content)));
      reply.header('etag', entityTagOf(row));
      return largeInTurn(request, body.content.length, ok(toRecord(row)));
    },
  );
}
