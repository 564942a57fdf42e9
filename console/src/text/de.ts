import { content } from './content.de.ts';
import type english from './en.ts';
import { errors } from './errors.de.ts';
import { shell } from './shell.de.ts';
import { signIn } from './sign-in.de.ts';

const messages: Record<keyof typeof english, string> = {
  ...shell,
  ...errors,
  ...signIn,
  ...content,
};
export default messages;
