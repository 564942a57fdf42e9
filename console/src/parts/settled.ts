import { useLayoutEffect } from 'preact/hooks';

/** A look at what is being loaded, in milliseconds. */
const LOOK_MS = 20;
/** People who wait longer have begun to read, and to scroll. */
const LONGEST_MS = 5_000;

/** How many parts of the page are being loaded. */
let loading = 0;

/** Counts a part of the page while it is being loaded. */
export function useSettling(isLoading: boolean): void {
  // Other effects begin only after the part was seen.
  useLayoutEffect(() => {
    if (!isLoading) return undefined;
    loading++;
    return () => {
      loading--;
    };
  }, [isLoading]);
}

/** Resolves once all that the page shows is there, or has failed, or was left. */
export async function untilSettled(left: AbortSignal): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  do await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  while (loading > 0 && !left.aborted && performance.now() < end);
}
