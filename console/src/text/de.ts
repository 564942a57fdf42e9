import { account } from './account.de.ts';
import { content } from './content.de.ts';
import type { Messages } from './en.ts';
import { errors } from './errors.de.ts';
import { events } from './events.de.ts';
import { people } from './people.de.ts';
import { shell } from './shell.de.ts';
import { signIn } from './sign-in.de.ts';

const messages: Record<keyof Messages, string> = {
  ...shell,
  ...errors,
  ...signIn,
  ...account,
  ...people,
  ...events,
  ...content,
};
export default messages;
