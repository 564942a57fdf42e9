export { changeOwnPassword, findOwnAccount } from './change.ts';
export { forgetPassword, requestPasswordReset } from './forget.ts';
export { beginOperatorReset, findForReset, setPassword } from './operator-reset.ts';
export { findAccount, refuseSignIn } from './prove.ts';
export { findPasswordReset, usePasswordReset } from './reset.ts';
