import type { Role } from '../domain/account.ts';
import type { FeedChange } from '../services/changes/read.ts';
import { type Reader, toldTo, type UsersList } from './audience.ts';
import { frameOf } from './frames.ts';

/** Changes that follow one another, as each listener is told of them. Those who see the same share the same bytes. */
export class Batch {
  readonly #changes: readonly FeedChange[];
  readonly #usersList: UsersList;
  readonly #owners: ReadonlySet<number>;
  readonly #byRole = new Map<Role, Uint8Array>();

  constructor(changes: readonly FeedChange[], usersList: UsersList) {
    this.#changes = changes;
    this.#usersList = usersList;
    this.#owners = new Set(changes.map(({ owner_id }) => owner_id));
  }

  /** Of no length where there is nothing to tell. */
  bytesFor({ userId, role }: Reader): Uint8Array {
    if (this.#owners.has(userId)) return this.#render({ userId, role });
    const known = this.#byRole.get(role) ?? this.#render({ userId: 0, role });
    this.#byRole.set(role, known);
    return known;
  }

  #render(reader: Reader): Uint8Array {
    const frames = this.#changes.map((change) => {
      const told = toldTo(reader, change, this.#usersList);
      return told === 'not at all' ? '' : frameOf(change, told === 'in full');
    });
    return Buffer.from(frames.join(''));
  }
}
