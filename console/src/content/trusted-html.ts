/** The only place of the console that makes elements of HTML. The page allows the policy by this name. */
const policy = Reflect.get(globalThis, 'trustedTypes')?.createPolicy('stoa-html', {
  createHTML: (html: string) => html,
}) as { createHTML(html: string): string } | undefined;

/** What a preview shows in the place of an image from another site, which the page must not load. */
function placeOf(image: HTMLImageElement, document: Document): HTMLElement {
  const place = document.createElement('span');
  place.className = 'preview-image';
  place.textContent = image.alt || image.src;
  return place;
}

/**
 * The nodes of HTML that the service has cleaned. They are parsed in a document that runs and loads nothing. Links open
 * in a tab of their own, and the names of images stand for the images.
 */
export function nodesOf(html: string): DocumentFragment {
  const parsed = new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, 'text/html');
  for (const image of parsed.querySelectorAll('img')) image.replaceWith(placeOf(image, parsed));
  for (const link of parsed.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer nofollow ugc';
  }
  const fragment = document.createDocumentFragment();
  fragment.append(...[...parsed.body.childNodes].map((node) => document.importNode(node, true)));
  return fragment;
}
