import type { TestContext } from 'node:test';
import packedChromium from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

/**
 * What the package turns off for its own purposes, and browsers of people have. In a single process, contexts share their
 * cookies and their storage.
 */
const INSECURE = [
  '--single-process',
  '--no-zygote',
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
  '--disable-web-security',
];

/** A real browser with its web security on; it goes with the test. */
export async function startBrowser(t: TestContext): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: await packedChromium.executablePath(),
    args: [...packedChromium.args.filter((arg) => !INSECURE.includes(arg)), '--no-sandbox'],
  });
  t.after(() => browser.close());
  return browser;
}
