import { cpus, totalmem } from 'node:os';
import type { Line } from '../row.ts';
import { markdownTable } from './table.ts';

/** The table of one kind of database. */
export interface Section {
  readonly target: string;
  readonly lines: readonly Line[];
  readonly rounds: number;
  readonly seconds: number;
  readonly notes: readonly string[];
}

interface Run {
  readonly command: string;
  readonly minutes: number;
  readonly notes: readonly string[];
  readonly sections: readonly Section[];
}

/** docs/benchmarks.md, written by the run that measured it. */
export function document({ command, minutes, notes, sections }: Run): string {
  const [cpu] = cpus();
  const machine = `${cpus().length} x ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  return `# Benchmarks

Written by \`${command}\` on ${new Date().toISOString().slice(0, 10)}; do not edit.

- machine: ${machine}, ${process.platform} ${process.arch}
- Node.js ${process.versions.node}, ${minutes.toFixed(0)} minutes in all
${list(notes)}
${sections.map(sectionText).join('\n')}
![Latency and cost](benchmarks.svg)

## How to read it

**Bare** is a server with nothing of ours but the contract: the same Fastify with its own defaults on the
same Node.js, the same route schemas for validation and serialisation, and one constant answer with the
same body and the same headers as the service gives. It has no storage and checks no token. It shows what
HTTP and JSON cost by themselves; a ratio of 0.50 means that the service answers half as many requests as
a server that does nothing.

The service is the process that \`npm start\` starts, with the settings that it is shipped with. It, the
bare server and the load generator are processes of their own on one machine. Service and bare are
measured alternately, several rounds each, and a ratio is the median of the rounds' ratios: machines are
shared and noisy, and what disturbs a round disturbs both. Absolute figures say more about the machine.

The load generator is our own (\`bench/load\`): keep-alive HTTP/1.1, one request under way on each
connection, 64 connections unless stated. Known generators need a whole core to load bare Fastify, and so
would measure themselves on a machine with two.

Accounts and items are made up, and the same in every run: names, addresses and words with the usual few
common ones and many rare ones.

## Run it

\`\`\`
npm run bench                          # all rows; the first run builds its data for a minute or two
npm run bench -- content-read login    # some rows; with --sqlite or --postgres on one of them
npm run bench -- steady-writes --long  # an hour of writes, where it is ten minutes otherwise
npm run bench -- --quick               # does everything run? The figures mean nothing
npm run bench -- refresh --profile     # CPU profiles of the service in bench/.data/profiles
\`\`\`
`;
}

function sectionText({ target, lines, rounds, seconds, notes }: Section): string {
  const promised = lines.filter(({ verdict }) => verdict !== 'no promise');
  const held = promised.filter(({ verdict }) => verdict === 'pass').length;
  return `## On ${target}

${held} of ${promised.length} promises held; ${rounds} rounds of ${seconds} s for each side.

${list(notes)}
${markdownTable(lines)}
`;
}

function list(notes: readonly string[]): string {
  return notes.map((note) => `- ${note}\n`).join('');
}
