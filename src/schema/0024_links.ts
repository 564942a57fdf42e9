import type { Migration } from '../store/migration.ts';

/**
 * One table for all mailed links. It replaces `password_resets`, `email_links`, `pending_registrations` and
 * `invitations`. What each purpose stores is listed in `services/links/purposes.ts`. No constraint names the purposes,
 * so a new one needs no step.
 *
 * - `id` is how clients name an invitation. It continues after the last id of an invitation, because the trail has
 *   those.
 * - `token_hash` is the SHA-256 of 256 random bits, which are only in the mail.
 * - `user_id` is the account of the link, or the admin who invited. NULL for a registration, which has no account yet.
 * - `email` is the address to which the link was mailed.
 * - `source_key` is a hash of the source of a registration. NULL for all others.
 * - `carries` is JSON.
 *
 * An address has at most one invitation.
 */
export const links: Migration = {
  name: '0024_links',
  effect: {
    does: 'Copies invitations, resets, registrations and links of addresses into one table.',
    stops: {
      users: 'all',
      invitations: 'all',
      pending_registrations: 'all',
      email_links: 'all',
      password_resets: 'all',
    },
    reads: ['invitations', 'pending_registrations', 'email_links', 'password_resets'],
  },
  statements: ({ engine, id, integer, key, tableOptions }) => {
    const isSqlite = engine === 'sqlite';
    const json = isSqlite ? 'json_object' : 'json_build_object';
    return [
      `CREATE TABLE links (
        id ${id},
        token_hash ${key} NOT NULL,
        purpose ${key} NOT NULL,
        user_id ${integer} REFERENCES users (id) ON DELETE CASCADE,
        email TEXT NOT NULL,
        email_key ${key} NOT NULL,
        source_key ${key},
        carries TEXT NOT NULL,
        expires_at ${integer} NOT NULL,
        CONSTRAINT links_token_hash UNIQUE (token_hash)
      )${tableOptions}`,
      isSqlite
        ? `INSERT INTO sqlite_sequence (name, seq) SELECT 'links', seq FROM sqlite_sequence WHERE name = 'invitations'`
        : `SELECT setval(pg_get_serial_sequence('links', 'id'), nextval(pg_get_serial_sequence('invitations', 'id')))`,
      `INSERT INTO links (id, token_hash, purpose, user_id, email, email_key, carries, expires_at)
        SELECT id, token_hash, 'invite', invited_by, email, email_key,
          CAST(${json}('role', role, 'created_at', created_at) AS TEXT), expires_at FROM invitations`,
      `INSERT INTO links (token_hash, purpose, email, email_key, source_key, carries, expires_at)
        SELECT token_hash, 'register', email, email_key, source_key,
          CAST(${json}('username', username, 'password_hash', password_hash) AS TEXT), expires_at
        FROM pending_registrations`,
      `INSERT INTO links (token_hash, purpose, user_id, email, email_key, carries, expires_at)
        SELECT token_hash, kind || '_email', user_id, email, email_key, '{}', expires_at FROM email_links`,
      `INSERT INTO links (token_hash, purpose, user_id, email, email_key, carries, expires_at)
        SELECT token_hash, 'reset_password', users.id, email, email_key, '{}', expires_at
        FROM password_resets JOIN users ON users.id = user_id`,
      ...['invitations', 'pending_registrations', 'email_links', 'password_resets'].map(
        (table) => `DROP TABLE ${table}`,
      ),
      'CREATE INDEX links_user ON links (user_id)',
      'CREATE INDEX links_email ON links (email_key)',
      'CREATE INDEX links_source ON links (purpose, source_key)',
      'CREATE INDEX links_expiry ON links (expires_at)',
      `CREATE UNIQUE INDEX links_invited ON links (email_key) WHERE purpose = 'invite'`,
    ];
  },
};
