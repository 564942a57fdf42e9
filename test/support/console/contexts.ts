import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** A browser context, and a page of the service that stays open in it from one test to the next. */
export interface Lent {
  readonly context: BrowserContext;
  readonly door: Page;
}

/** Contexts that keep more of their test than `empty` takes out of them. */
const spent = new WeakSet<BrowserContext>();

/** The page, and all later ones of its context, get a clock that their test moves. */
export async function installClock(page: Page): Promise<void> {
  spent.add(page.context());
  await page.clock.install();
}

/**
 * Lends contexts to one test after the other: the files of the console stay in the cache of a context, and a new context
 * loads all of them again, which costs as much as the rest of a short test.
 */
export function lendContexts(
  browser: () => Browser,
  address: () => string,
  watch: (of: BrowserContext) => void,
) {
  const [free, lent] = [new Map<string, Lent[]>(), new Map<Lent, string>()];
  return {
    /** One that no other page of this test has. */
    async take(options: BrowserContextOptions): Promise<Lent> {
      const kind = JSON.stringify(options);
      const taken = free.get(kind)?.pop() ?? (await begin(options));
      lent.set(taken, kind);
      return taken;
    },
    /** The one that has this page. */
    of(page: Page): Lent {
      const found = [...lent.keys()].find(({ context }) => context === page.context());
      if (!found) throw new Error('This page has no context of a test.');
      return found;
    },
    /** Ends the test: its pages close, and its contexts forget it. */
    async takeBack(): Promise<void> {
      for (const [one, kind] of lent) {
        lent.delete(one);
        await closePages(one);
        if (spent.has(one.context)) await one.context.close();
        else {
          await empty(one);
          free.set(kind, [...(free.get(kind) ?? []), one]);
        }
      }
    },
  };

  async function begin(options: BrowserContextOptions): Promise<Lent> {
    const context = await browser().newContext({ locale: 'en-GB', ...options });
    const door = await context.newPage();
    await door.goto(address());
    watch(context);
    return { context, door };
  }
}

/** A page may ask for something at any moment, and a route that is under way when its page closes would fail unheard. */
async function closePages({ context, door }: Lent): Promise<void> {
  const pages = context.pages().filter((page) => page !== door);
  // A page that its test has crashed takes no more instructions.
  await Promise.allSettled(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await Promise.all(pages.map((page) => page.close()));
}

/** Takes out of a context what tests leave in it. */
async function empty({ context, door }: Lent): Promise<void> {
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  await door.evaluate(() => localStorage.clear());
}
