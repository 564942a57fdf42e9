import type { account } from './account.en.ts';
import type { bulk } from './bulk.en.ts';
import { content } from './content.en.ts';
import type { door } from './door.en.ts';
import { errors } from './errors.en.ts';
import type { events } from './events.en.ts';
import type { labels } from './labels.en.ts';
import type { past } from './past.en.ts';
import type { people } from './people.en.ts';
import type { requests } from './requests.en.ts';
import { shell } from './shell.en.ts';
import { signIn } from './sign-in.en.ts';
import type { system } from './system.en.ts';
import type { trail } from './trail.en.ts';
import type { webhooks } from './webhooks.en.ts';

const messages = {
  ...shell,
  ...errors,
  ...signIn,
  ...content,
};
/** The texts of all views, and those that only some views load (`more.ts`). */
export type Messages = typeof messages &
  typeof account &
  typeof bulk &
  typeof door &
  typeof events &
  typeof labels &
  typeof past &
  typeof people &
  typeof requests &
  typeof system &
  typeof trail &
  typeof webhooks;
export default messages;
