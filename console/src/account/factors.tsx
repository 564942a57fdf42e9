import { useSignal } from '@preact/signals';
import { Act } from '../parts/act.tsx';
import { Facts } from '../parts/facts.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Notice } from '../parts/notice.tsx';
import { Once } from '../parts/once.tsx';
import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { numberText } from '../parts/times.ts';
import { ask, read } from '../shell/ask.ts';
import { readAccount } from '../shell/session.ts';
import { text } from '../text/text.ts';
import { type Secret, TotpSetup } from './totp-setup.tsx';

interface Props {
  /** Grows when a passkey was added or removed. */
  readonly passkeyChanges: number;
}

/** The authenticator app and the recovery codes. */
export function Factors({ passkeyChanges }: Props) {
  const { data, failure, isLoading, again } = useLoad(`factors ${passkeyChanges}`, (signal) =>
    read('listSecondFactors', { signal }),
  );
  const secret = useSignal<Secret | undefined>(undefined);
  const codes = useSignal<readonly string[] | undefined>(undefined);
  const changed = () => {
    again();
    void readAccount();
  };
  const newCodes = async () => {
    const result = await ask('createRecoveryCodes');
    if (!result.ok) return result;
    codes.value = result.data.recovery_codes;
    secret.value = undefined;
    changed();
    return undefined;
  };
  const isSettingUp = secret.value !== undefined && !data?.totp;
  return (
    <Section title={text('factors')} what={text('factors.what')}>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data && (
        <Facts
          of={[
            [text('factors.totp'), data.totp ? <Time at={data.totp.enabled_at} /> : text('off')],
            [text('factors.codes'), numberText(data.recovery_codes_left)],
          ]}
        />
      )}
      {secret.value && !isSettingUp && <Notice kind="good">{text('factors.totp.lost')}</Notice>}
      {secret.value && isSettingUp && (
        <TotpSetup
          secret={secret.value}
          onDone={(made) => {
            secret.value = undefined;
            codes.value = made;
            changed();
          }}
          onUnknown={changed}
          onCancel={() => {
            secret.value = undefined;
          }}
        />
      )}
      {codes.value && <Once label={text('factors.codes.once')} value={codes.value.join('\n')} />}
      {data && !isSettingUp && (
        <div class="actions">
          {data.totp ? (
            <Act
              label={text('factors.totp.remove')}
              question={text('factors.totp.remove.ask')}
              isDanger
              onAct={async () => {
                const result = await ask('removeTotp');
                changed();
                return result.ok ? undefined : result;
              }}
            />
          ) : (
            <Act
              label={text('factors.totp.add')}
              onAct={async () => {
                const result = await ask('beginTotp');
                if (!result.ok) return result;
                secret.value = result.data;
                return undefined;
              }}
            />
          )}
          {(data.totp || data.passkeys > 0) && (
            <Act
              label={text('factors.codes.new')}
              {...(data.recovery_codes_left > 0 && { question: text('factors.codes.new.ask') })}
              onAct={newCodes}
            />
          )}
        </div>
      )}
    </Section>
  );
}
