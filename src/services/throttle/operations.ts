import { forget } from './forget.ts';
import { countMistake } from './mistakes.ts';
import { exportDevices } from './personal-data.ts';

export const throttleOperations = [countMistake, exportDevices, forget] as const;
