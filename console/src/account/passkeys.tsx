import { Act } from '../parts/act.tsx';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { ask, read } from '../shell/ask.ts';
import { readAccount } from '../shell/session.ts';
import { hasPasskeys, makePasskey } from '../sign-in/passkey.ts';
import { text } from '../text/text.ts';

interface Props {
  /** After a passkey was added or removed. */
  readonly onChange: () => void;
}

/** Passkeys: what signs in without a password. */
export function Passkeys({ onChange }: Props) {
  const { data, failure, isLoading, again } = useLoad('passkeys', (signal) =>
    read('listPasskeys', { query: { per_page: 100 }, signal }),
  );
  const changed = () => {
    again();
    onChange();
    void readAccount();
  };
  const add = async ({ name = '' }: Readonly<Record<string, string>>) => {
    const options = await ask('beginPasskeyRegistration');
    if (!options.ok) return options;
    const made = await makePasskey(options.data);
    if ('ok' in made) return made;
    const result = await ask('addPasskey', { body: { name, response: made } });
    // Without an answer it may be there.
    if (result.ok || result.status === 0) changed();
    if (!result.ok) return result;
    return undefined;
  };
  return (
    <Section title={text('passkeys')} what={text('passkeys.what')}>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      <ul class="rows">
        {data?.items.map(({ id, name, created_at, last_used_at }) => (
          <li key={id}>
            <div>
              <strong>{name}</strong>
              <p class="muted">
                {text('made')} <Time at={created_at} />
                {last_used_at !== undefined && (
                  <>
                    {' · '}
                    {text('used')} <Time at={last_used_at} />
                  </>
                )}
              </p>
            </div>
            <Act
              label={text('remove')}
              about={name}
              question={text('passkeys.remove.ask', { name })}
              isDanger
              onAct={async () => {
                const result = await ask('removePasskey', { path: { id } });
                if (result.ok) changed();
                return result.ok ? undefined : result;
              }}
            />
          </li>
        ))}
      </ul>
      {hasPasskeys() ? (
        <Form isEmptied action={text('passkeys.add')} onSubmit={add}>
          <Field label={text('passkeys.name')} name="name" value={text('passkeys.name.first')} />
        </Form>
      ) : (
        <p class="muted">{text('passkeys.none')}</p>
      )}
    </Section>
  );
}
