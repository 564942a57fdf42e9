import { OperatorError } from '../domain/operator-error.ts';
import { nameOfFittingKey } from '../services/sealing/key-name.ts';
import { CHECK, findSecret } from '../services/sealing/secrets.ts';
import { type Finding, finding } from './finding.ts';
import type { Snapshot } from './rows.ts';

interface KeyPlace {
  readonly sealingKey: Uint8Array | undefined;
  readonly sealingKeyFile: string;
}

/** Does the sealing key open the database? Reading the key file closes it to other users. */
export async function checkKey({ db, engine }: Snapshot, place: KeyPlace): Promise<Finding[]> {
  const check = await findSecret.run(db, CHECK, engine);
  if (check === null) return [finding('sealing key', 'ok', 'Nothing is sealed yet.')];
  const noticed: Finding[] = [];
  const notice = (says: string) => noticed.push(finding('sealing key', 'advice', `${says}.`));
  let key: string | null;
  try {
    key = nameOfFittingKey({ given: place.sealingKey, file: place.sealingKeyFile, notice }, check);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [...noticed, finding('sealing key', 'wrong', error.message)];
  }
  const where = place.sealingKey ? 'SEALING_KEY or SEALING_KEY_FILE' : place.sealingKeyFile;
  if (key !== null)
    return [...noticed, finding('sealing key', 'ok', `The sealing key ${key} opens the database.`)];
  const says = `The sealing key of this database is not in ${where}; put the key there (another instance or your backup of keys has it).`;
  return [...noticed, finding('sealing key', 'wrong', says)];
}
