import { hash } from 'node:crypto';
import { Type } from 'typebox';
import { ContentInput, MOST_BODY } from '../content/body-contract.ts';
import { invalid } from '../domain/failure.ts';
import { askerOf, callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { admittedOf, largeInTurn } from '../http/under-way.ts';
import type { Rendering } from '../services/rendering/rendering.ts';

const ContentPreview = Type.Object(
  { content: ContentInput.properties.content },
  { $id: 'ContentPreview', description: 'A text that need not be stored.' },
);
const ContentHtml = Type.Object(
  {
    html: Type.String({
      description: 'What its Markdown looks like, as `format=html` of an item has it: nothing in it runs.',
    }),
  },
  { $id: 'ContentHtml', description: 'A text as HTML.' },
);

const OFF = 'content cannot be shown as HTML: this service makes none, because its setting RENDER is off.';

/** What a text looks like before it is saved. */
export function previewRoutes(app: App, { rendering }: { readonly rendering: Rendering | undefined }): void {
  app.post(
    '/api/content/preview',
    {
      bodyLimit: MOST_BODY,
      // As a body, and as the text that waits to become HTML. A refusal once both are there costs four times the
      // memory.
      config: { access: 'signed_in', limits: [], shows: 'nothing', programs: 'write', bodyCopies: 2 },
      schema: {
        operationId: 'previewContent',
        tags: ['content'],
        summary: 'Show a text as HTML',
        description: 'Stores nothing. Refused where the setting RENDER is off.',
        body: ContentPreview,
        response: answers(ContentHtml, 'The text as HTML.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { content } = request.body;
      if (!rendering) throw invalid([{ field: 'content', rule: 'render', message: OFF }]);
      const key = `preview ${hash('sha256', content, 'base64url')}`;
      const asker = await askerOf(request);
      const markdown = { key, text: content, kind: 'preview', userId: callerOf(request).userId } as const;
      const html = await admittedOf(request).untilLeft((leaving) => rendering.html(asker, markdown, leaving));
      return largeInTurn(request, html.length, ok({ html }));
    },
  );
}
