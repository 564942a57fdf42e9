export { lookAtSystem } from './look.ts';
