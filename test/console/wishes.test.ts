// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newItem } from '../support/client.ts';
import { showView } from '../support/console/looks.ts';
import { consolePages, picture } from '../support/console/pages.ts';
import { newWithRole } from '../support/people.ts';

const pages = consolePages(async () => ({ SMTP_URL: 'log' }));

/** What the system paints in its own colours is told apart by lines: which of the elements have none? */
const WITHOUT_LINE = (selector: string) =>
  [...document.querySelectorAll<HTMLElement>(selector)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((element) => {
      const style = getComputedStyle(element);
      const hasBorder = style.borderBottomStyle !== 'none' && Number.parseFloat(style.borderBottomWidth) > 0;
      const hasOutline = style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0;
      return !hasBorder && !hasOutline;
    })
    .map((element) => element.outerHTML.slice(0, 120));

it('In forced colours each button, field and badge has a line, and so has where one is, and the focus is seen', async () => {
  const { url } = pages.service();
  const admin = await newWithRole(pages.service(), 'admin');
  const { id } = await newItem(url, admin.token, { title: 'Seen in two colours' });
  const options = { forcedColors: 'active', colorScheme: 'dark' } as const;
  const page = await pages.open(admin, '/account', options);
  await page.locator('.areas').waitFor();
  const views = [
    'content',
    `content/${id}`,
    'people',
    `people/${admin.id}`,
    'system',
    'trail',
    'account/security',
  ];
  for (const view of views) {
    await showView(page, `/${view}`);
    assert.ok(await page.evaluate(() => matchMedia('(forced-colors: active)').matches));
    await picture(page, `forced-${view.replaceAll('/', '-')}`);
    for (const what of [
      '.button',
      'input:not([type=checkbox], [type=radio])',
      'select',
      '.badge',
      '[aria-current]',
    ])
      assert.deepEqual(await page.evaluate(WITHOUT_LINE, what), [], `${what} of ${view}`);
    await page.keyboard.press('Tab');
    assert.deepEqual(await page.evaluate(WITHOUT_LINE, ':focus'), [], `The focus of ${view}`);
  }
});

/** The elements that would move or fade, and whether anything does so now. */
const MOVING = () =>
  [...document.querySelectorAll('*')]
    .flatMap((element) => ['', '::before', '::after', '::backdrop'].map((part) => ({ element, part })))
    .filter(({ element, part }) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element, part);
      return /[1-9]/.test(transitionDuration) || animationName !== 'none' || scrollBehavior === 'smooth';
    })
    .map(({ element, part }) => `${element.outerHTML.slice(0, 80)} ${part}`);

it('Nothing moves or fades for a person who asked for less motion, and something does for others', async () => {
  const admin = await newWithRole(pages.service(), 'admin');
  const { id } = await newItem(pages.service().url, admin.token);
  const page = await pages.open(admin, '/account');
  await page.locator('.areas').waitFor();
  for (const reducedMotion of ['reduce', 'no-preference'] as const) {
    await page.emulateMedia({ reducedMotion });
    const moving: string[] = [];
    for (const view of ['content', `content/${id}`, 'people', `people/${admin.id}`, 'system']) {
      await showView(page, `/${view}`);
      await page.getByRole('button', { name: /^Menu of/ }).click();
      moving.push(...(await page.evaluate(MOVING)));
      await page.keyboard.press('Escape');
    }
    if (reducedMotion === 'reduce') assert.deepEqual(moving, []);
    else assert.ok(moving.length > 0);
  }
});
