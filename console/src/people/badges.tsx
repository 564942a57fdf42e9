import { text } from '../text/text.ts';

interface Props {
  readonly of: {
    readonly role?: 'member' | 'editor' | 'admin' | undefined;
    readonly state?: 'active' | 'disabled' | 'closed' | undefined;
  };
}

/** The role of an account, and its state where nobody can sign in to it. */
export function Badges({ of: { role = 'member', state = 'active' } }: Props) {
  return (
    <span class="badges">
      <span class={`badge ${role === 'member' ? '' : 'badge-strong'}`}>{text(`role.${role}`)}</span>
      {state !== 'active' && <span class="badge badge-bad">{text(`state.${state}`)}</span>}
    </span>
  );
}
