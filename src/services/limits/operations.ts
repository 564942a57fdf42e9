export { exportDevices } from './personal-data.ts';
export { countMistake } from './wrong-passwords.ts';
