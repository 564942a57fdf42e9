export { confirmEmailChange } from './confirm-change.ts';
export { requestEmailChange, resendEmailChange, withdrawEmailChange } from './request-change.ts';
export { revertEmailChange } from './revert-change.ts';
export { requestOwnVerification, useVerification } from './verify.ts';
