/** What the views in front of the door say, besides the sign-in. */
export const door = {
  'forgotten.what': 'Type the address of your account. You get a link to choose a new password.',
  'forgotten.send': 'Mail me a link',
  'forgotten.sent': 'If an account has this address, a link is on its way. It works for 30 minutes.',
  'register.waits': 'A link was mailed to {email}. Your account is there once you follow it.',
  'setup.what': 'Make the first account. It is the admin of this service, and can invite others.',
  'setup.over':
    'This link cannot be used: it is too old, or the first admin was made already. Sign in, or get a new link by “stoa admin link”.',
  'setup.action': 'Make the admin',
  'sign_in.link': 'Sign in',
};
