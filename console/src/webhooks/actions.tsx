import { useSignal } from '@preact/signals';
import type { Webhook } from '@stoa/client';
import { Act } from '../parts/act.tsx';
import { Notice } from '../parts/notice.tsx';
import { Once } from '../parts/once.tsx';
import { ask } from '../shell/ask.ts';
import { goFromHere } from '../shell/router.ts';
import { text } from '../text/text.ts';

interface Props {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}

/** What an admin may do to a webhook. */
export function Actions({ webhook: { id, paused }, onChanged }: Props) {
  const said = useSignal<string | undefined>(undefined);
  const secret = useSignal<string | undefined>(undefined);
  const done = (text?: string) => {
    said.value = text;
    onChanged();
    return undefined;
  };
  const pause = async (to: boolean) => {
    const result = await ask('updateWebhook', { path: { id }, body: { paused: to } });
    return result.ok ? done(to ? undefined : text('webhooks.resume.done')) : result;
  };
  return (
    <>
      <div class="actions">
        <Act
          label={text('webhooks.test')}
          onAct={async () => {
            const result = await ask('testWebhook', { path: { id } });
            return result.ok ? done(text('webhooks.test.done')) : result;
          }}
        />
        {paused ? (
          <Act label={text('webhooks.resume')} onAct={() => pause(false)} />
        ) : (
          <Act
            label={text('webhooks.pause')}
            question={text('webhooks.pause.ask')}
            what={<p>{text('webhooks.pause.what')}</p>}
            onAct={() => pause(true)}
          />
        )}
        <Act
          label={text('webhooks.secret')}
          question={text('webhooks.secret.ask')}
          what={<p>{text('webhooks.secret.what')}</p>}
          onAct={async () => {
            const result = await ask('replaceWebhookSecret', { path: { id } });
            if (!result.ok) return result;
            secret.value = result.data.secret;
            return done();
          }}
        />
        <Act
          label={text('webhooks.delete')}
          question={text('webhooks.delete.ask')}
          what={<p>{text('webhooks.delete.what')}</p>}
          isDanger
          onAct={async () => {
            const leave = goFromHere();
            const result = await ask('deleteWebhook', { path: { id } });
            if (!result.ok) return result;
            leave('/webhooks');
            return undefined;
          }}
        />
      </div>
      {said.value !== undefined && <Notice kind="good">{said.value}</Notice>}
      {secret.value !== undefined && <Once label={text('webhooks.once')} value={secret.value} />}
    </>
  );
}
