import { readFileSync } from 'node:fs';

export interface Instruction {
  /** Such as "COPY". */
  readonly name: string;
  /** All after the name, on one line. */
  readonly rest: string;
}

/** The instructions of a Containerfile, without its comments. */
export function instructionsOf(file: string): Instruction[] {
  const text = readFileSync(file, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  return [...text.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, name = '', rest = '']) => ({ name, rest }));
}

/** The program and the arguments of an instruction in the form that starts no shell, such as CMD ["serve"]. */
export function programOf(instructions: readonly Instruction[], name: string): string[] {
  const { rest = '' } = instructions.find((each) => each.name === name) ?? {};
  return JSON.parse(rest.slice(rest.indexOf('[')));
}
