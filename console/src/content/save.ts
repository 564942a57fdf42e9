import type { AnyFailure } from '@stoa/client';
import { failureText, fieldProblem, wrongField } from '../parts/failure.ts';
import { ask, onceKey } from './ask.ts';
import { isBehind, readStored, type Stored, tagOf } from './record.ts';
import { changesOf, isSame, type Written } from './written.ts';

export type Saved =
  | { readonly kind: 'saved'; readonly stored: Stored }
  /** Another save came first. */
  | { readonly kind: 'stale'; readonly stored: Stored }
  /** The draft is the one that was sent, but its item was changed after the draft was begun. */
  | { readonly kind: 'behind'; readonly stored: Stored }
  /** No answer of the service, which a proxy may have lost: whether it was saved is not known. */
  | { readonly kind: 'offline'; readonly before?: Stored | undefined }
  /** What is stored by the requests before the one that failed. */
  | (Refusal & { readonly kind: 'refused'; readonly before?: Stored | undefined });

/** Why something was not done, and the member of the item that is wrong. */
export interface Refusal {
  readonly message: string;
  readonly field?: string | undefined;
}

const UNANSWERED = new Set([0, 502, 504]);

interface Refused {
  readonly before?: Stored;
  /** The saving of the draft that the request named. */
  readonly draftSaving?: string | undefined;
  /** Is all as it was asked for? An earlier request did it then, whose answer was lost. */
  readonly isDone?: (now: Stored) => boolean;
}

async function refusalOf(
  failure: AnyFailure,
  id: number,
  { before, draftSaving, isDone }: Refused = {},
): Promise<Saved> {
  const { status } = failure;
  if (UNANSWERED.has(status)) return { kind: 'offline', before };
  if (status !== 412) {
    const field = wrongField(failure);
    const said = field === undefined ? undefined : fieldProblem(failure, field);
    return { kind: 'refused', message: said ?? failureText(failure), field, before };
  }
  const now = await readStored(id);
  if (!now.ok) return refusalOf(now, id);
  const { data: stored } = now;
  if (isDone?.(stored)) return { kind: 'saved', stored };
  const isSameDraft = draftSaving !== undefined && draftSaving === stored.draftSaving;
  return { kind: isSameDraft && isBehind(stored) ? 'behind' : 'stale', stored };
}

/**
 * What is stored after a write. Where another save came between, the text is not the one that was sent. Where it cannot be
 * read, the write is to be sent again, which finds that it was made.
 */
async function savedNow(id: number, sent?: Written): Promise<Saved> {
  const now = await readStored(id);
  if (!now.ok) return now.status === 404 ? refusalOf(now, id) : { kind: 'offline' };
  const { title, content } = now.data.written;
  const isOurs = !sent || (sent.title === title && sent.content === content);
  return { kind: isOurs ? 'saved' : 'stale', stored: now.data };
}

/**
 * After these an item may be there, or may still come. The key then takes only the body that was sent, so that is to be
 * sent again before another one.
 */
const mayBeMade = ({ status, error }: AnyFailure) =>
  status === 500 || status === 503 || error.error === 'request_in_progress';

/** Creates a draft. The same key makes it once, however often the request is sent. */
export async function create(written: Written, key: string = onceKey()): Promise<Saved> {
  const { title, content, slug, publish_at, ...others } = written;
  const body = {
    ...others,
    title,
    content,
    tags: [...others.tags],
    status: 'draft' as const,
    ...(slug !== '' && { slug }),
    ...(publish_at !== null && { publish_at }),
  };
  const made = await ask('createContent', { body, idempotencyKey: key });
  if (!made.ok) return mayBeMade(made) ? { kind: 'offline' } : refusalOf(made, 0);
  const now = await savedNow(made.data.id, written);
  return now.kind === 'refused' ? { kind: 'offline' } : now;
}

/** What a draft beside a published item does not have: it applies to the item at once. */
const ONLY_OF_ITEM = new Set(['slug', 'visibility']);

/**
 * Saves what changed since the service was asked. A published item keeps its text until the draft is published. A time
 * is saved over a change of the item only where the author agreed to that version.
 */
export async function save(stored: Stored, written: Written, agreed?: number): Promise<Saved> {
  const { id, status } = stored;
  const isDone = (now: Stored) => isSame(now.written, written);
  const changes = Object.entries(changesOf(stored.written, written));
  const ofItem = Object.fromEntries(changes.filter(([name]) => status === 'draft' || ONLY_OF_ITEM.has(name)));
  const ofDraft = Object.fromEntries(changes.filter(([name]) => !(name in ofItem)));
  let now = stored;
  if (Object.keys(ofItem).length > 0) {
    const headers = { 'if-match': now.itemTag };
    const done = await ask('updateContent', { path: { id }, body: ofItem, headers });
    if (!done.ok) return refusalOf(done, id, { isDone });
    const { version } = done.data;
    const itemTag = done.headers.get('etag') ?? '';
    now = { ...stored, version, itemTag, written: { ...stored.written, ...ofItem } };
  }
  if (Object.keys(ofDraft).length > 0) {
    const done = await ask('saveDraft', {
      path: { id },
      body: ofDraft,
      headers: { 'if-match': tagOf(now) ?? '' },
      query: ofDraft.publish_at && agreed === stored.version ? { over_version: now.version } : {},
    });
    if (!done.ok) return refusalOf(done, id, { before: now, draftSaving: now.draftSaving, isDone });
  }
  return savedNow(id, written);
}

/** Where there is no draft any more, an earlier request did it, whose answer was lost. */
const ofLostDraft = (
  failure: AnyFailure,
  id: number,
  written?: Written,
  refused?: Refused,
): Promise<Saved> => (failure.status === 404 ? savedNow(id, written) : refusalOf(failure, id, refused));

/** Publishes what is saved, and over a change of the item only where the author agreed to that version. */
export async function publish(stored: Stored, agreed?: number): Promise<Saved> {
  const { id, draftSaving, written } = stored;
  const done = await ask('publishContent', {
    path: { id },
    headers: { 'if-match': tagOf(stored) ?? '' },
    query: agreed === undefined ? {} : { over_version: agreed },
  });
  const isDone = (now: Stored) =>
    now.status === 'published' && now.draftTag === undefined && isSame(now.written, written);
  return done.ok ? savedNow(id, written) : ofLostDraft(done, id, written, { draftSaving, isDone });
}

/** Makes a draft of a published item. */
export async function withdraw({ id, itemTag, written }: Stored): Promise<Saved> {
  const done = await ask('updateContent', {
    path: { id },
    body: { status: 'draft' },
    headers: { 'if-match': itemTag },
  });
  const isDone = (now: Stored) => now.status === 'draft' && isSame(now.written, written);
  return done.ok ? savedNow(id, written) : refusalOf(done, id, { isDone });
}

export async function discard({ id, draftTag }: Stored): Promise<Saved> {
  const done = await ask('discardDraft', { path: { id }, headers: { 'if-match': draftTag ?? '*' } });
  return done.ok ? savedNow(id) : ofLostDraft(done, id);
}
