import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { accountFormats } from '../accounts/formats-contract.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { normaliseMembers } from '../http/nfc.ts';
import { refusalOf } from '../http/validation.ts';

/**
 * Asks at the terminal. What is typed as a secret is not shown: the terminal is silent once the question can be read.
 * Fails with OperatorError where there is no terminal.
 */
export async function ask(question: string, { isSecret = false } = {}): Promise<string> {
  if (!process.stdin.isTTY)
    throw new OperatorError('Give --username and --email where there is no terminal.');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isSecret ? silent : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  try {
    if (isSecret) process.stderr.write(question);
    const answer = await terminal.question(question);
    if (isSecret) process.stderr.write('\n');
    return answer;
  } finally {
    terminal.close();
  }
}

/**
 * Asks for a new password twice, without showing it. Where standard input is no terminal, the password is the whole
 * input without its last line break. Fails with OperatorError where the two differ.
 */
export async function askNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '');
  const password = await ask('Password: ', { isSecret: true });
  if (password === (await ask('Password again: ', { isSecret: true }))) return password;
  throw new OperatorError('The two passwords differ, so nothing was changed; run the command again.');
}

/**
 * Normalises names and addresses, and checks what was typed by the rules of its member (`username`, `email`,
 * `password`). Fails with an OperatorError that names the member.
 */
export function requireRules(typed: Record<string, string>): void {
  normaliseMembers(typed, ['username', 'email']);
  for (const [field, value] of Object.entries(typed)) {
    const format = accountFormats[field];
    if (format && !format.validate(value)) throw new OperatorError(`${field} ${refusalOf(format, value)}`);
  }
}
