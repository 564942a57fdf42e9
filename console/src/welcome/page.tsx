import { hasSamples } from '../content/has-samples.ts';
import { makeSamples } from '../content/samples.ts';
import { Act } from '../parts/act.tsx';
import { Section } from '../parts/section.tsx';
import { go } from '../shell/router.ts';
import { authSettings } from '../shell/session.ts';
import { hasPasskeys } from '../sign-in/passkey.ts';
import { text } from '../text/text.ts';
import { sampleItems } from './sample-items.ts';

/** After the first admin was made: what may come next. All of it can be left out. */
export default function Welcome() {
  const add = async () => {
    const failure = await makeSamples(sampleItems());
    if (!failure) go('/content');
    return failure;
  };
  return (
    <div class="page">
      <h1>{text('welcome')}</h1>
      {!hasSamples() && (
        <Section title={text('samples')} what={text('samples.what')}>
          <Act label={text('samples.add')} onAct={add} />
        </Section>
      )}
      {authSettings()?.passkeys ? (
        hasPasskeys() && (
          <Section title={text('passkeys')} what={text('passkeys.what')}>
            <a class="button" href="account/security">
              {text('passkeys.add')}
            </a>
          </Section>
        )
      ) : (
        <Section title={text('passkeys')}>
          <p class="muted">{text('welcome.no_passkeys')}</p>
        </Section>
      )}
      <p>
        <a class="button button-primary" href="content">
          {text('welcome.go_on')}
        </a>
      </p>
    </div>
  );
}
