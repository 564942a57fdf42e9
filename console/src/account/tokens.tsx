import { useSignal } from '@preact/signals';
import { Act } from '../parts/act.tsx';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Once } from '../parts/once.tsx';
import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { ask, read } from '../shell/ask.ts';
import { text } from '../text/text.ts';
import { AccountPage } from './page.tsx';

const SCOPES = ['read', 'write'] as const;

/** Tokens for programs that act for the account. */
export default function Tokens() {
  const { data, failure, isLoading, again } = useLoad('tokens', (signal) =>
    read('listPersonalTokens', { query: { per_page: 100 }, signal }),
  );
  const made = useSignal<string | undefined>(undefined);
  return (
    <AccountPage title="account.tokens">
      <p class="muted">{text('tokens.what')}</p>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data && data.items.length === 0 && <p class="empty">{text('tokens.none')}</p>}
      <ul class="rows">
        {data?.items.map(({ id, name, scope, expires_at, last_used_at }) => (
          <li key={id}>
            <div>
              <strong>{name}</strong> <span class="badge">{text(`tokens.${scope}`)}</span>
              <p class="muted">
                {text('tokens.ends')} <Time at={expires_at} />
                {last_used_at !== undefined && (
                  <>
                    {' · '}
                    {text('used')} <Time at={last_used_at} />
                  </>
                )}
              </p>
            </div>
            <Act
              label={text('tokens.revoke')}
              about={name}
              question={text('tokens.revoke.ask', { name })}
              what={<p>{text('tokens.revoke.what')}</p>}
              isDanger
              onAct={async () => {
                const result = await ask('revokePersonalToken', { path: { id } });
                if (result.ok) again();
                return result.ok ? undefined : result;
              }}
            />
          </li>
        ))}
      </ul>
      {made.value !== undefined && <Once label={text('tokens.once')} value={made.value} />}
      <Section title={text('tokens.new')}>
        <Form
          isEmptied
          action={text('tokens.make')}
          onSubmit={async ({ name = '', scope, days }) => {
            const body = {
              name,
              scope: scope === 'write' ? ('write' as const) : ('read' as const),
              expires_in_days: Number(days),
            };
            const result = await ask('createPersonalToken', { body });
            if (!result.ok) return result;
            made.value = result.data.token;
            again();
            return undefined;
          }}
        >
          <Field label={text('tokens.name')} name="name" hint={text('tokens.name.hint')} maxLength={50} />
          <label class="field">
            <span>{text('tokens.scope')}</span>
            <select name="scope">
              {SCOPES.map((scope) => (
                <option key={scope} value={scope}>
                  {text(`tokens.${scope}.what`)}
                </option>
              ))}
            </select>
          </label>
          <Field label={text('tokens.days')} name="days" type="number" value="90" min={1} max={365} />
        </Form>
      </Section>
    </AccountPage>
  );
}
