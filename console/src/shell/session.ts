import { signal } from '@preact/signals';
import type { AnyFailure, AuthSettings, Me } from '@stoa/client';
import { stoa } from '../stoa.ts';
import { keepSession, mayHaveSession } from './settings.ts';

/** Who is signed in to the console, and what happens when that ends. */

export type State = 'starting' | 'signed-out' | 'signed-in';

const state = signal<State>('starting');
const me = signal<Me | undefined>(undefined);
const settings = signal<AuthSettings | undefined>(undefined);
const problem = signal<AnyFailure | undefined>(undefined);

export const sessionState = () => state.value;
/** Why it is not known who is signed in, while nobody is. */
export const startProblem = () => problem.value;
/** The account that is signed in; undefined for nobody. */
export const account = () => me.value;
/** May the account change items of this author? The service asks the same at each write. */
export const mayChange = (authorId: number) =>
  me.value !== undefined && (me.value.role !== 'member' || me.value.id === authorId);
/** What the service tells everybody of its ways to sign in; undefined until it was read. */
export const authSettings = () => settings.value;

/** Why a sign-in is asked for in place: the session ended, or began too long ago for what was asked. */
export type Asking = 'ended' | 'recent';
const asking = signal<Asking | undefined>(undefined);
export const askedToSignIn = () => asking.value;

let waiting: ((isSignedIn: boolean) => void)[] = [];
let isLeaving = false;

/** Asks for a sign-in in place, in a dialog over the view. False where there was none. */
export function signInAgain(why: Asking = 'ended'): Promise<boolean> {
  asking.value ??= why;
  return new Promise((resolve) => waiting.push(resolve));
}

/** Closes the dialog. */
export function answerAsking(isSignedIn: boolean): void {
  asking.value = undefined;
  const told = waiting;
  waiting = [];
  for (const tell of told) tell(isSignedIn);
}

/** Reads the account again, after it was changed. */
export async function readAccount(): Promise<void> {
  const read = await stoa.call('getMe');
  if (read.ok) me.value = read.data;
}

/** What the service allows, which each view relies on. Returns a failure. */
async function readSettings(): Promise<AnyFailure | undefined> {
  if (settings.peek()) return undefined;
  const ways = await stoa.call('getAuthSettings');
  if (!ways.ok) return ways;
  settings.value = ways.data;
  return undefined;
}

export async function startSession(): Promise<void> {
  state.value = 'starting';
  const [read, unknown] = await Promise.all([
    mayHaveSession() ? stoa.call('getMe') : undefined,
    readSettings(),
  ]);
  if (read?.ok && !unknown) return enter(read.data);
  const isOut = read === undefined || read.status === 401;
  if (isOut) keepSession(false);
  problem.value = read === undefined || read.ok || isOut ? unknown : read;
  state.value = 'signed-out';
  // Another tab may have signed in meanwhile.
  if (isOut && stoa.session.state === 'signed-in') await signedIn();
}

/** Goes on to the sign-in where the service refuses the session that there may be. */
export function signInInstead(): void {
  problem.value = undefined;
}

function enter(read: Me): void {
  keepSession(true);
  me.value = read;
  state.value = 'signed-in';
}

/** After a sign-in here or in another tab. What one account wrote is never shown to another one. Returns a failure. */
export async function signedIn(): Promise<AnyFailure | undefined> {
  const read = await stoa.call('getMe');
  if (!read.ok) return read;
  const unknown = await readSettings();
  if (unknown) return unknown;
  const before = me.peek();
  if (before && before.id !== read.data.id) {
    location.reload();
    return undefined;
  }
  enter(read.data);
  if (asking.peek() !== undefined) answerAsking(true);
  return undefined;
}

/** Ends the session, and begins the page again. */
export async function signOut(): Promise<void> {
  isLeaving = true;
  const ended = await stoa.signOut();
  // Where the service did not hear of it, the session is still there, and is shown again.
  if (ended.ok || ended.status === 401) keepSession(false);
  location.reload();
}

/** Follows what other tabs and the service do to the session. */
export function followSession(): void {
  stoa.session.subscribe(() => {
    // A sign-in counts even then: what is unsaved may have kept the page.
    if (isLeaving && stoa.session.state !== 'signed-in') return;
    // The start asks who it is, and would ask twice.
    if (state.peek() === 'starting') return;
    // Over, or that of another account, in whose name nothing of this page may be written.
    if (me.peek()) asking.value = 'ended';
    if (stoa.session.state === 'signed-in') void signedIn();
  });
}
