import type { Page } from 'playwright-core';
import { call } from '../client.ts';

/** The field of the text of an item. */
export const editor = (page: Page) => page.getByRole('textbox', { name: 'Text in Markdown' });

/** Returns once the console says that all is saved. */
export const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();

/** Writes at the end of the text: the last letter by a key, and all before at once, as from a clipboard. */
export async function typeAtEnd(page: Page, text: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(text.slice(0, -1));
  await page.keyboard.type(text.slice(-1));
}

/** An item as its author reads it, or a part of it, such as `/draft`. */
export async function stored(url: string, token: string, id: number, part = '') {
  const { body } = await call(url, 'GET', `/api/content/${id}${part}`, { token });
  return body.data;
}
