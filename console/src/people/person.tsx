import { Facts } from '../parts/facts.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Time } from '../parts/time.tsx';
import { read } from '../shell/ask.ts';
import { useSubject } from '../shell/title.ts';
import { text } from '../text/text.ts';
import { Actions } from './actions.tsx';
import { Badges } from './badges.tsx';
import { PersonEvents, PersonSessions, PersonTokens } from './person-lists.tsx';

/** One account as admins see it, with what they may do to it. */
export default function Person({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const id = Number(params.id);
  const { data, failure, isLoading, again } = useLoad(`person ${id}`, (signal) =>
    read('getUser', { path: { id }, signal }),
  );
  useSubject(data?.username);
  return (
    <div class="page">
      <p>
        <a href="people" class="back">
          <span aria-hidden="true">←</span> {text('people')}
        </a>
      </p>
      <header class="page-head">
        <h1 dir="auto">{data?.username ?? text('person')}</h1>
        {data && <Badges of={data} />}
      </header>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data && (
        <>
          <section class="card">
            <Facts
              of={[
                [text('email'), data.email],
                [text('email.state'), text(data.email_verified ? 'email.proved' : 'email.not_proved')],
                [text('factors'), text(data.second_factor ? 'on' : 'off')],
                [
                  text('people.last_sign_in'),
                  data.last_sign_in_at ? <Time at={data.last_sign_in_at} /> : text('never'),
                ],
                [text('people.since'), <Time key="since" at={data.created_at} />],
                [text('people.removed_at'), data.removed_at && <Time at={data.removed_at} />],
                [text('people.must_change'), data.must_change_password ? text('yes') : ''],
              ]}
            />
          </section>
          <Actions person={data} onChanged={again} />
          <div class="columns">
            <PersonSessions id={id} state={data.state} />
            <PersonEvents id={id} state={data.state} />
          </div>
          <PersonTokens id={id} state={data.state} />
        </>
      )}
    </div>
  );
}
