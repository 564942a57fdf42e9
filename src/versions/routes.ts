import { Type } from 'typebox';
import { ContentRecord, NOUN } from '../content/contract.ts';
import { onlyIfOf } from '../content/entity-tag-contract.ts';
import { answerWritten } from '../content/item-answer-contract.ts';
import { update } from '../content/update.ts';
import { bytesOf, type ContentWrites, countedChange } from '../content/writes.ts';
import type { FairQueue } from '../domain/admission/fair-queue.ts';
import { askerOf, callerOf } from '../http/access.ts';
import { ETAG, IfMatch } from '../http/entity-tags.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { IdParams, idIn, okPage, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { largeInTurn } from '../http/under-way.ts';
import { inWriteTurn } from '../http/write-turns.ts';
import { type Comparer, compareVersions } from './compare.ts';
import {
  ContentVersion,
  toVersion,
  toVersionSummary,
  VersionPage,
  VersionParams,
  versionIn,
} from './contract.ts';
import { DifferenceQuery, toDifference, VersionDifference } from './difference-contract.ts';
import { wholeVersion } from './find.ts';
import { listVersions } from './list.ts';

export interface VersionParts extends ContentWrites {
  readonly searches: FairQueue;
  /** Of reads of one version. */
  readonly wholes: FairQueue;
  readonly differences: FairQueue;
  readonly comparer: Comparer;
}

/** More than the texts of a difference have. */
const LARGE = 256 * 1024;

const restored = answers(ContentRecord, 'The item as it is now.', 401, 403, 404, 412, ...BODY_FAILURES);

/** Reading, comparing and restoring what an item was before. */
export function versionRoutes(app: App, parts: VersionParts): void {
  const { store, searches, wholes, differences, comparer, stored, clock } = parts;

  app.get(
    '/api/content/:id/versions',
    {
      config: { access: 'signed_in', limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'listContentVersions',
        tags: ['content'],
        summary: 'The versions of a content item',
        description:
          'When and by whom each version was made, and what it changed. For the author of the item, editors and admins.',
        params: IdParams,
        querystring: Type.Object(PageQuery),
        response: answers(VersionPage, 'One page of versions.', 401, 403, 404),
      },
    },
    async (request, reply) => {
      const id = idIn(request.params, NOUN);
      const { userId } = callerOf(request);
      const query = { id, userId, ...pageRequest(request.query) };
      const page = await searches.run(await askerOf(request), () => store.read(listVersions, query));
      return okPage(request, reply, page, toVersionSummary);
    },
  );

  app.get(
    '/api/content/:id/versions/:version',
    {
      config: { access: 'signed_in', limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'getContentVersion',
        tags: ['content'],
        summary: 'Read a version of a content item',
        description:
          'The present version, or an earlier one. For the author of the item, editors and admins.',
        params: VersionParams,
        response: answers(ContentVersion, 'The version.', 401, 403, 404),
      },
    },
    async (request) => {
      const asked = { ...versionIn(request.params), userId: callerOf(request).userId };
      return wholes.run(await askerOf(request), async () => {
        const found = await wholeVersion(store, asked);
        return largeInTurn(request, found.written.content.length, ok(toVersion(found)));
      });
    },
  );

  app.get(
    '/api/content/:id/versions/:version/difference',
    {
      config: { access: 'signed_in', limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'compareContentVersions',
        tags: ['content'],
        summary: 'What differs in two versions of a content item',
        description:
          'The members that differ, and the lines and words of the text. For the author of the item, editors and admins.',
        params: VersionParams,
        querystring: DifferenceQuery,
        response: answers(VersionDifference, 'The difference.', 401, 403, 404),
      },
    },
    async (request) => {
      const { id, version: to } = versionIn(request.params);
      const asked = { id, userId: callerOf(request).userId, from: request.query.from ?? to - 1, to };
      return differences.run(await askerOf(request), async () => {
        const compared = await compareVersions(store, comparer, asked);
        return largeInTurn(request, LARGE, ok(toDifference(asked, compared)));
      });
    },
  );

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
          'The item gets what was written in that version, as a new version, and keeps its `slug`, `visibility`, `status` and `publish_at`. For its author, editors and admins.',
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
      return inWriteTurn(request, async () => {
        const { written: columns } = await wholeVersion(store, asked);
        const change = { id, caller, content: columns.content };
        const row = await countedChange(parts, change, bytesOf(Object.values(columns)), () =>
          update(store, { id, caller, columns, now: clock(), onlyIf }),
        );
        stored.add(row.author_id, row.added);
        return answerWritten(request, reply, row);
      });
    },
  );
}
