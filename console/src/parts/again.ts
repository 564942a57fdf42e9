import { useEffect, useRef } from 'preact/hooks';

const FIRST_MS = 500;
const LONGEST_MS = 8_000;

/** Reads `data` again while something is expected of it: soon at first, then more and more seldom. */
export function useAgain(isExpected: boolean, data: unknown, again: () => void): void {
  const wait = useRef(FIRST_MS);
  useEffect(() => {
    if (!isExpected) {
      wait.current = FIRST_MS;
      return undefined;
    }
    const timer = setTimeout(again, wait.current);
    wait.current = Math.min(LONGEST_MS, wait.current * 1.5);
    return () => clearTimeout(timer);
  }, [isExpected, data]);
}
