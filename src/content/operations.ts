import { createContent } from './create.ts';
import { deleteContent } from './delete.ts';
import { findContent, sizeOfContent } from './find.ts';
import { forgetChanges, indexProgress, indexQueuedContent, tidyIndex } from './index-words.ts';
import { listContent, readListed } from './list.ts';
import { exportContent, removeAuthor } from './personal-data.ts';
import { sumStored } from './stored.ts';
import { updateContent } from './update.ts';

export const contentOperations = [
  createContent,
  deleteContent,
  exportContent,
  findContent,
  forgetChanges,
  indexProgress,
  indexQueuedContent,
  listContent,
  readListed,
  removeAuthor,
  sizeOfContent,
  sumStored,
  tidyIndex,
  updateContent,
] as const;
