import { type TSchema, Type } from 'typebox';
import { BackupsState } from '../backups/contract.ts';
import type { Series } from './rates.ts';

const Finding = Type.Object(
  {
    check: Type.String({ description: 'What was looked at.', examples: ['disk'] }),
    state: Type.Enum(['ok', 'advice', 'wrong'], {
      type: 'string',
      description: '"wrong" needs a cure, "advice" may be as it is meant.',
    }),
    says: Type.String({ description: 'One sentence: what is the case and, unless it is ok, what to do.' }),
  },
  { $id: 'Finding', description: 'What one check found.' },
);

const SystemJob = Type.Object(
  {
    name: Type.String({ examples: ['sending mail'] }),
    every_seconds: Type.Number({ description: 'The pause between two runs.' }),
    runs: Type.Integer({ minimum: 0, description: 'Since the start.' }),
    failures: Type.Integer({ minimum: 0, description: 'Since the start.' }),
    failing: Type.Boolean({ description: 'True where the last run failed.' }),
    last_success_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { $id: 'SystemJob', description: 'Work in the background of the instance that answers.' },
);

function points(description: string) {
  return Type.Array(Type.Number({ minimum: 0 }), { description });
}

const SystemRates = Type.Object(
  {
    step_seconds: Type.Integer({ description: 'Seconds from one point to the next.' }),
    requests: points('Requests within each step.'),
    server_errors: points('Answers from 500 on within each step, without `busy`.'),
    passwords: points('Passwords that were checked or stored within each step.'),
    busy_percent: points('How much of each step the main thread worked, in percent.'),
    memory_bytes: points('Memory of the process at the end of each step.'),
  } satisfies Record<keyof Series | 'step_seconds', TSchema>,
  {
    $id: 'SystemRates',
    description: 'The last quarter of an hour of this instance, the oldest point first.',
  },
);

const Waiting = Type.Object(
  {
    mails: Type.Optional(Type.Integer({ description: 'In the outbox.' })),
    webhook_deliveries: Type.Optional(Type.Integer({ description: 'Counted up to 10,000.' })),
    webhooks_paused: Type.Optional(Type.Integer({ description: 'Because their receivers failed.' })),
    index_changes: Type.Optional(Type.Integer({ description: 'Changes that the search index lacks.' })),
    feed_changes: Type.Optional(
      Type.Integer({ description: 'Changes that the slowest reader of the feed lacks.' }),
    ),
  },
  { $id: 'SystemWaiting', description: 'What waits. A figure that could not be read is absent.' },
);

const Sizes = Type.Object(
  {
    database_bytes: Type.Optional(Type.Integer({ description: 'Without its log and its search index.' })),
    log_bytes: Type.Optional(Type.Integer({ description: 'The write-ahead log of SQLite.' })),
    index_bytes: Type.Optional(Type.Integer({ description: 'The search index of SQLite.' })),
    disk_free_bytes: Type.Optional(Type.Integer({ description: 'On the disk of SQLite.' })),
    disk_bytes: Type.Optional(Type.Integer({ description: 'The disk of SQLite.' })),
    sessions: Type.Optional(Type.Integer({ description: 'Living sessions, counted up to 100,000.' })),
    event_streams: Type.Optional(Type.Integer({ description: 'Open streams of events at this instance.' })),
  },
  {
    $id: 'SystemSizes',
    description: 'Sizes. What this engine does not have, or could not be read, is absent.',
  },
);

const ShownSetting = Type.Object(
  {
    name: Type.String({ examples: ['REGISTRATION'] }),
    value: Type.String({ description: 'Empty where it is not set. Never a secret or a path.' }),
  },
  { $id: 'ShownSetting', description: 'A setting of the instance that answers.' },
);

const SystemWorker = Type.Object(
  {
    number: Type.Integer({
      minimum: 1,
      description: 'A process that replaces another one has its number.',
    }),
    serving: Type.Boolean({ description: 'False while one is started.' }),
    restarts: Type.Integer({
      minimum: 0,
      description: 'How many processes of this number have ended since the start of the service.',
    }),
    started_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'Absent while there is no process.' }),
    ),
    memory_bytes: Type.Optional(
      Type.Integer({
        description: 'Resident memory. Absent where the process does not serve, or did not answer in time.',
      }),
    ),
  },
  { $id: 'SystemWorker', description: 'A process that serves requests.' },
);

export const System = Type.Object(
  {
    version: Type.String({ examples: ['0.2.0'] }),
    node: Type.String({ description: 'The version of Node.js.', examples: ['26.0.0'] }),
    engine: Type.Enum(['sqlite', 'postgres'], { type: 'string' }),
    started_at: Type.String({ format: 'date-time' }),
    checks: Type.Array(Finding, {
      description: 'What "stoa doctor" looks at and the service knows without reading the whole database.',
    }),
    going_public: Type.Array(Finding, { description: 'The checklist of going public.' }),
    workers: Type.Array(SystemWorker, {
      description:
        'The processes that serve requests on the machine that answers, by number: as many as WORKERS. Other machines with the same database have their own. Empty where the process that starts them did not answer in time.',
    }),
    jobs: Type.Array(SystemJob),
    waiting: Waiting,
    sizes: Sizes,
    rates: SystemRates,
    backups: BackupsState,
    settings: Type.Array(ShownSetting),
  },
  { $id: 'System', description: 'How the service is.' },
);
