import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import type { Cursors } from '../domain/cursors.ts';
import { invalid } from '../domain/failure.ts';
import type { Walk, WalkRequest } from '../domain/page.ts';
import { beforeValidation } from './before-validation.ts';
import { ok } from './envelope.ts';
import { otherParameters, PageOf, pageRequest, pathOf, setLinks } from './paging.ts';

/** Characters of a cursor. Ours have 32. */
const LONGEST = 64;

/** The parameter of a list that can be walked through (docs/decisions/lists-and-search.md). */
export const CURSOR = Type.Optional(
  Type.String({
    maxLength: LONGEST,
    description:
      'Walks through the whole list, in place of `page`: empty at the beginning, then the `next_cursor` of the answer before, with the same filters. An item that is in the list throughout comes exactly once, whatever is written meanwhile. A walk goes by id, so it takes no other `sort`.',
  }),
);

/** `data` of such a list: a page as all lists have it, or a step of a walk. */
export function WalkablePageOf<Item extends TSchema>(name: string, item: Item, order?: string) {
  const { items, per_page } = PageOf(name, item, order).properties;
  return Type.Object(
    {
      items,
      total: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Exact number of matches; absent with `cursor`.' }),
      ),
      page: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: 'The page number that was asked for; absent with `cursor`.',
        }),
      ),
      per_page,
      next_cursor: Type.Optional(
        Type.String({ description: 'With `cursor`: what continues the walk; absent at its end.' }),
      ),
    },
    { $id: name, description: 'One page of a list, or one step of a walk through it.' },
  );
}

/** Operations that are added from now on refuse a page beside a cursor. Validation would add the default of a page. */
export function refusePageBesideCursor(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { properties = {} } = Object(route.schema?.querystring) as { properties?: object };
    if (!Object.hasOwn(properties, 'cursor')) return;
    const step = ({ query }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
      const { cursor, page } = query as Record<string, unknown>;
      done(cursor === undefined || page === undefined ? undefined : refused('page', BESIDE_PAGE));
    };
    beforeValidation(route, step);
  });
}

/** The walk that a request asks for. Undefined for one that asks for a page. Fails with `validation_failed`. */
export function walkRequest(request: FastifyRequest, cursors: Cursors): WalkRequest | undefined {
  const { cursor, per_page, sort } = request.query as { cursor?: string; per_page?: number; sort?: string };
  if (cursor === undefined) return undefined;
  if (sort !== undefined && sort !== 'id') throw refused('sort', SORTED);
  const after = cursor === '' ? undefined : cursors.open(listOf(request), cursor);
  if (cursor !== '' && after === undefined) throw refused('cursor', FOREIGN);
  return { per_page: pageRequest(per_page === undefined ? {} : { per_page }).per_page, after };
}

/** What an answer says of a step of a walk besides its items. Sets the Link header (RFC 8288): first and next. */
export function stepOf(
  request: FastifyRequest,
  reply: FastifyReply,
  cursors: Cursors,
  { per_page, next }: Omit<Walk<unknown>, 'items'>,
): { readonly per_page: number; readonly next_cursor?: string } {
  const start = `<${pathOf(request)}?${otherParameters(request)}per_page=${per_page}&cursor=`;
  const next_cursor = next === undefined ? undefined : cursors.issue(listOf(request), next);
  const links = [`${start}>; rel="first"`, ...(next_cursor ? [`${start}${next_cursor}>; rel="next"`] : [])];
  setLinks(reply, links);
  return { per_page, ...(next_cursor !== undefined && { next_cursor }) };
}

/** The answer of a step of a walk; `toItem` makes what the contract shows of a row. */
export function okWalk<Row, Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  cursors: Cursors,
  { items, ...walk }: Walk<Row>,
  toItem: (row: Row) => Item,
) {
  const step = stepOf(request, reply, cursors, walk);
  return ok({ items: items.map((row) => toItem(row)), ...step });
}

/** The route and all other parameters of a request, in one order. */
function listOf(request: FastifyRequest): string {
  const parameters = otherParameters(request).split('&').toSorted();
  return [request.routeOptions.url, ...parameters].join(' ');
}

const BESIDE_PAGE = 'A walk with "cursor" has no pages; leave "page" out.';
const SORTED = 'A walk with "cursor" goes by ids; leave "sort" out.';
const FOREIGN =
  'This cursor is not one of this list with these parameters; send "next_cursor" as it was answered, or an empty one to begin again.';

function refused(field: string, message: string) {
  return invalid([{ field, rule: 'cursor', message }]);
}
