import { createHmac } from 'node:crypto';

const NAME_CHARACTERS = 6;

/**
 * What tells a database from every other one, and from itself before a restore: an import into another one at the same
 * address makes the same ids, versions and times of other texts. All instances of a database have the same secret, and a
 * move takes it along. A process makes its epoch once, because no database is restored or marked while a service uses it.
 */
export class Epoch {
  /** Of six characters of base64url. */
  readonly name: string;
  readonly #restoredAt: number;

  constructor(secret: Buffer, restoredAt: number) {
    const mac = createHmac('sha256', secret).update(`epoch, ${restoredAt}`).digest('base64url');
    this.name = mac.slice(0, NAME_CHARACTERS);
    this.#restoredAt = restoredAt;
  }

  /**
   * Is a row meant that was written here at that time, in milliseconds since 1970? Version 0.2.0 named no epoch: what is
   * newer than the last restore is taken. That ends with 0.4.0 (docs/compatibility.md).
   */
  isMeant(name: string | undefined, writtenAt: number): boolean {
    return name === undefined ? writtenAt >= this.#restoredAt : name === this.name;
  }
}
