import type { AnyFailure } from '@stoa/client';
import { read } from './ask.ts';
import { mayChange } from './shell.ts';
import { NOTHING, type Written } from './written.ts';

/** An item as the service has it, with the draft beside it, and their entity tags. */
export interface Stored {
  readonly id: number;
  readonly status: 'draft' | 'published';
  readonly version: number;
  readonly itemTag: string;
  /** The entity tag of the draft beside a published item. */
  readonly draftTag: string | undefined;
  /** Names the saving of that draft. Its entity tag changes with the item too. */
  readonly draftSaving: string | undefined;
  /** The version of the item that the draft was begun over. */
  readonly overVersion: number | undefined;
  readonly author: string;
  /** By the one who is signed in. */
  readonly mayBeChanged: boolean;
  readonly updated: string;
  readonly written: Written;
}

/** The entity tag of what the editor writes: of the draft where there is one. */
export const tagOf = (stored: Stored | undefined) => stored?.draftTag ?? stored?.itemTag;

/** What of a draft's tag tells one saving from another: the rest changes with the item too. The whole tag of an item. */
export const savingIn = (tag: string | undefined) => /^"draft-\d+-\w+/.exec(tag ?? '')?.[0] ?? tag;

/** Was the item changed after its draft was begun? */
export const isBehind = (stored: Stored | undefined) =>
  stored?.overVersion !== undefined && stored.overVersion !== stored.version;

type Read = { readonly ok: true; readonly data: Stored } | AnyFailure;

/** Reads an item, and what its next version will be. */
export async function readStored(id: number, signal?: AbortSignal): Promise<Read> {
  const wanted = { path: { id }, ...(signal && { signal }) };
  const item = await read('getContent', wanted);
  if (!item.ok) return item;
  const { data } = item;
  const own = {
    title: data.title,
    slug: data.slug ?? '',
    content: data.content,
    category: data.category,
    tags: data.tags,
    language: data.language ?? '',
    visibility: data.visibility,
    publish_at: data.publish_at ?? null,
  };
  const stored: Stored = {
    id,
    status: data.status,
    version: data.version,
    itemTag: item.headers.get('etag') ?? '',
    draftTag: undefined,
    draftSaving: undefined,
    overVersion: undefined,
    author: data.author.username,
    mayBeChanged: mayChange(data.author.id),
    updated: data.updated_at,
    written: { ...NOTHING, ...own },
  };
  if (stored.status === 'draft' || !stored.mayBeChanged) return { ok: true, data: stored };
  const draft = await read('getDraft', wanted);
  if (!draft.ok) return draft.status === 404 ? { ok: true, data: stored } : draft;
  const {
    title,
    content,
    category,
    tags,
    language = '',
    publish_at,
    version,
    over_version,
    saved_at,
  } = draft.data;
  return {
    ok: true,
    data: {
      ...stored,
      draftTag: draft.headers.get('etag') ?? '',
      draftSaving: `${version} ${saved_at}`,
      overVersion: over_version,
      written: { ...stored.written, title, content, category, tags, language, publish_at },
    },
  };
}
