import type { ComponentChildren } from 'preact';
import { path } from '../shell/router.ts';
import { type TextKey, text } from '../text/text.ts';
import { accountViews } from './views.ts';

interface Props {
  readonly title: TextKey;
  readonly children: ComponentChildren;
}

/** A page of the own account, beside the list of them. */
export function AccountPage({ title, children }: Props) {
  return (
    <div class="with-side">
      <nav class="side" aria-label={text('account.pages')}>
        {accountViews.map((view) => (
          <a
            key={view.path}
            href={view.path.slice(1)}
            aria-current={view.path === path.value ? 'page' : undefined}
          >
            {text(view.path === '/account' ? 'account.profile' : view.title)}
          </a>
        ))}
      </nav>
      <div class="page">
        <h1>{text(title)}</h1>
        {children}
      </div>
    </div>
  );
}
