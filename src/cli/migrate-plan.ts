import type { Config } from '../config.ts';
import { typed } from '../domain/installation.ts';
import { listed } from '../domain/listed.ts';
import { planMigration } from '../migrate-store.ts';
import { nameOf } from '../open-database.ts';
import { NOTHING_WAITS, type PlannedStep } from '../store/migration-plan.ts';

const MEANWHILE = {
  sqlite:
    'First the database is copied into a file beside it. All steps are one transaction. Writes wait until the last step is done, and fail after five seconds; reads go on.',
  postgres:
    'What a step lets wait, waits until its transaction is done; requests get 503 after two seconds of it. What a killed start had committed stays, and the next start continues from there.',
};

/** Prints the steps that a start of this version would apply, and what each blocks. Changes nothing. */
export async function printPlan({ database }: Config, asJson: boolean): Promise<void> {
  const plan = await planMigration(database);
  const lines = asJson
    ? plan.map((each) => JSON.stringify(each))
    : textOf(nameOf(database), database.kind, plan);
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

function textOf(name: string, kind: keyof typeof MEANWHILE, plan: readonly PlannedStep[]): string[] {
  const head = `Database: ${name}`;
  if (plan.length === 0) return [head, 'The schema is up to date.'];
  const steps = plan.flatMap(({ step, does, blocks, transaction, rows, later }, index) => {
    const isFirst = index === 0 || transaction !== plan[index - 1]?.transaction;
    const title = transaction === undefined ? 'without a transaction:' : 'in one transaction:';
    const read = Object.entries(rows).map(
      ([table, count]) => `${count.toLocaleString('en')} rows of ${table}`,
    );
    const reads = read.length === 0 ? [] : `It reads about ${listed(read)}.`;
    const line = `would apply ${step}: ${[does, blocks, reads, later ?? []].flat().join(' ')}`;
    return kind === 'postgres' && isFirst ? [title, line] : [line];
  });
  if (plan.every(({ blocks }) => blocks === NOTHING_WAITS)) return [head, ...steps];
  return [head, ...steps, MEANWHILE[kind], ...(kind === 'sqlite' ? [] : [withoutCopy()])];
}

function withoutCopy(): string {
  return `No copy is made before, and there is no way back without one: run "${typed('backup')}" of the version that serves now.`;
}
