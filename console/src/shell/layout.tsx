import type { ComponentChildren } from 'preact';
import { text } from '../text/text.ts';
import { AccountMenu } from './account-menu.tsx';
import { RequestsMenu } from './requests-menu.tsx';
import { path } from './router.ts';
import { account } from './session.ts';

/** The frame around each view: a bar with the areas and the account, and the place of the view. */
export function Layout({ children }: { readonly children: ComponentChildren }) {
  const isAdmin = account()?.role === 'admin';
  return (
    <>
      <a class="skip" href="./" onClick={skip}>
        {text('skip')}
      </a>
      <header class="bar">
        <a class="brand" href="./">
          <Mark />
          Stoa
        </a>
        <nav class="areas" aria-label={text('areas')}>
          <Area to="content">{text('content.list')}</Area>
          {isAdmin && <Area to="people">{text('people')}</Area>}
          {isAdmin && <Area to="system">{text('system')}</Area>}
          {isAdmin && <Area to="webhooks">{text('webhooks')}</Area>}
          {isAdmin && <Area to="trail">{text('trail')}</Area>}
        </nav>
        <span class="bar-end" />
        <RequestsMenu />
        <AccountMenu />
      </header>
      <main tabIndex={-1}>{children}</main>
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('main')?.focus();
}

function Area({ to, children }: { readonly to: string; readonly children: ComponentChildren }) {
  const isHere =
    path.value === `/${to}` || path.value.startsWith(`/${to}/`) || (path.value === '/' && to === 'content');
  return (
    <a href={to} aria-current={isHere ? 'page' : undefined}>
      {children}
    </a>
  );
}

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M3 9h18M6 9v9m6-9v9m6-9v9M3 20h18M4 7l8-4 8 4" />
    </svg>
  );
}
