export { findVersion } from './find.ts';
export { listVersions } from './list.ts';
export { nextHistoryDue, removeOldVersions } from './old-versions.ts';
export { exportVersions, removeEditor } from './personal-data.ts';
