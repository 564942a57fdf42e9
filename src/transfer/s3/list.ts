import { OperatorError } from '../../domain/operator-error.ts';
import type { Bucket } from './bucket.ts';
import { askS3, type Patience } from './request.ts';

/** A page has 1,000 objects. */
const MOST_PAGES = 100;

interface List {
  readonly bucket: Bucket;
  /** Letters, digits and "/.-" only. */
  readonly prefix: string;
  readonly signal: AbortSignal;
  readonly patience?: Partial<Patience>;
}

/**
 * The names and sizes (in bytes) of all objects whose names begin so. A name with a character that XML escapes is as the
 * server wrote it. Fails with OperatorError, also where there are more than 100,000.
 */
export async function listObjects({ bucket, prefix, signal, patience }: List): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let token: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = {
      'list-type': '2',
      prefix,
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const { text } = await askS3(bucket, { method: 'GET', query }, signal, patience);
    for (const entry of entriesIn(text)) {
      const key = textIn(entry, 'Key');
      if (key?.startsWith(prefix)) found.set(key, Number(textIn(entry, 'Size')));
    }
    token = textIn(text, 'NextContinuationToken')?.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    if (textIn(text, 'IsTruncated') !== 'true' || token === undefined) return found;
  }
  throw new OperatorError(`The bucket ${bucket.name} has too many objects below ${prefix} to list them.`);
}

/** By position: an expression would look to the end of the text for each beginning without an end. */
function* entriesIn(text: string): Generator<string> {
  for (let at = 0; ; ) {
    const begin = text.indexOf('<Contents>', at);
    const end = text.indexOf('</Contents>', begin);
    if (begin === -1 || end === -1) return;
    yield text.slice(begin, end);
    at = end;
  }
}

function textIn(xml: string, element: string): string | undefined {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
}
