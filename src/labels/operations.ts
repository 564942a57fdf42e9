export { countLabels, hasLabelChanges } from './count.ts';
export { listLabels } from './list.ts';
export { findRename, startRename } from './rename.ts';
export { kindsInRename, nextOfRename, renameStep } from './rename-step.ts';
