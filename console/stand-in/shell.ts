import operations from 'stoa:operations';
import { signal } from '@preact/signals';
import { content } from '../src/text/content.en.ts';

/** Stands in for the shell of the console: addresses, session, texts and requests, and nothing to see. */

const BASE = '/console';
const here = signal(location.href);
const pathNow = () => new URL(here.value).pathname.slice(BASE.length) || '/content';
export const path = pathNow;

function show(url: string, replace = false) {
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  here.value = location.href;
}
export function go(to: string, { replace = false } = {}) {
  show(`${BASE}${to}`, replace);
}
export function useAddress() {
  return Object.fromEntries(new URL(here.value).searchParams);
}
export function setAddress(query: Record<string, string | undefined>) {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  show(`${location.pathname}?${new URLSearchParams(given)}`);
}
addEventListener('popstate', () => {
  here.value = location.href;
});
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.target || new URL(link.href).origin !== location.origin) return;
  event.preventDefault();
  show(link.href);
});

const me = JSON.parse(sessionStorage.getItem('account') ?? 'null');
export const account = () => me;
export const language = () => 'en';
export function text(key: string, values: Record<string, unknown> = {}) {
  const known: Record<string, string> = content;
  return (known[key] ?? `?${key}?`).replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

export function signInAgain() {
  return new Promise<boolean>((resolve) => {
    document.body.dataset.asked = 'true';
    addEventListener('signed-in', () => resolve(true), { once: true });
  });
}

interface Input {
  readonly path?: Record<string, unknown>;
  readonly query?: Record<string, unknown>;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

async function call(
  name: string,
  { path = {}, query = {}, body, headers = {}, idempotencyKey, signal }: Input = {},
) {
  const [method = 'GET', pattern = ''] = (operations[name] ?? '').split(' ');
  const target = pattern.replaceAll(/\{(\w+)\}/g, (_, key) => String(path[key]));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) => [value].flat().map((one) => [key, String(one)])),
  );
  try {
    const answer = await fetch(`${target}?${search}`, {
      method,
      headers: {
        authorization: `Bearer ${sessionStorage.getItem('token')}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const { data } = await answer.json();
    if (answer.ok) return { ok: true, status: answer.status, headers: answer.headers, data };
    return { ok: false, status: answer.status, error: data };
  } catch {
    return { ok: false, status: 0, error: { error: 'network', message: 'There is no connection.' } };
  }
}

async function* walk(name: string, input: Input) {
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const read: { ok: boolean; data: { items: object[]; next_cursor?: string }; error?: Error } = (await call(
      name,
      {
        ...input,
        query: { ...input.query, cursor },
      },
    )) as never;
    if (!read.ok) throw new Error(read.error?.message);
    yield* read.data.items;
    cursor = read.data.next_cursor;
  }
}

export const stoa = { call, walk };
