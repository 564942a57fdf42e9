import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
// Loaded before the first file, so that it makes no difference which file needs them first.
import './minutes.ts';
import { dropDatabases } from './postgres.ts';
import { cheapHashing } from './service.ts';

/** How long something that a test has closed may take to be gone. */
const PATIENCE_MS = Number(process.env.STOA_TEST_PATIENCE ?? 30_000) / 4;

/** What all files of a process see, by name. A mock in the prototype of a class is undone by `mock.reset`. */
const SHARED = { globalThis, process, Date, Math, JSON, performance, console };
/** A library of the browser wraps these when it is loaded, and they do the same. */
const WRAPPED = ['process.chdir', 'process.cwd'];
const EVENTS = ['uncaughtException', 'unhandledRejection', 'beforeExit', 'warning', 'worker'];

// Whatever imports `node:process` opens these three, as a library of traces does, and nothing closes them.
assert.ok([process.stdin, process.stdout, process.stderr].every(({ destroyed }) => !destroyed));
// The thread that all services of a process share is there from the beginning.
await cheapHashing.hash('password');
let [valuesBefore, handlesBefore] = [values(), handles()];

/** Between two test files of one process: takes back what the first may leave, and fails for anything else it left. */
export async function endOfFile(): Promise<void> {
  mock.reset();
  await dropDatabases();
  for (const end = Date.now() + PATIENCE_MS; leftOpen().length > 0 && Date.now() < end; ) await pause(20);
  const left = [...leftOpen(), ...altered()];
  [valuesBefore, handlesBefore] = [values(), handles()];
  assert.deepEqual(left, [], 'The file leaves this behind for the files after it, and must take it back.');
}

function altered(): string[] {
  const now = values();
  // A library may add a global when it is loaded.
  const added = [...now.keys()].filter((name) => !name.startsWith('globalThis.'));
  const names = new Set([...valuesBefore.keys(), ...added]).difference(new Set(WRAPPED));
  return [...names].filter((name) => valuesBefore.get(name) !== now.get(name));
}

/** What may not change, by name. Node.js makes some globals when they are first read: those are left out. */
function values(): Map<string, unknown> {
  const found = new Map<string, unknown>([['process.cwd()', process.cwd()]]);
  for (const [name, value] of Object.entries(process.env)) found.set(`process.env.${name}`, value);
  for (const event of EVENTS) found.set(`listeners of ${event}`, process.listenerCount(event));
  for (const [owner, object] of Object.entries(SHARED))
    for (const [name, value] of functionsOf(object)) found.set(`${owner}.${name}`, value);
  return found;
}

/** Those of its class too: a mock that was undone leaves one of them on the object itself. */
function functionsOf(object: object): [string, unknown][] {
  const all = {
    ...Object.getOwnPropertyDescriptors(Object.getPrototypeOf(object)),
    ...Object.getOwnPropertyDescriptors(object),
  };
  return Object.entries(all).flatMap(([name, { value }]) =>
    typeof value === 'function' ? [[name, value]] : [],
  );
}

function leftOpen(): string[] {
  const before = new Map(handlesBefore);
  return [...handles()].flatMap(([type, count]) =>
    count > (before.get(type) ?? 0) ? [`${type}, ${count - (before.get(type) ?? 0)} of them`] : [],
  );
}

/** How many of each type keep the process alive. */
function handles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
