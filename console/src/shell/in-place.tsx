import { useId } from 'preact/hooks';
import { useModal } from '../parts/modal.ts';
import { SignInForm } from '../sign-in/form.tsx';
import { text } from '../text/text.ts';
import { account, answerAsking, askedToSignIn, signedIn } from './session.ts';

/**
 * Signs in over the view, which stays as it is: what was typed is still there afterwards. It cannot be dismissed where the
 * session has ended.
 */
export function InPlace() {
  const why = askedToSignIn();
  return why === undefined ? null : <SignInDialog key={why} why={why} />;
}

function SignInDialog({ why }: { readonly why: 'ended' | 'recent' }) {
  const dialog = useModal();
  const name = useId();
  return (
    <dialog
      ref={dialog}
      class="dialog dialog-narrow"
      aria-labelledby={name}
      onCancel={(event) => why === 'ended' && event.preventDefault()}
      // Browsers heed only the first refusal: the next Escape closes the dialog.
      onClose={() => (why === 'ended' ? dialog.current?.showModal() : answerAsking(false))}
    >
      <h2 id={name}>{text(`again.${why}`)}</h2>
      <p>{text(`again.${why}.what`)}</p>
      <SignInForm username={account()?.username} onDone={signedIn} />
      <div class="dialog-actions">
        {why === 'recent' ? (
          <button type="button" class="button" onClick={() => answerAsking(false)}>
            {text('cancel')}
          </button>
        ) : (
          <button type="button" class="button button-quiet" onClick={() => location.reload()}>
            {text('again.leave')}
          </button>
        )}
      </div>
    </dialog>
  );
}
