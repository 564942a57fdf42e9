import { rmSync } from 'node:fs';
import type { Config } from '../config.ts';
import { barrierOf } from '../doctor/files.ts';
import { narrow } from '../store/private-files.ts';
import { leftBackups, leftCopy, privateBackups, privateData } from './installed.ts';
import type { Say } from './repair-notes.ts';

/** Closes the files of the data to other users, and removes what killed backups left. */
export function repairFiles(config: Config, say: Say): void {
  const trying = (work: () => void) => {
    try {
      work();
    } catch (error) {
      say('refused', barrierOf(error));
    }
  };
  // Each place by itself: one that may not be read hides nothing of the others.
  for (const places of [privateData, privateBackups])
    trying(() => {
      for (const { path, setting } of places(config))
        trying(() => narrow(path, setting, (says) => say('done', `${says}.`)));
    });
  for (const left of [leftCopy, leftBackups])
    trying(() => {
      for (const path of left(config))
        trying(() => {
          rmSync(path, { recursive: true, force: true });
          say('done', `${path} is removed.`);
        });
    });
}
