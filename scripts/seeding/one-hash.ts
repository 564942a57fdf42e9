import { HashingPool } from '../../src/passwords/hashing/pool.ts';

/** Hashes the first password only: all example people have the same one, and a hash takes most of a registration. */
export class OneHash extends HashingPool {
  #made: Promise<string> | undefined;

  override hash(password: string): Promise<string> {
    this.#made ??= super.hash(password);
    return this.#made;
  }
}
