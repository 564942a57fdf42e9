export {
  forgetChanges,
  indexProgress,
  indexQueuedContent,
  isIndexUntidy,
  nextTurns,
  tidyIndex,
} from './index-words.ts';
