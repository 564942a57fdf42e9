import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { hashSync as argon2 } from '@node-rs/argon2';
import { hashSync as bcrypt } from 'bcryptjs';
import { PASSWORD } from './client.ts';

/** How other systems write the hash of `PASSWORD`, with a salt of its own and the least cost that is usual for tests. */
const MAKE = {
  bcrypt: () => bcrypt(PASSWORD, 4),
  scrypt: () => {
    const salt = randomBytes(16);
    const digest = scryptSync(PASSWORD, salt, 32, { N: 2 ** 4, r: 8, p: 1 });
    return `$scrypt$ln=4,r=8,p=1$${unpadded(salt)}$${unpadded(digest)}`;
  },
  PBKDF2: () => {
    const salt = randomBytes(16);
    return `$pbkdf2-sha512$i=1000$${unpadded(salt)}$${unpadded(pbkdf2Sync(PASSWORD, salt, 1_000, 64, 'sha512'))}`;
  },
  Django: () => {
    const salt = randomBytes(11).toString('hex');
    return `pbkdf2_sha256$1000$${salt}$${pbkdf2Sync(PASSWORD, salt, 1_000, 32, 'sha256').toString('base64')}`;
  },
  argon2i: () => argon2(PASSWORD, { algorithm: 1, memoryCost: 64, timeCost: 1, parallelism: 1 }),
};

export type ForeignFormat = keyof typeof MAKE;
export const FOREIGN_FORMATS = Object.keys(MAKE) as ForeignFormat[];

/** A hash of `PASSWORD` as another system has it. */
export function foreignHash(format: ForeignFormat): string {
  return MAKE[format]();
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
