import { createHmac, randomBytes } from 'node:crypto';
import { OperatorError } from '../domain/operator-error.ts';
import type { Place } from '../services/sealing/seal.ts';
import { keyChanged, type Sealing } from '../services/sealing/sealing.ts';
import { isSealedUnder } from '../services/sealing/secrets.ts';
import type { Db } from '../store/tables.ts';

const PREFIX = 'whsec_';
const BYTES = 32;

/** A secret of Standard Webhooks: "whsec_" and base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(BYTES).toString('base64');
}

export interface SealedSecret {
  readonly id: string;
  readonly sealed: string;
  /** `Sealing.check` of the key under which it is sealed. */
  readonly sealedUnder: string;
}

interface Stored {
  readonly id: string;
  readonly secret_sealed: string;
}

/** Seals a secret before the write that stores it, because only the main thread has the sealing key. */
export function sealSecret(sealing: Sealing, secret: string): SealedSecret {
  const id = randomBytes(16).toString('base64url');
  return { id, sealed: sealing.seal(placeOf(id), secret), sealedUnder: sealing.check };
}

/**
 * The secrets that can be opened. Another one was sealed under a key that is lost, or under a new one that this instance
 * gets at its restart, and must not stop what the others can sign.
 */
export function openSecrets(sealing: Sealing, sealed: readonly Stored[]): string[] {
  return sealed.flatMap(({ id, secret_sealed }) => {
    try {
      return [sealing.unseal(placeOf(id), secret_sealed)];
    } catch (error) {
      if (error instanceof OperatorError) return [];
      throw error;
    }
  });
}

/** Stores the current secret of a webhook. Fails with OperatorError where the sealing key was replaced. */
export async function keepSecret(db: Db, webhook_id: number, secret: SealedSecret): Promise<void> {
  const { id, sealed: secret_sealed, sealedUnder } = secret;
  if (!(await isSealedUnder(db, sealedUnder))) throw keyChanged();
  await db.insertInto('webhook_secrets').values({ id, webhook_id, secret_sealed, ends_at: null }).execute();
}

interface Message {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of Standard Webhooks. There is one signature for each secret, so that a secret can be replaced. */
export function signedHeaders({ id, timestamp, body }: Message, secrets: readonly string[]) {
  const signature = (secret: string) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(signature).join(' '),
  };
}

function placeOf(id: string): Place {
  return { table: 'webhook_secrets', row: id, column: 'secret_sealed' };
}
