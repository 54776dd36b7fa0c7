import { expect, test } from 'vitest'
import { parseHtml } from '../../../../src/playground/content/parse-mode/html.ts'

test('every tag has its entity, and tags nest', () => {
  const { text, entities } = parseHtml(
    '<b>b<i>i</i></b><u>u</u><s>s</s><tg-spoiler>p</tg-spoiler><span class="tg-spoiler">q</span>',
  )

  expect(text).toBe('biuspq')
  expect(entities).toEqual([
    { type: 'italic', offset: 1, length: 1 },
    { type: 'bold', offset: 0, length: 2 },
    { type: 'underline', offset: 2, length: 1 },
    { type: 'strikethrough', offset: 3, length: 1 },
    { type: 'spoiler', offset: 4, length: 1 },
    { type: 'spoiler', offset: 5, length: 1 },
  ])
})

test('code that fills a block gives it its language, whichever of them is outside', () => {
  const block = [{ type: 'pre', offset: 0, length: 1, language: 'ts' }]

  expect(parseHtml('<pre><code class="language-ts">a</code></pre>').entities).toEqual(block)
  expect(parseHtml('<code class="language-ts"><pre>a</pre></code>').entities).toEqual(block)
  expect(parseHtml('<pre>a</pre>').entities).toEqual([{ type: 'pre', offset: 0, length: 1 }])
  expect(parseHtml('<code class="language-ts">a</code>').entities).toEqual([
    { type: 'code', offset: 0, length: 1 },
  ])
})

test('a link leads to a page or to a user, or is left out', () => {
  const linkOf = (href: string) => parseHtml(`<a href="${href}">a</a>`).entities[0]

  expect(linkOf('example.com')).toMatchObject({ type: 'text_link', url: 'http://example.com/' })
  expect(linkOf('https://a.b/?c=1&amp;d=2')).toMatchObject({ url: 'https://a.b/?c=1&d=2' })
  expect(linkOf('tg://user?id=5')).toMatchObject({ type: 'text_mention', user: { id: 5 } })
  expect(linkOf('javascript:alert(1)')).toBeUndefined()
  expect(linkOf('http://localhost/')).toBeUndefined()
  expect(parseHtml('<a>example.com</a>').entities).toMatchObject([{ url: 'http://example.com/' }])
})

test('characters may be named or numbered, and other escapes stay', () => {
  const { text } = parseHtml('&lt;b&gt; &amp; &quot;&#33;&#x21;&#128512; &nbsp; &constructor; AT&T')

  expect(text).toBe('<b> & "!!😀 &nbsp; &constructor; AT&T')
})

test('a quote can be expandable; a custom emoji and a time have their own tags', () => {
  expect(parseHtml('<blockquote expandable>a</blockquote>').entities).toEqual([
    { type: 'expandable_blockquote', offset: 0, length: 1 },
  ])
  expect(parseHtml('<tg-emoji emoji-id="53">👍</tg-emoji>').entities).toEqual([
    { type: 'custom_emoji', offset: 0, length: 2, custom_emoji_id: '53' },
  ])
  expect(parseHtml('<tg-time unix="1700000000" format="wDT">then</tg-time>').entities).toEqual([
    { type: 'date_time', offset: 0, length: 4, unix_time: 1_700_000_000, date_time_format: 'wDT' },
  ])
})

test.for([
  ['<b>a', `Can't find end tag corresponding to start tag "b"`],
  ['<x>', 'Unsupported start tag "x" at byte offset 0'],
  ['<constructor>', 'Unsupported start tag "constructor" at byte offset 0'],
  ['ы<b', 'Unclosed start tag at byte offset 2'],
  ['a</b>', 'Unexpected end tag at byte offset 1'],
  ['<b>a</i>', 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'],
  ['<b>a</b', 'Unclosed end tag at byte offset 4'],
  ['<span>a</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
  ['<b =1>a</b>', 'Empty attribute name in the tag "b" at byte offset 0'],
  [
    '<a href>a</a>',
    'Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0',
  ],
  ['<a href=x/y>a</a>', 'Unexpected end of name token at byte offset 8'],
  ['<a href="x>a</a>', 'Unclosed start tag at byte offset 0'],
  ['<tg-emoji emoji-id="x">a</tg-emoji>', 'Invalid custom emoji identifier specified'],
])('HTML that cannot be read is refused with its offset: %s', ([source = '', why = '']) => {
  expect(() => parseHtml(source)).toThrow(`Bad Request: can't parse entities: ${why}`)
})
