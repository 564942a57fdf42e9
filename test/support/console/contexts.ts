import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** A browser context, and the two pages in it that stay open from one test to the next. */
interface Lent {
  readonly context: BrowserContext;
  readonly options: BrowserContextOptions;
  /** A page of the service, which no test sees. */
  readonly door: Page;
  /** The first page of a test. */
  readonly desk: Page;
}

/** Contexts that keep more of their test than `empty` takes out of them. */
const spent = new WeakSet<BrowserContext>();
/** Pages that keep more of their test than `clear` takes out of them. */
const spentPages = new WeakSet<Page>();

/** The page, and all later ones of its context, get a clock that their test moves. */
export async function installClock(page: Page): Promise<void> {
  spent.add(page.context());
  await page.clock.install();
}

/** No other test gets this page. */
export function keepFromOthers(page: Page): void {
  spentPages.add(page);
}

/**
 * Lends contexts to one test after the other: the files of the console stay in the cache of a context, and a new context
 * loads all of them again, which costs as much as the rest of a short test. A page that loads the console again takes
 * half of what a new page takes.
 */
export function lendContexts(
  browser: () => Browser,
  address: () => string,
  watch: (of: BrowserContext) => void,
) {
  const [free, lent] = [new Map<string, Lent[]>(), new Map<Lent, string>()];
  return {
    /** One that no other page of this test has. */
    async take({ viewport, ...options }: BrowserContextOptions): Promise<Lent> {
      const kind = JSON.stringify(options);
      const taken = free.get(kind)?.pop() ?? (await begin(options));
      lent.set(taken, kind);
      // Only the first page of a test has a window of its own size, which needs no context of its own.
      if (viewport) await taken.desk.setViewportSize(viewport);
      return taken;
    },
    /** The one that has this page. */
    of(page: Page): Lent {
      const found = [...lent.keys()].find(({ context }) => context === page.context());
      if (!found) throw new Error('This page has no context of a test.');
      return found;
    },
    /** Ends the test: its contexts and their pages forget it, and all other pages close. */
    async takeBack(): Promise<void> {
      for (const [one, kind] of lent) {
        lent.delete(one);
        await closePages(one);
        if (spent.has(one.context)) await one.context.close();
        else free.set(kind, [...(free.get(kind) ?? []), await empty(one)]);
      }
    },
  };

  async function begin(options: BrowserContextOptions): Promise<Lent> {
    const context = await browser().newContext({ locale: 'en-GB', ...options });
    const door = await context.newPage();
    await door.goto(address());
    watch(context);
    return { context, options, door, desk: await newDesk(context) };
  }
}

async function newDesk(context: BrowserContext): Promise<Page> {
  const desk = await context.newPage();
  desk.on('crash', keepFromOthers);
  return desk;
}

/** A page may ask for something at any moment, and a route that is under way when its page closes would fail unheard. */
async function closePages({ context, door, desk }: Lent): Promise<void> {
  const pages = context.pages().filter((page) => page !== door);
  // A page that its test has crashed takes no more instructions.
  await Promise.allSettled(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  const others = pages.filter((page) => page !== desk || spentPages.has(page));
  await Promise.all(others.map((page) => page.close()));
}

/** Takes out of a context what tests leave in it. */
async function empty({ context, options, door, desk }: Lent): Promise<Lent> {
  await context.setOffline(false);
  await context.clearPermissions();
  if (!desk.isClosed()) await clear(desk, options);
  await context.clearCookies();
  await door.evaluate(() => localStorage.clear());
  return { context, options, door, desk: desk.isClosed() ? await newDesk(context) : desk };
}

const EVENTS = [
  'console',
  'dialog',
  'download',
  'pageerror',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
];

/** Takes out of a page what tests leave in it: it is a new one then, for its next test and for the console. */
async function clear(page: Page, options: BrowserContextOptions): Promise<void> {
  for (const event of EVENTS) await page.removeAllListeners(event);
  // A text that is not saved does not keep the page: without a listener, each question is answered with Yes.
  await page.goto('about:blank');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Page.resetNavigationHistory');
  await devtools.detach();
  const { colorScheme = 'light', forcedColors = 'none', reducedMotion = 'no-preference' } = options;
  await page.emulateMedia({ colorScheme, forcedColors, reducedMotion });
  await page.setViewportSize({ width: 1280, height: 720 });
}
