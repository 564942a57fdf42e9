import { useComputed, useSignal } from '@preact/signals';
import type { Data } from '@stoa/client';
import { useEffect } from 'preact/hooks';
import { Field } from '../parts/field.tsx';
import { useFocusKept } from '../parts/focus.ts';
import { Form } from '../parts/form.tsx';
import { untilLoaded } from '../parts/later.ts';
import { ask } from '../shell/ask.ts';
import { text } from '../text/text.ts';

export type Secret = Data<'beginTotp'>;

interface Props {
  readonly secret: Secret;
  /** With the recovery codes, where there are new ones. */
  readonly onDone: (codes: readonly string[] | undefined) => void;
  /** No answer came, or an earlier one was lost: the app may be on. */
  readonly onUnknown: () => void;
  readonly onCancel: () => void;
}

/** Hands a secret to an authenticator app, as a picture or as text, and takes the first code of it. */
export function TotpSetup({ secret, onDone, onUnknown, onCancel }: Props) {
  const place = useFocusKept<HTMLDivElement>();
  return (
    <div ref={place} class="totp">
      <Picture of={secret.uri} />
      <div class="totp-how">
        <p>{text('factors.totp.how')}</p>
        <p>
          {text('factors.totp.or')} <code class="secret">{secret.secret}</code>
        </p>
        <Form
          action={text('factors.totp.confirm')}
          onSubmit={async ({ code = '' }) => {
            const result = await ask('confirmTotp', { body: { code: code.replaceAll(/\s/g, '') } });
            if (!result.ok) {
              if (result.status === 0 || result.status === 404) onUnknown();
              return result;
            }
            onDone(result.data.recovery_codes);
            return undefined;
          }}
          others={
            <button type="button" class="button" onClick={onCancel}>
              {text('cancel')}
            </button>
          }
        >
          <Field
            label={text('second_factor.totp')}
            name="code"
            inputMode="numeric"
            autocomplete="one-time-code"
            isFirst
          />
        </Form>
      </div>
    </div>
  );
}

const QUIET = 2;

/** A QR code as one path of squares, dark on white in every theme, as cameras want it. */
function Picture({ of }: { readonly of: string }) {
  const rows = useSignal<readonly (readonly boolean[])[]>([]);
  useEffect(() => {
    const draw = ({ encode }: typeof import('uqr')) => {
      rows.value = encode(of, { border: 0 }).data;
    };
    return untilLoaded(() => import('uqr'), draw);
  }, [of]);
  const path = useComputed(() =>
    rows.value.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join(''),
  );
  const size = rows.value.length + 2 * QUIET;
  if (rows.value.length === 0) return null;
  return (
    <svg
      class="qr"
      viewBox={`${-QUIET} ${-QUIET} ${size} ${size}`}
      role="img"
      aria-label={text('factors.totp.picture')}
    >
      <path d={path.value} shape-rendering="crispEdges" />
    </svg>
  );
}
