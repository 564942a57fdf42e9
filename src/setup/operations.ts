export { keepSetupLink } from './link.ts';
export { hasSetupLink, makeFirstAdmin } from './set-up.ts';
