import { useRef } from 'preact/hooks';
import { type TextKey, text } from '../text/text.ts';
import { Preferences } from './preferences.tsx';
import { account, signOut } from './session.ts';

const LINKS: readonly (readonly [string, TextKey])[] = [
  ['account', 'account'],
  ['account/security', 'account.security'],
];

/** The menu of the account: a native popover, which Escape and a click elsewhere close. */
export function AccountMenu() {
  const menu = useRef<HTMLDivElement>(null);
  const me = account();
  const close = () => menu.current?.hidePopover();
  return (
    <div class="account-menu">
      <button type="button" class="button button-quiet" popovertarget="account-menu">
        <span class="initial" aria-hidden="true">
          {[...(me?.username ?? '')][0]?.toUpperCase()}
        </span>
        <span class="account-name">
          <span class="visually-hidden">{text('account.menu')} </span>
          {me?.username}
        </span>
      </button>
      <div ref={menu} id="account-menu" popover="auto" class="menu">
        <ul>
          {LINKS.map(([to, key]) => (
            <li key={to}>
              <a href={to} onClick={close}>
                {text(key)}
              </a>
            </li>
          ))}
        </ul>
        <Preferences />
        <button type="button" class="button" onClick={() => void signOut()}>
          {text('sign_out')}
        </button>
      </div>
    </div>
  );
}
