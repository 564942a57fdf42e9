import { Type } from 'typebox';
import { invalid } from '../domain/failure.ts';
import { type Access, callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { LIMITS } from '../http/limits.ts';
import { IdParams, idIn, integersIn, linkPages, PageOf, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import {
  ContentChange,
  ContentListItem,
  ContentQuery,
  ContentRecord,
  NewContent,
  normaliseTags,
  toListItem,
  toRecord,
} from './contract.ts';
import { create } from './create.ts';
import { deleteContent } from './delete.ts';
import { findContent } from './find.ts';
import { list } from './list.ts';
import { updateContent } from './update.ts';

export interface ContentParts {
  readonly store: Store;
  /** Who may read: everybody or signed-in accounts. */
  readonly readAccess: Access;
  readonly clock: () => number;
}

const NOUN = 'content item';
const PATH = '/api/content/:id';

export function contentRoutes(app: App, { store, readAccess, clock }: ContentParts): void {
  const withTags = async (request: { body: unknown }) => normaliseTags(request.body);
  const withId = integersIn('params', ['id']);
  const signedIn = { tags: ['content'], security: [{ accessToken: [] }] };
  const reading = {
    tags: ['content'],
    ...(readAccess === 'public' ? {} : { security: [{ accessToken: [] }] }),
  };

  app.post(
    '/api/content',
    {
      config: { access: 'signed_in' },
      bodyLimit: LIMITS.contentBody,
      preValidation: withTags,
      schema: {
        ...signedIn,
        summary: 'Create a content item',
        body: NewContent,
        response: answers(ContentRecord, 'The new item.', 401),
      },
    },
    async (request) => {
      const { title, content, category = '', tags = [] } = request.body;
      const caller = callerOf(request);
      return ok(toRecord(await create(store, { title, content, category, tags, caller, now: clock() })));
    },
  );

  app.put(
    PATH,
    {
      config: { access: 'signed_in' },
      bodyLimit: LIMITS.contentBody,
      preValidation: [withId, withTags],
      schema: {
        ...signedIn,
        summary: 'Change a content item',
        params: IdParams,
        body: ContentChange,
        response: answers(ContentRecord, 'The item as it is now.', 401, 403, 404),
      },
    },
    async (request) => {
      const change = givenMembers(request.body);
      const id = idIn(request.params, NOUN);
      const row = await store.write(updateContent, { id, caller: callerOf(request), change, now: clock() });
      return ok(toRecord(row));
    },
  );

  app.delete(
    PATH,
    {
      config: { access: 'signed_in' },
      preValidation: withId,
      schema: {
        ...signedIn,
        summary: 'Delete a content item',
        params: IdParams,
        response: answers(Type.Object({ id: Type.Integer() }), 'The id of the item that was.', 401, 403, 404),
      },
    },
    async (request) => {
      const id = idIn(request.params, NOUN);
      await store.write(deleteContent, { id, caller: callerOf(request), now: clock() });
      return ok({ id });
    },
  );

  app.get(
    PATH,
    {
      config: { access: readAccess },
      preValidation: withId,
      schema: {
        ...reading,
        summary: 'Read a content item',
        params: IdParams,
        response: answers(ContentRecord, 'The item.', 401, 404),
      },
    },
    async (request) => ok(toRecord(await store.read(findContent, idIn(request.params, NOUN)))),
  );

  app.get(
    '/api/content',
    {
      config: { access: readAccess },
      preValidation: integersIn('query', ['page', 'per_page', 'author']),
      schema: {
        ...reading,
        summary: 'List and search content',
        querystring: ContentQuery,
        response: answers(PageOf(ContentListItem), 'One page of items.', 401),
      },
    },
    async (request, reply) => {
      const { keyword = '', category = '', tag = '', author, ...paging } = request.query;
      const filter = { keyword, category, tag, author };
      const page = await list(store, { ...pageRequest(paging), ...filter });
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toListItem) });
    },
  );
}

/** Only what a client may change; unknown members are ignored, and nothing at all is a mistake. */
function givenMembers({ title, content, category, tags }: ContentChange): ContentChange {
  const change = {
    ...(title === undefined ? {} : { title }),
    ...(content === undefined ? {} : { content }),
    ...(category === undefined ? {} : { category }),
    ...(tags === undefined ? {} : { tags }),
  };
  if (Object.keys(change).length > 0) return change;
  const message = 'Send at least one of title, content, category and tags.';
  throw invalid([{ field: 'body', rule: 'minProperties', message }]);
}
