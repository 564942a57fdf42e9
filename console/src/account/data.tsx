import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { Act } from '../parts/act.tsx';
import { Section } from '../parts/section.tsx';
import { timeText } from '../parts/times.ts';
import { ask } from '../shell/ask.ts';
import { account, authSettings } from '../shell/session.ts';
import { text } from '../text/text.ts';
import { AccountPage } from './page.tsx';

/** Taking the own data along, and leaving. */
export default function Data() {
  const content = useSignal<'keep' | 'delete'>('keep');
  const isForGood = authSettings()?.deletion_days === 0;
  const close = async (): Promise<AnyFailure | undefined> => {
    const result = await ask('closeAccount', { query: { content: content.value } });
    if (!result.ok) return result;
    alert(text(isForGood ? 'close.done.now' : 'close.done', { at: timeText(result.data.removed_at) }));
    location.reload();
    return undefined;
  };
  return (
    <AccountPage title="account.data">
      <Section title={text('export')} what={text('export.what')}>
        <div class="actions">
          <Act label={text('export.action')} onAct={download} />
        </div>
      </Section>
      <Section title={text('close')} what={text(isForGood ? 'close.what.now' : 'close.what')}>
        <div class="actions">
          <Act
            label={text('close.action')}
            question={text('close.ask')}
            isDanger
            what={
              <>
                <p>{text(isForGood ? 'close.sure.now' : 'close.sure')}</p>
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
            onAct={close}
          />
        </div>
      </Section>
    </AccountPage>
  );
}

async function download(): Promise<AnyFailure | undefined> {
  const result = await ask('exportAccount');
  if (!result.ok) return result;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify(result.data, null, 2)], { type: 'application/json' }),
  );
  link.download = `${account()?.username ?? 'account'}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
  return undefined;
}
