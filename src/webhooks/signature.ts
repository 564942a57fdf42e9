import { createHmac, randomBytes } from 'node:crypto';
import { OperatorError } from '../domain/operator-error.ts';
import type { Place } from '../services/sealing/seal.ts';
import { requireSealingKey, type SealedSecret } from '../services/sealing/sealed-secret.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { Db } from '../store/tables.ts';

const PREFIX = 'whsec_';
const BYTES = 32;

/** A secret of Standard Webhooks: "whsec_" and base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(BYTES).toString('base64');
}

interface Stored {
  readonly id: string;
  readonly secret_sealed: string;
}

/**
 * The secrets that can be opened. Another one was sealed under a key that is lost, or under a new one that this instance
 * gets at its restart, and must not stop what the others can sign.
 */
export function openSecrets(sealing: Sealing, sealed: readonly Stored[]): string[] {
  return sealed.flatMap(({ id, secret_sealed }) => {
    try {
      return [sealing.unseal(placeOfWebhookSecret(id), secret_sealed)];
    } catch (error) {
      if (error instanceof OperatorError) return [];
      throw error;
    }
  });
}

/** Stores the current secret of a webhook. Fails with OperatorError where the sealing key was replaced. */
export async function keepSecret(db: Db, webhook_id: number, secret: SealedSecret): Promise<void> {
  await requireSealingKey(db, secret);
  const { id, sealed: secret_sealed } = secret;
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

export function placeOfWebhookSecret(id: string): Place {
  return { table: 'webhook_secrets', row: id, column: 'secret_sealed' };
}
