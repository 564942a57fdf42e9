export { countLabels, hasLabelChanges } from './count.ts';
export { listLabels } from './list.ts';
