import { useSignal } from '@preact/signals';
import { Act } from '../parts/act.tsx';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Notice } from '../parts/notice.tsx';
import { Pages } from '../parts/pages.tsx';
import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { setAddress, useAddress } from '../shell/address.ts';
import { ask, read } from '../shell/ask.ts';
import { authSettings } from '../shell/session.ts';
import { text } from '../text/text.ts';
import { PER_PAGE, ROLES } from './query.ts';

/** Invitations that wait, and a form for another one. */
export default function Invitations() {
  const page = Number(useAddress().page) || 1;
  const { data, failure, isLoading, again } = useLoad(`invitations ${page}`, (signal) =>
    read('listInvitations', { query: { page, per_page: PER_PAGE }, signal }),
  );
  const sentTo = useSignal<string | undefined>(undefined);
  return (
    <div class="page page-narrow">
      <p>
        <a href="people" class="back">
          <span aria-hidden="true">←</span> {text('people')}
        </a>
      </p>
      <h1>{text('invitations')}</h1>
      {authSettings()?.mail ? (
        <Section title={text('invitations.new')} what={text('invitations.what')}>
          <Form
            isEmptied
            action={text('invitations.send')}
            onSubmit={async ({ email = '', role }) => {
              const body = { email, role: ROLES.find((each) => each === role) ?? 'member' };
              const result = await ask('createInvitation', { body });
              if (!result.ok) return result;
              sentTo.value = email;
              again();
              return undefined;
            }}
          >
            <Field label={text('email')} name="email" type="email" />
            <label class="field">
              <span>{text('role')}</span>
              <select name="role">
                {ROLES.map((role) => (
                  <option key={role} value={role}>
                    {text(`role.${role}`)}
                  </option>
                ))}
              </select>
            </label>
          </Form>
          {sentTo.value !== undefined && (
            <Notice kind="good">{text('invitations.sent', { email: sentTo.value })}</Notice>
          )}
        </Section>
      ) : (
        <Notice>{text('invitations.no_mail')}</Notice>
      )}
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data?.total === 0 && <p class="empty">{text('invitations.none')}</p>}
      <ul class="rows">
        {data?.items.map(({ id, email, role, invited_by, expires_at }) => (
          <li key={id}>
            <div>
              <strong>{email}</strong> <span class="badge">{text(`role.${role}`)}</span>
              <p class="muted">
                {text('invitations.by', { name: invited_by.username })}
                {' · '}
                {text('tokens.ends')} <Time at={expires_at} />
              </p>
            </div>
            <Act
              label={text('invitations.revoke')}
              about={email}
              question={text('invitations.revoke.ask', { email })}
              isDanger
              onAct={async () => {
                const result = await ask('revokeInvitation', { path: { id } });
                if (result.ok) again();
                return result.ok ? undefined : result;
              }}
            />
          </li>
        ))}
      </ul>
      {data && (
        <Pages
          page={page}
          shown={data.page}
          last={Math.max(1, Math.ceil(data.total / PER_PAGE))}
          onPage={(next, how) => setAddress({ page: next === 1 ? undefined : String(next) }, how)}
        />
      )}
    </div>
  );
}
