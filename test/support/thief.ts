import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { sql } from 'kysely';
import { openMoveEnd } from '../../src/open-database.ts';
import { RefreshTokens, unsealSuccessor } from '../../src/sessions/refresh-token.ts';
import type { Database } from '../../src/settings/database-url.ts';

/** What a thief can do with a copy of the database, and with some used tokens. */

/** Every text of every column of every table, whatever it is called. */
export async function textsOf(database: Database): Promise<string[]> {
  const end = await openMoveEnd(database, 'source');
  try {
    const texts: string[] = [];
    for (const { name } of await end.tables()) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(end.db);
      for (const value of rows.flatMap((row) => Object.values(row))) {
        if (value instanceof Uint8Array) texts.push(Buffer.from(value).toString('latin1'));
        else texts.push(String(value));
      }
    }
    return texts;
  } finally {
    await end.close();
  }
}

/** The public keys (x of RFC 8037) of all Ed25519 keys whose private part is among the texts. */
export function publicKeysFrom(texts: readonly string[]): string[] {
  return keysIn(texts).map((seed) => {
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    return createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '';
  });
}

/**
 * Every refresh token that the texts and these used tokens lead to: tokens that are stored, tokens that are derived
 * from their parents (as versions before sealing did), and tokens that are sealed under a used one.
 */
export function tokensFrom(texts: readonly string[], used: readonly string[]): string[] {
  const found = texts.flatMap((text) => text.match(/stoa_rt_[\w-]+/g) ?? []);
  for (const secret of [Buffer.alloc(0), ...keysIn(texts)]) {
    const tokens = new RefreshTokens(secret);
    for (const text of used) {
      const body = Buffer.from(text.slice('stoa_rt_'.length), 'base64url');
      const sessionId = body.subarray(0, 8).toString('base64url');
      const key = tokens.successorKey({ text, sessionId, hash: '' });
      for (const each of texts) found.push(unsealSuccessor(key, sessionId, each) ?? '');
      found.push(...derivedFrom(secret, text, 8));
    }
  }
  return found;
}

/** The next tokens by the rule of earlier versions: their 256 bits are the MAC of the parent. */
function derivedFrom(secret: Buffer, parent: string, count: number): string[] {
  const mac = (purpose: string, bytes: Buffer) =>
    createHmac('sha256', secret).update(purpose).update(bytes).digest();
  const session = Buffer.from(parent.slice('stoa_rt_'.length), 'base64url').subarray(0, 8);
  const tokens: string[] = [];
  for (let last = parent; tokens.length < count; ) {
    const body = Buffer.concat([session, mac('successor', Buffer.from(last))]);
    last = `stoa_rt_${Buffer.concat([body, mac('tag', body).subarray(0, 16)]).toString('base64url')}`;
    tokens.push(last);
  }
  return tokens;
}

/** All texts that may be a key of 32 bytes, in base64url or hexadecimal. */
function keysIn(texts: readonly string[]): Buffer[] {
  const runs = texts.flatMap((text) => text.match(/[\w-]+/g) ?? []);
  const base64 = runs.filter((run) => run.length === 43).map((run) => Buffer.from(run, 'base64url'));
  const hex = runs.filter((run) => /^[0-9a-f]{64}$/i.test(run)).map((run) => Buffer.from(run, 'hex'));
  return [...base64, ...hex];
}
