import { createContent } from './create.ts';
import { deleteContent } from './delete.ts';
import { findContent, sizeOfContent } from './find.ts';
import { cleanIndex } from './index-words.postgres.ts';
import { firstQueued, indexQueuedContent, queueEnds } from './index-words.ts';
import { listContent } from './list.ts';
import { exportContent, removeAuthor } from './personal-data.ts';
import { sumStored } from './stored.ts';
import { updateContent } from './update.ts';

export const contentOperations = [
  cleanIndex,
  createContent,
  deleteContent,
  exportContent,
  findContent,
  firstQueued,
  indexQueuedContent,
  listContent,
  queueEnds,
  removeAuthor,
  sizeOfContent,
  sumStored,
  updateContent,
] as const;
