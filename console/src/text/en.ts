import { account } from './account.en.ts';
import { content } from './content.en.ts';
import { errors } from './errors.en.ts';
import { events } from './events.en.ts';
import { people } from './people.en.ts';
import { shell } from './shell.en.ts';
import { signIn } from './sign-in.en.ts';

const messages = { ...shell, ...errors, ...signIn, ...account, ...people, ...events, ...content };
export type Messages = typeof messages;
export default messages;
