import { createContent } from './create.ts';
import { deleteContent } from './delete.ts';
import { findContent, findState, sizeOfContent } from './find.ts';
import { findVersion } from './find-version.ts';
import { forgetChanges, indexProgress, indexQueuedContent, isIndexUntidy, tidyIndex } from './index-words.ts';
import { listContent, readListed } from './list.ts';
import { listVersions } from './list-versions.ts';
import { nextHistoryDue, removeOldVersions } from './old-versions.ts';
import { readLongText } from './past.ts';
import { exportContent, removeAuthor } from './personal-data.ts';
import { sumStored } from './stored.ts';
import { updateContent } from './update.ts';
import { exportVersions, removeEditor } from './versions-personal-data.ts';

export const contentOperations = [
  createContent,
  deleteContent,
  exportContent,
  exportVersions,
  findContent,
  findState,
  findVersion,
  forgetChanges,
  indexProgress,
  indexQueuedContent,
  isIndexUntidy,
  listContent,
  listVersions,
  nextHistoryDue,
  readListed,
  readLongText,
  removeAuthor,
  removeEditor,
  removeOldVersions,
  sizeOfContent,
  sumStored,
  tidyIndex,
  updateContent,
] as const;
