import { basename } from 'node:path';
import { Type } from 'typebox';
import type { Page, PageRequest } from '../domain/page.ts';
import { isoTime } from '../domain/time.ts';
import { askedBy } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { linkPages, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import { askForBackup } from './ask.ts';
import { BackupPage, type BackupSettings, BackupsState, toBackupsState } from './contract.ts';
import { readSending } from './sending-state.ts';
import { readBackupState, readProved } from './state.ts';

interface BackupFile {
  readonly name: string;
  readonly begunAt: number;
  readonly bytes: number;
}

export interface BackupRouteParts {
  readonly store: Store;
  readonly clock: () => number;
  readonly settings: BackupSettings;
  /** The files of BACKUP_DIR, newest first. */
  readonly listFiles: (page: PageRequest) => Promise<Page<BackupFile>>;
}

/** The list of backups, and asking for one. */
export function backupRoutes(app: App, { store, clock, settings, listFiles }: BackupRouteParts): void {
  app.get(
    '/api/backups',
    {
      config: { access: 'admin', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'listBackups',
        tags: ['system'],
        summary: 'List backups',
        description:
          'The files of BACKUP_DIR at the instance that answers, and the state of the backups of all instances. For admins only.',
        querystring: Type.Object(PageQuery),
        response: answers(BackupPage, 'One page of files.', 401, 403),
      },
    },
    async (request, reply) => {
      const files = await listFiles(pageRequest(request.query));
      linkPages(request, reply, files);
      const state = await store.read(readBackupState, null);
      const sending = await store.read(readSending, null);
      const proved = await store.read(
        readProved,
        files.items.map(({ name }) => name),
      );
      // The newest one of an earlier version of Stoa is known by the state only.
      if (state.file !== null && state.proved_at !== null) proved[basename(state.file)] ??= state.proved_at;
      const items = files.items.map(({ name, begunAt, bytes }) => {
        const provedAt = proved[name];
        const proof = provedAt === undefined ? {} : { proved_at: isoTime(provedAt) };
        return { name, begun_at: isoTime(begunAt), bytes, ...proof };
      });
      return ok({ ...files, items, state: toBackupsState(state, sending, settings, clock()) });
    },
  );

  app.post(
    '/api/backups',
    {
      config: { access: 'admin', limits: ['backup_requests'], shows: 'nothing' },
      schema: {
        operationId: 'requestBackup',
        tags: ['system'],
        summary: 'Make a backup now',
        description:
          'An instance begins it within seconds, proves it, and removes the oldest beyond BACKUP_KEEP. Where one is asked for or under way already, nothing is added. Takes a sign-in of the last ten minutes. For admins only.',
        response: answers(BackupsState, 'The state of the backups.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const state = await store.write(askForBackup, askedBy(request, clock));
      const sending = await store.read(readSending, null);
      return ok(toBackupsState(state, sending, settings, clock()));
    },
  );
}
