import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** A module that a view needs only at times: undefined until it is wanted and loaded. */
export function useLater<Module>(isWanted: boolean, load: () => Promise<Module>): Module | undefined {
  const loaded = useSignal<Module | undefined>(undefined);
  useEffect(() => {
    if (!isWanted || loaded.peek()) return;
    load().then(
      (module) => {
        loaded.value = module;
      },
      // Without a network, what it would do cannot be done either.
      () => {},
    );
  }, [isWanted]);
  return loaded.value;
}
