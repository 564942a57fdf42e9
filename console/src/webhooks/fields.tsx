import { Field } from '../parts/field.tsx';
import { text } from '../text/text.ts';
import { EventChoice } from './event-choice.tsx';

interface Props {
  readonly of?: { readonly url: string; readonly description: string; readonly events: readonly string[] };
}

/** What an admin sets of a webhook. */
export function Fields({ of }: Props) {
  return (
    <>
      <Field
        label={text('webhooks.url')}
        name="url"
        value={of?.url}
        hint={text('webhooks.url.hint')}
        maxLength={2_000}
      />
      <Field
        label={text('webhooks.description')}
        name="description"
        value={of?.description}
        hint={text('webhooks.description.hint')}
        maxLength={200}
        isOptional
      />
      <EventChoice chosen={of?.events ?? ['*']} />
    </>
  );
}
