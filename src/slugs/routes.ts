import { ItemQuery, NOUN, READ_SECURITY } from '../content/contract.ts';
import {
  AS_STRANGER_OR_401,
  answerItem,
  draftReader,
  ITEM_ANSWERS,
  type ItemParts,
} from '../content/item-answer-contract.ts';
import { readerOf } from '../content/visibility.ts';
import { notFound } from '../domain/failure.ts';
import { slugMeant } from '../domain/slug.ts';
import { askerOf } from '../http/access.ts';
import type { Access } from '../http/declaration.ts';
import { IfNoneMatch, varied } from '../http/entity-tags.ts';
import type { App } from '../http/server.ts';
import { Moved, SlugParams } from './contract.ts';
import { findBySlug, findDraftBySlug } from './find.ts';

interface SlugParts extends ItemParts {
  readonly readAccess: Access;
}

/** Reading an item by the name that it has in URLs. */
export function slugRoutes(app: App, parts: SlugParts): void {
  app.get(
    '/api/content/by-slug/:slug',
    {
      config: { access: parts.readAccess, limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'getContentBySlug',
        tags: ['content'],
        summary: 'Read a content item by its slug',
        description: `The same as by its id. A slug that the item had before leads to the one that it has now. ${AS_STRANGER_OR_401}`,
        security: READ_SECURITY,
        params: SlugParams,
        querystring: ItemQuery,
        headers: IfNoneMatch,
        response: { ...ITEM_ANSWERS, 301: Moved },
      },
    },
    async (request, reply) => {
      const asked = slugMeant(request.params.slug);
      if (asked === undefined) throw notFound(NOUN);
      const reader = readerOf(await askerOf(request, reply));
      const found =
        (await parts.store.read(findBySlug, { slug: asked, reader })) ??
        (await parts.store.read(findDraftBySlug, { slug: asked, userId: await draftReader(request) }));
      if (!found) throw notFound(NOUN);
      const { id, slug } = found;
      if (slug === asked || slug === null) return answerItem(parts, request, reply, id, request.query);
      const query = new URLSearchParams(request.query).toString();
      const location = `${app.basePath}/api/content/by-slug/${encodeURIComponent(slug)}${query && `?${query}`}`;
      varied(request, reply).code(301).header('location', location);
      return reply.send({ code: 301, data: { moved_to: { id, slug } } });
    },
  );
}
