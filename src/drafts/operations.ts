export { discardDraft } from './discard.ts';
export { findDraft, findDraftState, sizeOfDraft, sizeOfDraftText } from './find.ts';
export { exportDrafts, removeSaver } from './personal-data.ts';
export { publishDraft } from './publish.ts';
export { findDue, publishDue } from './publish-due.ts';
export { saveDraft } from './save.ts';
