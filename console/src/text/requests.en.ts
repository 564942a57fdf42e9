/** What copies the requests of a view. */
export const requests = {
  'requests.what':
    'What filled this page. A copy reads an access token from STOA_TOKEN: that of a sign-in, or for content also one from here:',
  'requests.copy': 'Copy as {kind}',
};
