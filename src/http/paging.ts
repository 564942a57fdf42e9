import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { notFound } from '../domain/failure.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { isStorable } from '../domain/text.ts';
import { beforeValidation } from './before-validation.ts';
import { ok } from './envelope.ts';
import type { Formats } from './validation.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** What clients see before the paths of the routes: the path of PUBLIC_URL, without "/" at its end. */
    basePath: string;
  }
}

const FIRST_PAGE = 1;
const DEFAULT_PER_PAGE = 20;
const MAX_PER_PAGE = 100;

/** The parameters of every list (docs/decisions/lists-and-search.md). */
export const PageQuery = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: FIRST_PAGE,
      description: 'Page number.',
    }),
  ),
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: DEFAULT_PER_PAGE,
      description: `Items per page. More than ${MAX_PER_PAGE} is lowered to ${MAX_PER_PAGE}.`,
    }),
  ),
};

/** The keyword of a list; `description` says what it is compared with, and how. */
export function keywordQuery(description: string) {
  return Type.Optional(Type.String({ maxLength: 100, format: 'storable', description }));
}

export const pagingFormats: Formats = {
  storable: { validate: isStorable, must: 'must not contain NUL' },
};

export const IdParams = Type.Object({ id: Type.Integer({ minimum: 1, description: 'Identifier.' }) });

/** `data` of a list. `name` is the name of its component, `order` describes the order of the items. */
export function PageOf<Item extends TSchema>(name: string, item: Item, order = 'In the order of their ids') {
  return Type.Object(
    {
      items: Type.Array(item, { description: `${order}; none on a page past the end.` }),
      total: Type.Integer({ minimum: 0, description: 'Exact number of matches.' }),
      page: Type.Integer({ minimum: 1, description: 'The page number that was asked for.' }),
      per_page: Type.Integer({
        minimum: 1,
        maximum: MAX_PER_PAGE,
        description: 'The page size that was used.',
      }),
    },
    { $id: name, description: 'One page of a list.' },
  );
}

/**
 * Routes that are added from now on get the parameters that their schema calls arrays as arrays, also where the client
 * gave such a parameter once. Each value is a parameter of its own: "?a=1&a=2".
 */
export function readRepeated(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const names = namesOfType('array', route.schema?.querystring);
    if (names.length === 0) return;
    const step = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
      const values = request.query as Record<string, unknown>;
      for (const name of names) if (typeof values[name] === 'string') values[name] = [values[name]];
      done();
    };
    beforeValidation(route, step);
  });
}

/**
 * Routes that are added from now on get the parameters that their schema calls integers as integers. Only canonical
 * decimal digits count, so "1e3", "+1" and "1.0" stay strings and fail validation.
 */
export function readIntegers(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { params, querystring } = route.schema ?? {};
    beforeValidation(route, ...integersIn('params', params), ...integersIn('query', querystring));
  });
}

function integersIn(part: 'query' | 'params', schema: unknown) {
  const names = namesOfType('integer', schema);
  const step = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    const values = request[part] as Record<string, unknown>;
    for (const name of names) {
      const value = values[name];
      if (typeof value !== 'string' || !/^(0|[1-9][0-9]*)$/.test(value)) continue;
      // Infinity, which 309 digits are, is no integer for a schema.
      values[name] = Math.min(Number(value), Number.MAX_VALUE);
    }
    done();
  };
  return names.length > 0 ? [step] : [];
}

function namesOfType(type: string, schema: unknown): string[] {
  const { properties = {} } = Object(schema) as { properties?: Record<string, { type?: unknown }> };
  return Object.keys(properties).filter((name) => properties[name]?.type === type);
}

/** No row has an id that numbers cannot hold exactly. */
export function idIn(params: { id: number }, what: string): number {
  if (!Number.isSafeInteger(params.id)) throw notFound(what);
  return params.id;
}

/** The page that the query asks for, with the defaults. */
export function pageRequest({
  page = FIRST_PAGE,
  per_page = DEFAULT_PER_PAGE,
}: Partial<PageRequest>): PageRequest {
  return { page, per_page: Math.min(per_page, MAX_PER_PAGE) };
}

/**
 * Sets the Link header (RFC 8288): first, prev, next and last, with the other parameters that the route knows. Unknown
 * parameters may be very long, and are left out. `deepest` is the last page of a list that refuses those after it.
 */
export function linkPages(
  request: FastifyRequest,
  reply: FastifyReply,
  list: Omit<Page<unknown>, 'items'>,
  deepest = Number.POSITIVE_INFINITY,
): void {
  const last = Math.min(deepest, Math.max(1, Math.ceil(list.total / list.per_page)));
  const others = otherParameters(request);
  const start = `<${pathOf(request)}?${others}per_page=${list.per_page}&page=`;
  const link = (page: number, rel: string) => `${start}${page}>; rel="${rel}"`;
  const links = [link(1, 'first'), link(last, 'last')];
  if (list.page > 1) links.push(link(Math.min(list.page - 1, last), 'prev'));
  if (list.page < last) links.push(link(list.page + 1, 'next'));
  setLinks(reply, links);
}

/**
 * Characters of a Link header. Each link repeats the filters of its list. Proxies take 4 KiB for all headers of an
 * answer (nginx), and some clients 16 KiB.
 */
const LONGEST_LINKS = 2_048;

/**
 * Sets the Link header. Where the links would be too long, the answer has none: its body has the page, or the cursor.
 */
export function setLinks(reply: FastifyReply, links: readonly string[]): void {
  const text = links.join(', ');
  if (text.length <= LONGEST_LINKS) reply.header('link', text);
}

/**
 * The path of a request as its client sees it, without the host: a client that follows it to another host would leave its
 * token behind.
 */
export function pathOf({ server: { basePath }, routeOptions: { url = '' }, params }: FastifyRequest): string {
  if (!url.includes(':')) return basePath + url;
  const values = params as Readonly<Record<string, unknown>>;
  return basePath + url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

const PLACE = ['page', 'per_page', 'cursor'];

/** The answer of a list, with its Link header; `toItem` makes what the contract shows of a row. */
export function okPage<Row, Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page<Row>,
  toItem: (row: Row) => Item,
) {
  linkPages(request, reply, page);
  return ok({ ...page, items: page.items.map((row) => toItem(row)) });
}

/** The parameters of a request that its route knows, without those that tell its page. */
export function otherParameters({ query, routeOptions }: FastifyRequest): string {
  const known = Object((routeOptions.schema?.querystring as { properties?: object })?.properties);
  let text = '';
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    if (PLACE.includes(name) || !Object.hasOwn(known, name)) continue;
    for (const each of [value].flat())
      text += `${encodeURIComponent(name)}=${encodeURIComponent(String(each))}&`;
  }
  return text;
}
