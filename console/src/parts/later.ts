import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** True once a file of the console was not there any more: the service has another version now, with other files. */
export const isOutdated = signal(false);

/** Told of each module that was not loaded. Without a network, what it would do cannot be done either. */
export function missing(): void {
  if (navigator.onLine) isOutdated.value = true;
}

/** A module that a view needs only at times: undefined until it is wanted and loaded. */
export function useLater<Module>(isWanted: boolean, load: () => Promise<Module>): Module | undefined {
  const loaded = useSignal<Module | undefined>(undefined);
  useEffect(() => {
    if (!isWanted || loaded.peek()) return;
    load().then((module) => {
      loaded.value = module;
    }, missing);
  }, [isWanted]);
  return loaded.value;
}
