import { createContent } from './create.ts';
import { deleteContent } from './delete.ts';
import { findContent } from './find.ts';
import { firstQueued, indexQueuedContent, lastQueued } from './index-words.ts';
import { listContent } from './list.ts';
import { exportContent, removeAuthor } from './personal-data.ts';
import { updateContent } from './update.ts';

export const contentOperations = [
  createContent,
  deleteContent,
  exportContent,
  findContent,
  firstQueued,
  indexQueuedContent,
  lastQueued,
  listContent,
  removeAuthor,
  updateContent,
] as const;
