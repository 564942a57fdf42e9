import { callerOf } from '../http/access.ts';
import { ETAG, IfMatch } from '../http/entity-tags.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { heavyTurn, largeInTurn } from '../http/under-way.ts';
import { ContentRecord, toRecord } from './contract.ts';
import { entityTagOf, onlyIfOf } from './entity-tag-contract.ts';
import { wholeVersion } from './find-version.ts';
import { update } from './update.ts';
import { VersionParams, versionIn } from './versions-contract.ts';
import { type ContentWrites, countWrite, requireRoom } from './writes.ts';

const restored = answers(ContentRecord, 'The item as it is now.', 401, 403, 404, 412, ...BODY_FAILURES);

export function restoreVersionRoute(app: App, parts: ContentWrites): void {
  const { store, stored, clock } = parts;
  app.post(
    '/api/content/:id/versions/:version/restore',
    {
      config: {
        access: 'signed_in',
        limits: ['writes', 'writtenMebibytes', 'storedMebibytes'],
        shows: 'visible',
        programs: 'write',
      },
      schema: {
        operationId: 'restoreContentVersion',
        tags: ['content'],
        summary: 'Bring a version of a content item back',
        description:
          'The item gets all that was written in that version, as a new version. For its author, editors and admins.',
        params: VersionParams,
        headers: IfMatch,
        response: { ...restored, 200: { ...restored[200], headers: ETAG } },
      },
    },
    async (request, reply) => {
      const { id, version } = versionIn(request.params);
      const onlyIf = onlyIfOf(request);
      const caller = callerOf(request);
      const asked = { id, version, userId: caller.userId };
      const { written: columns } = await wholeVersion(store, asked, () => heavyTurn(request));
      countWrite(parts, caller, ...Object.values(columns));
      await requireRoom(parts, { id, caller, body: columns });
      const row = await update(store, { id, caller, columns, now: clock(), onlyIf });
      stored.add(row.author_id, row.added);
      reply.header('etag', entityTagOf(row));
      return largeInTurn(request, row.content.length, ok(toRecord(row)));
    },
  );
}
