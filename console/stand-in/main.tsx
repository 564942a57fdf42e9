import { useSignal } from '@preact/signals';
import { type ComponentType, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { contentViews } from '../src/content/views.ts';
import { path } from './shell.ts';

type View = ComponentType<{ readonly params: Readonly<Record<string, string>> }>;

/** The view of an address. Those with fixed names are first. */
function viewOf(address: string) {
  for (const { path, load } of contentViews) {
    const pattern = new RegExp(`^${path.replace(':id', '(?<id>[^/]+)')}/?$`);
    const { groups } = pattern.exec(address) ?? {};
    if (pattern.test(address)) return { path, load, params: { ...groups } };
  }
  return undefined;
}

function Page() {
  const found = viewOf(path());
  const shown = useSignal<{ readonly path: string; readonly View: View } | undefined>(undefined);
  useEffect(() => {
    void found?.load().then((module) => {
      shown.value = { path: found.path, View: module.default };
    });
  }, [found?.path]);
  const { value } = shown;
  return found && value?.path === found.path ? <value.View params={found.params} /> : null;
}

const place = document.querySelector('main');
if (place) render(<Page />, place);
