export { findVersion } from './find.ts';
export { listVersions } from './list.ts';
export { exportVersions, removeEditor } from './personal-data.ts';
