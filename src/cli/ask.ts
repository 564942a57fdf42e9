import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { accountFormats } from '../accounts/formats-contract.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { normaliseMembers } from '../http/nfc.ts';
import { refusalOf } from '../http/validation.ts';

/** Asks at the terminal. Fails with OperatorError where there is none. */
export async function ask(question: string): Promise<string> {
  return answerTo(question, process.stderr);
}

/**
 * Asks for a new password twice, without showing it. Where standard input is no terminal, the password is the whole
 * input without its last line break. Fails with OperatorError where the two differ.
 */
export async function askNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '');
  const password = await askSecret('Password: ');
  if (password === (await askSecret('Password again: '))) return password;
  throw new OperatorError('The two passwords differ, so nothing was changed; run the command again.');
}

async function askSecret(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const secret = await answerTo(question, silent);
  process.stderr.write('\n');
  return secret;
}

/** Shows on `echo` what is typed. The terminal itself shows nothing once the question can be read. */
async function answerTo(question: string, echo: NodeJS.WritableStream): Promise<string> {
  if (!process.stdin.isTTY)
    throw new OperatorError('Give --username and --email where there is no terminal.');
  const terminal = createInterface({ input: process.stdin, output: echo, terminal: true });
  try {
    if (echo !== process.stderr) process.stderr.write(question);
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

/**
 * Normalises what was typed, and checks it by the rules of its member (`username`, `email`, `password`). Fails with an
 * OperatorError that names the member.
 */
export function requireRules(typed: Record<string, string>): void {
  normaliseMembers(typed, ['username', 'email', 'password']);
  for (const [field, value] of Object.entries(typed)) {
    const format = accountFormats[field];
    if (format && !format.validate(value)) throw new OperatorError(`${field} ${refusalOf(format, value)}`);
  }
}
