import { useSignal } from '@preact/signals';
import type { AdminUser } from '@stoa/client';
import { Act } from '../parts/act.tsx';
import { Notice } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { ask } from '../shell/ask.ts';
import { goFromHere } from '../shell/router.ts';
import { account } from '../shell/session.ts';
import { text } from '../text/text.ts';
import { ROLES } from './query.ts';

interface Props {
  readonly person: AdminUser;
  readonly onChanged: () => void;
}

/** What an admin may do to an account. What ends the own session or the own rights is at the own account. */
export function Actions({ person, onChanged }: Props) {
  const said = useSignal<string | undefined>(undefined);
  const content = useSignal<'keep' | 'delete'>('keep');
  const { id, username: name, role, state } = person;
  if (account()?.id === id)
    return (
      <Notice>
        {text('actions.own')} <a href="account">{text('account')}</a>
      </Notice>
    );

  const change = async (body: Parameters<typeof changeUser>[1], done: string) => {
    said.value = undefined;
    const result = await changeUser(id, body);
    if (!result.ok) return result;
    said.value = done;
    onChanged();
    return undefined;
  };
  const isDisabled = state === 'disabled';
  return (
    <Section title={text('actions')}>
      {said.value !== undefined && <Notice kind="good">{said.value}</Notice>}
      <div class="actions">
        {ROLES.filter((each) => each !== role).map((each) => (
          <Act
            key={each}
            label={text(`actions.role.${each}`)}
            question={text('actions.role.ask', { name, role: text(`role.${each}`) })}
            what={<p>{text(`role.${each}.what`)}</p>}
            onAct={() =>
              change({ role: each }, text('actions.role.done', { name, role: text(`role.${each}`) }))
            }
          />
        ))}
        <Act
          label={text('actions.end')}
          question={text('actions.end.ask', { name })}
          what={<p>{text('actions.end.what')}</p>}
          onAct={async () => {
            const result = await ask('endUserSessions', { path: { id } });
            if (!result.ok) return result;
            said.value = text('actions.end.done', { name });
            onChanged();
            return undefined;
          }}
        />
        {person.second_factor && (
          <Act
            label={text('actions.factors')}
            question={text('actions.factors.ask', { name })}
            what={<p>{text('actions.factors.what')}</p>}
            isDanger
            onAct={async () => {
              const result = await ask('resetUserFactors', { path: { id } });
              if (!result.ok) return result;
              said.value = text('actions.factors.done', { name });
              onChanged();
              return undefined;
            }}
          />
        )}
        {isDisabled ? (
          <Act
            label={text('actions.enable')}
            onAct={() => change({ disabled: false }, text('actions.enable.done', { name }))}
          />
        ) : (
          <Act
            label={text('actions.disable')}
            question={text('actions.disable.ask', { name })}
            what={<p>{text('actions.disable.what')}</p>}
            isDanger
            onAct={() => change({ disabled: true }, text('actions.disable.done', { name }))}
          />
        )}
        <Act
          label={text('actions.remove')}
          question={text('actions.remove.ask', { name })}
          what={
            <>
              <p>{text('actions.remove.what')}</p>
              <label class="field">
                <span>{text('close.content')}</span>
                <select
                  value={content.value}
                  onChange={({ currentTarget }) => {
                    content.value = currentTarget.value === 'delete' ? 'delete' : 'keep';
                  }}
                >
                  <option value="keep">{text('close.content.keep')}</option>
                  <option value="delete">{text('close.content.delete')}</option>
                </select>
              </label>
            </>
          }
          isDanger
          onAct={async () => {
            const leave = goFromHere();
            const result = await ask('removeUser', { path: { id }, query: { content: content.value } });
            if (!result.ok) return result;
            leave('/people');
            return undefined;
          }}
        />
      </div>
    </Section>
  );
}

function changeUser(id: number, body: { role?: 'member' | 'editor' | 'admin'; disabled?: boolean }) {
  return ask('updateUser', { path: { id }, body });
}
