import type { Target } from './target.ts';

/** Something that strangers or members do, on and on, against everybody else. */
export interface Attack {
  readonly title: string;
  /** No other test plays it, so that the short run does. */
  readonly isShort?: boolean;
  /** What it asks is refused or held before the store is asked, so the short run plays it on one engine. */
  readonly reachesNoRow?: boolean;
  /**
   * Answers that the attackers get at least once each, as `Person.ask` counts them. An attack that is refused for
   * another reason proves nothing. Empty where no answer is read.
   */
  readonly needs: readonly string[];
  /** What has to be there before. */
  readonly prepare?: (target: Target) => Promise<unknown>;
  /** Ends when the signal says stop. */
  readonly play: (target: Target, stop: AbortSignal) => Promise<unknown>;
}

/** Lets so many people do the same at once, each with a number, until the attack stops. */
export function crowd(
  target: Target,
  count: number,
  act: (person: ReturnType<Target['people']>[number], number: number) => Promise<void>,
): Promise<unknown> {
  return Promise.all(target.people(count).map(act));
}
