import { type Static, Type } from 'typebox';
import { isoTime } from '../domain/time.ts';
import { withoutPaths } from '../domain/without-paths.ts';
import { PageOf } from '../http/paging.ts';
import { againAfter } from './job.ts';
import { lastSent, type SendingState } from './sending-state.ts';
import { type BackupState, isUnderWay, LOST, pauseAfter } from './state.ts';

const TIME = { format: 'date-time' };

const BackupBucket = Type.Object(
  {
    name: Type.String({ description: 'BACKUP_S3_BUCKET.' }),
    file: Type.Optional(
      Type.String({ description: 'The backup that was sent last, by its name in BACKUP_DIR.' }),
    ),
    sent_at: Type.Optional(Type.String({ ...TIME, description: 'When that was in the bucket.' })),
    problem: Type.Optional(
      Type.String({
        description:
          'Why the newest proved backup could not be sent, for an operator. Absent after a success.',
      }),
    ),
    failed_at: Type.Optional(Type.String({ ...TIME, description: 'When the last try to send failed.' })),
  },
  { $id: 'BackupBucket', description: 'The bucket to which proved backups are sent.' },
);

export const BackupsState = Type.Object(
  {
    every_seconds: Type.Optional(
      Type.Integer({ description: 'BACKUP_EVERY in seconds. Absent where it is off.' }),
    ),
    keep: Type.Integer({ description: 'BACKUP_KEEP: how many stay.' }),
    doing: Type.Enum(['nothing', 'asked', 'under_way'], {
      type: 'string',
      description: '"asked" until an instance begins the backup that an admin asked for.',
    }),
    made_at: Type.Optional(
      Type.String({ ...TIME, description: 'When the rows were as the newest proved backup has them.' }),
    ),
    proved_at: Type.Optional(
      Type.String({ ...TIME, description: 'When that backup had been restored into a throwaway database.' }),
    ),
    problem: Type.Optional(
      Type.String({ description: 'Why the last try failed, for an operator. Absent after a success.' }),
    ),
    failed_at: Type.Optional(Type.String({ ...TIME, description: 'When the last try failed.' })),
    next_at: Type.Optional(
      Type.String({ ...TIME, description: 'When the next one is due, in the past if it is due now.' }),
    ),
    bucket: Type.Optional(BackupBucket),
  },
  { $id: 'BackupsState', description: 'Backups that the service makes, of all its instances.' },
);

const BackupFile = Type.Object(
  {
    name: Type.String({ description: 'Its name in BACKUP_DIR.' }),
    begun_at: Type.String({ ...TIME, description: 'As the name says.' }),
    bytes: Type.Integer({ minimum: 0 }),
    proved_at: Type.Optional(
      Type.String({
        ...TIME,
        description:
          'When it had been restored into a throwaway database. Absent where the proof is still to come or failed, and for files of "stoa backup".',
      }),
    ),
  },
  { $id: 'BackupFile', description: 'A file of BACKUP_DIR at the instance that answers.' },
);

const page = PageOf('BackupFilePage', BackupFile, 'Newest first');
export const BackupPage = Type.Object(
  { ...page.properties, state: BackupsState },
  { $id: 'BackupPage', description: 'One page of the files, and the state of the backups.' },
);

/** How backups are set. `folders` are those that a text names by their setting (domain/without-paths.ts). */
export interface BackupSettings {
  /** Milliseconds; undefined for none by themselves. */
  readonly every: number | undefined;
  readonly keep: number;
  /** The bucket to which backups are sent; undefined for none. */
  readonly bucket: { readonly name: string; readonly address: string } | undefined;
  readonly folders: Readonly<Record<string, string>>;
}

/** The state as the contract shows it at this time. */
export function toBackupsState(
  state: BackupState,
  sending: SendingState,
  { every, keep, bucket, folders }: BackupSettings,
  now: number,
): Static<typeof BackupsState> {
  const isNow = isUnderWay(state, now);
  const isLost = state.claimed_by !== null && !isNow;
  const problem = isLost ? LOST : state.problem;
  const failedAt = isLost ? state.claimed_until : state.failed_at;
  const next =
    every === undefined || isNow
      ? undefined
      : state.tried_at + pauseAfter(state, { every, again: againAfter(every) });
  return {
    ...(every !== undefined && { every_seconds: every / 1_000 }),
    keep,
    doing: isNow ? 'under_way' : state.asked_at === null ? 'nothing' : 'asked',
    ...(state.made_at !== null && { made_at: isoTime(state.made_at) }),
    ...(state.proved_at !== null && { proved_at: isoTime(state.proved_at) }),
    ...(failedAt !== null && problem !== null && { problem: withoutPaths(problem, folders) }),
    ...(failedAt !== null && { failed_at: isoTime(failedAt) }),
    ...(next !== undefined && { next_at: isoTime(next) }),
    ...(bucket !== undefined && { bucket: toBucket(bucket, sending, folders) }),
  };
}

function toBucket(
  { name, address }: NonNullable<BackupSettings['bucket']>,
  sending: SendingState,
  folders: BackupSettings['folders'],
): Static<typeof BackupBucket> {
  const { failed_at, problem } = sending;
  const { file, sent_at } = lastSent(sending, address);
  return {
    name,
    ...(file !== null && { file }),
    ...(sent_at !== null && { sent_at: isoTime(sent_at) }),
    ...(problem !== null && { problem: withoutPaths(problem, folders) }),
    ...(failed_at !== null && { failed_at: isoTime(failed_at) }),
  };
}
