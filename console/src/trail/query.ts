import type { AuditEvent } from '@stoa/client';
import { isText } from '../text/text.ts';

export const PER_PAGE = 25;

/** The filters of the trail, as the address of the page has them. What the service would not take is left out. */
export function queryOf(address: Readonly<Record<string, string | undefined>>) {
  const page = wholeNumber(address.page);
  const [account, since, until] = [
    wholeNumber(address.account),
    timeOf(address.since),
    timeOf(address.until),
  ];
  return {
    page: page ?? 1,
    per_page: PER_PAGE,
    ...(isEvent(address.event) && { event: address.event }),
    ...(account && { account }),
    ...(since && { since }),
    ...(until && { until }),
    ...(address.address && { address: address.address.slice(0, 64) }),
  };
}

/** Every event has a text. */
function isEvent(name: string | undefined): name is AuditEvent['event'] {
  return name !== undefined && isText(`event.${name}`);
}

function wholeNumber(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function timeOf(text: string | undefined): string | undefined {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
