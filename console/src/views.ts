import type { ComponentType } from 'preact';
import { accountViews } from './account/views.ts';
import { contentViews } from './content/views.ts';
import { peopleViews } from './people/views.ts';
import { signInViews } from './sign-in/views.ts';
import { systemViews } from './system/views.ts';
import type { TextKey } from './text/text.ts';
import { trailViews } from './trail/views.ts';
import { webhookViews } from './webhooks/views.ts';
import { welcomeViews } from './welcome/views.ts';

export type Params = Readonly<Record<string, string>>;
export type ViewComponent = ComponentType<{ readonly params: Params }>;

export interface View {
  /** `:id` stands for one part of the path. */
  readonly path: string;
  readonly title: TextKey;
  /** Who may see it; `nobody` for views of those who are not signed in. */
  readonly needs: 'nobody' | 'member' | 'admin';
  readonly load: () => Promise<{ readonly default: ViewComponent }>;
}

/** All views. The first whose path fits is shown. */
const VIEWS: readonly View[] = [
  ...signInViews,
  ...contentViews,
  ...peopleViews,
  ...systemViews,
  ...webhookViews,
  ...trailViews,
  ...accountViews,
  ...welcomeViews,
];

/** Where the console opens. */
const HOME = '/content';

export function viewAt(path: string): { readonly view: View; readonly params: Params } | undefined {
  for (const view of VIEWS) {
    const params = paramsOf(view.path, path === '/' ? HOME : path);
    if (params) return { view, params };
  }
  return undefined;
}

function paramsOf(pattern: string, path: string): Params | undefined {
  const [names, parts] = [pattern.split('/'), path.split('/')];
  if (names.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? '';
    if (name.startsWith(':')) params[name.slice(1)] = decoded(part);
    else if (name !== part) return undefined;
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
