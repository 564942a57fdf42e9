import { authSettings } from './shell.ts';

/** What a deletion is here: for good at once where the service keeps no trash. */
export const deletionOf = () => (authSettings()?.trash_days === 0 ? 'purge' : 'trash');
