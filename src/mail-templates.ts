import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reasonOf } from './domain/reason.ts';
import {
  MAILS,
  parseTemplate,
  type Template,
  type TemplateName,
  type Templates,
} from './services/mail/templates.ts';

const BUILT_IN = fileURLToPath(new URL('../mail', import.meta.url));
const NAMES = Object.keys(MAILS) as TemplateName[];

/**
 * The templates of all mails. The folder of the setting `MAIL_TEMPLATES` comes first; the repository has the rest.
 * Fails with an Error that says what the setting must be.
 */
export function readMailTemplates(folder: string): Templates {
  const own = folder === '' ? [] : filesIn(folder);
  const read = (file: string) => readFileSync(join(own.includes(file) ? folder : BUILT_IN, file), 'utf8');
  const templates = NAMES.map((name): [TemplateName, Template] => {
    const [text, html] = filesOf(name);
    try {
      return [name, parseTemplate(name, { text: read(text), html: read(html) })];
    } catch (error) {
      throw new Error(`has "${text}" and "${html}", whose template ${reasonOf(error)}`);
    }
  });
  return Object.fromEntries(templates) as Templates;
}

/** Fails on a file that is no template, because its name is probably misspelt. */
function filesIn(folder: string): string[] {
  const known = NAMES.flatMap(filesOf);
  let files: string[];
  try {
    files = readdirSync(folder).filter((file) => /\.(txt|html)$/.test(file));
  } catch {
    throw new Error(`must name a readable folder with templates of mails; "${folder}" is not.`);
  }
  const unknown = files.find((file) => !known.includes(file));
  if (unknown === undefined) return files;
  throw new Error(`has "${unknown}", which is no template; those are ${known.join(', ')}.`);
}

function filesOf(name: TemplateName): [text: string, html: string] {
  const file = name.replaceAll('_', '-');
  return [`${file}.txt`, `${file}.html`];
}
