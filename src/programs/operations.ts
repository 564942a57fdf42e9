export { createPersonalToken } from './create.ts';
export { listPersonalTokens, listUserPersonalTokens } from './list.ts';
export { revokePersonalToken, revokeUserToken } from './revoke.ts';
export { updatePersonalToken } from './update.ts';
