export { exportDevices, removeCounts } from './personal-data.ts';
export { countMistake } from './wrong-passwords.ts';
