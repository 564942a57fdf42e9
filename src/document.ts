import { BackupHealth, SendingHealth } from './backups/check-contract.ts';
import type { DocumentParts } from './http/openapi.ts';
import type { Details } from './http/service.ts';
import { OutboxState } from './services/mail/check-contract.ts';
import { REFRESH_COOKIE } from './sessions/refresh-cookie.ts';
import { NamingState } from './slugs/check-contract.ts';

/** What rooms report to /readyz. The types tell which one is missing here. */
export const DETAILS: Details = {
  outbox: OutboxState,
  backups: BackupHealth,
  bucket: SendingHealth,
  slugs: NamingState,
};

const DESCRIPTION = `Accounts and content behind one small HTTP interface.

Every response is an envelope: \`code\` equals the HTTP status, \`data\` is an object. A failure carries
\`message\` (one sentence for a person) and \`data.error\` (a stable name for a program). The public keys, the stream
of events and a 304, which has no body, are no envelopes.

An unknown member of a body or parameter of a query gets a 400 with its name and the known names. Seven operations
ignore it instead, because their clients are older than this rule: \`login\`, \`register\`, \`refresh\`,
\`listUsers\`, \`createContent\`, \`updateContent\` and \`deleteContent\`. No text has NUL or half a surrogate pair.
Every operation lists its answers. A request that reaches no operation gets the same envelope: 400 for invalid
HTTP, 404 and 405 for an unknown path or method, 408 for headers that take longer than 10 seconds,
417 for an Expect other than 100-continue, 429 for too many requests under way,
431 for headers over 16 KiB.`;

/** What openapi.json says of the rooms, in the order in which a person reads it. */
export const DOCUMENT: DocumentParts = {
  description: DESCRIPTION,
  tags: [
    {
      name: 'auth',
      description: 'Registering, logging in and out, refreshing, sessions, passkeys, personal access tokens.',
    },
    { name: 'users', description: 'The accounts.' },
    { name: 'events', description: 'Changes as they are made.' },
    { name: 'webhooks', description: 'Where changes are sent.' },
    { name: 'content', description: 'Content items.' },
    { name: 'audit', description: 'Security events.' },
    { name: 'service', description: 'The state of the service.' },
    {
      name: 'system',
      description: 'What admins see and do of the installation: its figures, checks and backups.',
    },
  ],
  schemes: {
    accessToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The access token of a login or a refresh.',
    },
    personalToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'A personal access token (POST /api/auth/tokens), for programs.',
    },
    eventTicket: {
      type: 'apiKey',
      in: 'query',
      name: 'ticket',
      description: 'A ticket of POST /api/events/tickets, for a browser that sends no token.',
    },
    refreshToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'The refresh token, not the access token.',
    },
    refreshCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: REFRESH_COOKIE,
      description:
        'The refresh token of a sign-in with `refresh_token_in: "cookie"`. Only pages of this service and of CORS_ORIGINS may use it.',
    },
  },
  schemeOf: { access: 'accessToken', programs: 'personalToken', ticket: 'eventTicket' },
};
