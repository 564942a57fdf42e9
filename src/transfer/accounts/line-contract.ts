import { Type } from 'typebox';
import { IMPORTED_FIELDS, type ImportedColumns } from '../../accounts/fields.ts';
import { accountFormats } from '../../accounts/formats-contract.ts';
import { ROLES } from '../../domain/account.ts';
import { Failure } from '../../domain/failure.ts';
import { isoTime } from '../../domain/time.ts';
import { parseJson } from '../../http/json.ts';
import { normaliseMembers } from '../../http/nfc.ts';
import { refusalOf } from '../../http/validation.ts';
import { checkerOf } from '../../http/validators.ts';
import { refusalOfHash } from '../../passwords/hashing/formats/formats.ts';
import { bodyOf, columnsGiven, rulesFor } from '../../store/fields.ts';
import type { PortableAccount } from './portable-account.ts';

/** A line of an import breaks a rule. The message is a sentence for the author of the file. */
export class BadLine extends Error {}

const others = rulesFor(IMPORTED_FIELDS, 'import', Type);
const checkOthers = checkerOf(Type.Object(others), accountFormats);
const columnsOf = columnsGiven(IMPORTED_FIELDS, 'import');
const membersOf = bodyOf(IMPORTED_FIELDS, 'import');

const OWN = ['username', 'email', 'password_hash', 'role', 'created_at', 'disabled', 'email_verified'];
const MEMBERS = [...OWN, ...Object.keys(others)];
/** A profile may have almost as many as the body of a request has at most, and the line has more members than that. */
const MOST_PARTS = 1_100;
const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Writes an account as one line: a JSON object (NDJSON). */
export function writeAccount(account: PortableAccount): string {
  const {
    username,
    email,
    passwordHash,
    role,
    createdAt,
    isDisabled,
    isEmailVerified = false,
    given = {},
  } = account;
  const line = { username, email, password_hash: passwordHash, role };
  const state = { created_at: isoTime(createdAt), disabled: isDisabled, email_verified: isEmailVerified };
  return `${JSON.stringify({ ...line, ...state, ...membersOf(given) })}\n`;
}

/** Reads such a line, with the rules of registration for names and addresses. Fails with BadLine. */
export function readAccount(line: Buffer, now: number): PortableAccount {
  const members = parse(line);
  const unknown = Object.keys(members).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined)
    throw new BadLine(`${quoted(unknown)} is not a member of an account; leave it out.`);
  normaliseMembers(members, ['username', 'email', ...Object.keys(others)]);
  return {
    username: formatted(members, 'username'),
    email: formatted(members, 'email'),
    passwordHash: passwordHash(members),
    role: role(members),
    createdAt: createdAt(members, now),
    isDisabled: yesOrNo(members, 'disabled'),
    isEmailVerified: yesOrNo(members, 'email_verified'),
    given: given(members),
  };
}

type Members = Record<string, unknown>;

function parse(line: Buffer): Members {
  try {
    const value = parseJson(line, undefined, MOST_PARTS);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.data.error === 'validation_failed') throw new BadLine(error.message);
  }
  throw new BadLine('The line must be one JSON object in UTF-8.');
}

function quoted(name: string): string {
  return JSON.stringify(name.length <= 40 ? name : `${name.slice(0, 40)}...`);
}

function text(members: Members, name: string): string {
  const value = members[name];
  if (value === undefined) throw new BadLine(`${name} is required.`);
  if (typeof value !== 'string') throw new BadLine(`${name} must be a string.`);
  return value;
}

function formatted(members: Members, name: 'username' | 'email'): string {
  const value = text(members, name);
  const format = accountFormats[name];
  if (format && !format.validate(value)) throw new BadLine(`${name} ${refusalOf(format, value)}`);
  return value;
}

function passwordHash(members: Members): string {
  const hash = text(members, 'password_hash');
  const refusal = refusalOfHash(hash);
  if (refusal !== undefined) throw new BadLine(`password_hash ${refusal}.`);
  return hash;
}

function role({ role: given = 'member' }: Members) {
  const found = ROLES.find((each) => each === given);
  if (!found) throw new BadLine(`role must be one of ${ROLES.join(', ')}.`);
  return found;
}

function given(members: Members): ImportedColumns {
  try {
    checkOthers(members);
    return columnsOf(members);
  } catch (error) {
    if (error instanceof Failure) throw new BadLine(error.message);
    throw error;
  }
}

function createdAt({ created_at: given }: Members, now: number): number {
  if (given === undefined) return now;
  const text = typeof given === 'string' ? given : '';
  const [day, time] = [TIME.exec(text)?.[1], Date.parse(text)];
  // The runtime reads the 31st of a short month as the first of the next.
  const isDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day);
  if (isDay && time >= 0 && time <= now) return time;
  throw new BadLine('created_at must be a past time from 1970 on, like 2024-05-31T08:30:00Z.');
}

function yesOrNo(members: Members, name: 'disabled' | 'email_verified'): boolean {
  const { [name]: given = false } = members;
  if (typeof given !== 'boolean') throw new BadLine(`${name} must be true or false.`);
  return given;
}
