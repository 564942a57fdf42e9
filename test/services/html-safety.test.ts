import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { htmlOf } from '../../src/services/rendering/markdown.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Attempts to run something: those of the OWASP cheat sheet, and those that are known for Markdown. */
const VECTORS = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=https://evil.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<script\n>alert(1)</script\n>',
  '<<SCRIPT>alert(1);//<</SCRIPT>',
  '<script/src=data:,alert(1)>',
  '<img src=x onerror=alert(1)>',
  '<img src=x onerror="alert(1)"//>',
  '<img """><script>alert(1)</script>">',
  '<IMG SRC="javascript:alert(1);">',
  '<IMG SRC=`javascript:alert(1)`>',
  '<IMG SRC="jav&#x09;ascript:alert(1);">',
  '<IMG SRC="jav\tascript:alert(1);">',
  '<IMG SRC=" &#14; javascript:alert(1);">',
  '<IMG SRC=&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)>',
  '<IMG LOWSRC="javascript:alert(1)">',
  '<IMG SRC=\'vbscript:msgbox("x")\'>',
  '<img srcset="javascript:alert(1) 1x, https://x 2x">',
  '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<body onload=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<object data="data:text/html,<script>alert(1)</script>"></object>',
  '<embed src="//evil.example/x.swf">',
  '<link rel="stylesheet" href="javascript:alert(1)">',
  '<base href="javascript:alert(1)//">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<style>@import "javascript:alert(1)";</style>',
  '<style><img src="</style><img src=x onerror=alert(1)//">',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<p style="position:fixed;top:0">x</p>',
  '<form action="javascript:alert(1)"><input type=submit><button formaction="javascript:alert(1)">x</button></form>',
  '<input autofocus onfocus=alert(1)>',
  '<details open ontoggle=alert(1)>x</details>',
  '<video><source onerror="alert(1)"></video>',
  '<audio src=x onerror=alert(1)>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<table background="javascript:alert(1)"><td background="javascript:alert(1)">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt&colon;alert(1)">x</a>',
  '<a href="&#1;javascript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="//evil.example/">x</a>',
  '<a href="/\\evil.example/" target=_blank onclick=alert(1)>x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
  '<a href=https://ok.example ping=https://evil.example id=x name=y class=z>x</a>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea><img title="</textarea><img src=x onerror=alert(1)>">',
  '<xmp><img title="</xmp><img src=x onerror=alert(1)>"></xmp>',
  '<plaintext><script>alert(1)</script>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?php <script>alert(1)</script> ?>',
  '[x](javascript:alert(1))',
  '[x](JaVa&#x53;cript:alert(1))',
  '[x](  javascript:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](\u0001javascript:alert(1))',
  '[x](vbscript:x) [y](file:///etc/passwd) [z](data:text/html,x)',
  '[x]: javascript:alert(1)\n\n[x]',
  '<javascript:alert(1)>',
  '![x](javascript:alert(1)) ![y](data:image/svg+xml,x) ![z](http://plain.example/x.png)',
  '![x](https://ok.example/x.png "a\\" onerror=\\"alert(1)")',
  '[x](https://ok.example/"onmouseover="alert(1))',
  '[x](https://ok.example "\' onmouseover=\'alert(1)")',
  '```"><script>alert(1)</script>\nx\n```',
  '`<script>alert(1)</script>`',
  '| a |\n| - |\n| <img src=x onerror=alert(1)> |',
  '> <script>alert(1)\n> </script>',
];

/** Everything that may be in an answer; whatever else a browser finds there fails its test. */
const TAGS =
  'h1 h2 h3 h4 h5 h6 p blockquote pre hr br div ul ol li dl dt dd details summary figure figcaption table caption thead tbody tfoot tr th td a img em strong b i u s del ins mark small sub sup code kbd samp var abbr cite q dfn span ruby rb rt rp wbr'.split(
    ' ',
  );
const ATTRIBUTES = 'href title rel src alt width height start align colspan rowspan open class'.split(' ');

function requireHarmless(nodes: readonly Node[], about: string): void {
  for (const node of nodes) {
    assert.ok(node.nodeName === '#text' || 'tagName' in node, `${about}: ${node.nodeName}`);
    if (!('tagName' in node)) continue;
    assert.ok(TAGS.includes(node.tagName), `${about}: <${node.tagName}>`);
    assert.equal(node.namespaceURI, 'http://www.w3.org/1999/xhtml', about);
    for (const { name, value } of node.attrs) {
      assert.ok(ATTRIBUTES.includes(name), `${about}: ${name}`);
      if (name === 'class') assert.match(value, /^language-[^\s]*$/, about);
      if (name === 'href')
        assert.equal(
          new URL(value, 'https://site.example').protocol.match(/^(https?|mailto):$/)?.length,
          2,
          `${about}: ${value}`,
        );
      if (name === 'href' && !/^[a-z]+:/i.test(value))
        assert.equal(new URL(value, 'https://site.example').host, 'site.example', `${about}: ${value}`);
      if (name === 'src') assert.equal(new URL(value, 'https://site.example').protocol, 'https:', about);
    }
    const links = node.tagName === 'a' && node.attrs.some(({ name }) => name === 'href');
    if (links)
      assert.ok(
        node.attrs.some(({ name, value }) => name === 'rel' && value === 'nofollow noopener ugc'),
        about,
      );
    requireHarmless(node.childNodes, about);
  }
}

it(`Nothing of ${VECTORS.length} known attempts runs, alone, together, or within other Markdown`, () => {
  const within = VECTORS.flatMap((vector) => [
    vector,
    `text ${vector} text`,
    `- ${vector}\n\n  ${vector}`,
    `<div title="${vector}">${vector}</div>`,
    `**[${vector}](https://ok.example "${vector}")**`,
  ]);
  for (const text of [...within, VECTORS.join('\n\n'), VECTORS.join(' ')])
    requireHarmless(parseFragment(htmlOf(text) ?? '').childNodes, text);
});

it('Markdown has its usual HTML, with links that search engines do not count for the author', () => {
  const made = (text: string) => htmlOf(text)?.trim();
  for (const [text, html] of [
    ['a *b* **c** `d`', '<p>a <em>b</em> <strong>c</strong> <code>d</code></p>'],
    ['| a | b |\n| :- | -: |\n| 1 | 2 |', /<th align="left">a<\/th>\n<th align="right">b<\/th>/],
    [
      '[x](https://a.example "t")',
      '<p><a href="https://a.example" rel="nofollow noopener ugc" title="t">x</a></p>',
    ],
    ['[x](#there) [y](../other)', /href="#there".*href="\.\.\/other"/],
    ['![x](https://a.example/x.png) ![y](http://a.example/y.png)', /^<p><img src="https:[^>]*> <\/p>$/],
    ['```ts\n1 < 2\n```', '<pre><code class="language-ts">1 &lt; 2\n</code></pre>'],
    ['<details><summary>s</summary>t</details>', '<details><summary>s</summary>t</details>'],
    ['3. a', /<ol start="3">/],
  ] as const) {
    if (typeof html === 'string') assert.equal(made(text), html);
    else assert.match(made(text) ?? '', html);
  }
});

it('A short text that makes very long HTML is refused', () => {
  assert.equal(htmlOf(`[a]: https://x.example/${'x'.repeat(10_000)}\n\n${'[a] '.repeat(1_000)}`), undefined);
  assert.equal(htmlOf('<'.repeat(1024 * 1024)), undefined);
  assert.match(htmlOf('[a]: https://x.example/y\n\n[a]') ?? '', /href/);
});
