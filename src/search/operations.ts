export { forgetChanges, indexProgress, indexQueuedContent, isIndexUntidy, tidyIndex } from './index-words.ts';
