import { forget } from './forget.ts';
import { countMistake } from './mistakes.ts';

export const throttleOperations = [countMistake, forget] as const;
