import { useEffect, useRef } from 'preact/hooks';

const FIRST_MS = 500;
const LONGEST_MS = 8_000;

/**
 * Reads again while something is expected, also after a look that failed: soon at first, then more and more seldom. Each
 * look ends where it is not loading any more.
 */
export function useAgain(isExpected: boolean, isLoading: boolean, again: () => void): void {
  const wait = useRef(FIRST_MS);
  useEffect(() => {
    if (!isExpected) {
      wait.current = FIRST_MS;
      return undefined;
    }
    if (isLoading) return undefined;
    const timer = setTimeout(again, wait.current);
    wait.current = Math.min(LONGEST_MS, wait.current * 1.5);
    return () => clearTimeout(timer);
  }, [isExpected, isLoading]);
}
