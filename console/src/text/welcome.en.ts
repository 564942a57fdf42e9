/** What only the page after the setup says, and the items that it makes. */
export const welcome = {
  welcome: 'You are the admin of this service',
  'welcome.go_on': 'Go on to the content',
  'welcome.no_passkeys':
    'They sign in without a password. They belong to one address, so set PUBLIC_URL to that of this service first.',
  samples: 'Sample content',
  'samples.what': 'Three items show what Stoa does with texts. You can remove them again in one step.',
  'samples.add': 'Add sample content',
  'samples.here': 'Three sample items are here.',
  'samples.remove': 'Remove the samples',
  'samples.category': 'Guide',
  'samples.tag': 'sample',
  'samples.markdown': 'How to write',
  'samples.markdown.text': `Texts are Markdown, or whatever your app makes of them.

- **Preview** shows the Markdown as a page.
- **Versions** has every text that you saved before, and what changed.
- A link leads [elsewhere](https://commonmark.org/help).

> Ctrl-S saves. What you type is kept in this browser until then.
`,
  'samples.members': 'Only for those who are signed in',
  'samples.members.text': `This item has the visibility *members*: strangers find it neither in a list nor by its address.
`,
  'samples.draft': 'A draft',
  'samples.draft.text': `Nobody but you and those who moderate content sees a draft. Publish it when it is done, or choose a time at which it is published.
`,
};
