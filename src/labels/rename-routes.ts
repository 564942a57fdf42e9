import { invalid } from '../domain/failure.ts';
import { isoTime } from '../domain/time.ts';
import { askedBy, callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { LocalLimits } from '../services/limits/local.ts';
import type { Store } from '../store/store.ts';
import { LabelFrom, LabelNameInput, LabelParams, LabelRename } from './contract.ts';
import { findRename, type LabelRename as Row, startRename } from './rename.ts';

export interface RenameParts {
  readonly store: Store;
  readonly limits: LocalLimits;
  readonly clock: () => number;
}

const KINDS = [
  {
    path: '/api/content/tags/:name',
    kind: 'tag',
    one: 'a tag',
    rename: { operationId: 'renameTag' },
    progress: { operationId: 'getTagRenaming' },
  },
  {
    path: '/api/content/categories/:name',
    kind: 'category',
    one: 'a category',
    rename: { operationId: 'renameCategory' },
    progress: { operationId: 'getCategoryRenaming' },
  },
] as const;

/** Renaming a label of all items, and how far that is. */
export function renameRoutes(app: App, { store, limits, clock }: RenameParts): void {
  for (const { path, kind, one, rename, progress } of KINDS) {
    app.put(
      path,
      {
        config: {
          access: 'signed_in',
          limits: ['labelRenames', 'label_renames'],
          shows: 'nothing',
          programs: 'write',
        },
        schema: {
          ...rename,
          tags: ['content'],
          summary: `Rename ${one} of all items`,
          description:
            'Also of drafts and of the trash. A name that other items have merges the two. The items follow soon: the answer says that it began, GET says how far it is. For editors and admins.',
          params: LabelParams,
          querystring: LabelFrom,
          body: LabelNameInput,
          response: answers(LabelRename, 'The renaming that began.', 401, 403, 409, ...BODY_FAILURES),
        },
      },
      async (request) => {
        limits.spend('labelRenames', callerOf(request).userId);
        const { from = request.params.name } = request.query;
        const to = kind === 'tag' ? request.body.name.trim() : request.body.name;
        if (to === '' || to === from) {
          const message = 'The member "name" must be another name than the label has.';
          throw invalid([{ field: 'name', rule: 'other', message }]);
        }
        return ok(toRename(await store.write(startRename, { kind, from, to, ...askedBy(request, clock) })));
      },
    );

    app.get(
      path,
      {
        config: { access: 'signed_in', limits: [], shows: 'nothing', programs: 'read' },
        schema: {
          ...progress,
          tags: ['content'],
          summary: `How far the renaming of ${one} is`,
          description: 'Of the one that runs, or else of the last one. For editors and admins.',
          params: LabelParams,
          querystring: LabelFrom,
          response: answers(LabelRename, 'The renaming.', 401, 403, 404),
        },
      },
      async (request) => {
        const { userId } = callerOf(request);
        const { from = request.params.name } = request.query;
        return ok(toRename(await store.read(findRename, { kind, from, userId })));
      },
    );
  }
}

function toRename({ from_name, to_name, items, started_at, ended_at }: Row) {
  return {
    from: from_name,
    name: to_name,
    items_changed: items,
    started_at: isoTime(started_at),
    ended_at: ended_at === null ? null : isoTime(ended_at),
  };
}
