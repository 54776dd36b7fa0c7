import { expect, test } from 'vitest'
import { parseRichHtml } from '../../../../src/playground/rich/from-html/parse-html.ts'
import { parseRichMarkdown } from '../../../../src/playground/rich/parse-markdown.ts'

const OPTIONS = { unclosedHtml: 'reject', skipEntityDetection: true, isDraft: false } as const

function parse(
  html: string,
  options: Partial<Record<'skipEntityDetection' | 'isDraft', boolean>> = {},
) {
  return parseRichHtml(html, { ...OPTIONS, ...options })
}

function refusalOf(html: string): string {
  try {
    parse(html)
    return 'ok'
  } catch (error) {
    return (error as Error).message.replace('Bad Request: ', '')
  }
}

test.each([
  ['<h2>A <i>b</i></h2><hr/><p>c</p>', '## A *b*\n\n---\n\nc'],
  ['a <b>b <i>c</i></b> <s>d</s>\n<code>e</code>', 'a **b *c*** ~~d~~ `e`'],
  [
    '<mark>a</mark> <tg-spoiler>b</tg-spoiler> <u>c</u>H<sub>2</sub>',
    '==a== ||b|| <u>c</u>H<sub>2</sub>',
  ],
  ['<ul>\n<li>a</li>\n<li>b<ul><li>c</li></ul></li>\n</ul>', '- a\n- b\n  - c'],
  ['<ol start="3"><li>a</li><li>b</li></ol>', '3. a\n4. b'],
  [
    '<ul><li><input type="checkbox">a</li><li><input type="checkbox" checked>b</li></ul>',
    '- [ ] a\n- [x] b',
  ],
  [
    '<pre><code class="language-js">if (a &lt; b)\n\tc()\n</code></pre>',
    '```js\nif (a < b)\n\tc()\n```',
  ],
  ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
  [
    '<table><tr><th align="center">a</th><th align="right">b</th></tr><tr><td align="center">1</td><td align="right"><b>2</b></td></tr></table>',
    '| a | b |\n|:-:|--:|\n| 1 | **2** |',
  ],
  ['so <tg-math>x^2</tg-math><tg-math-block>E = mc^2</tg-math-block>', 'so $x^2$\n\n$$E = mc^2$$'],
  [
    '<details open><summary>S</summary>a</details>',
    '<details open><summary>S</summary>a</details>',
  ],
  ['<aside>a<cite>Ann</cite></aside>', '<aside>a<cite>Ann</cite></aside>'],
  [
    '<a href="https://t.me/">a</a> <img src="tg://emoji?id=5" alt="👍"/>',
    '[a](https://t.me/) ![👍](tg://emoji?id=5)',
  ],
])('HTML %s has the blocks of its Markdown', (html, markdown) => {
  expect(parse(html)).toEqual(parseRichMarkdown(markdown, OPTIONS))
})

test('a whole message in HTML is read in order', () => {
  const html = `<h1>Report</h1>
    first<br>
    second &amp; &laquo;third&raquo; &#33;
    <ol type="a" reversed><li value="28">x</li><li type="I">y</li></ol>
    <blockquote expandable>a<br>b<cite>Ann</cite></blockquote>
    <table bordered striped compact><caption>T</caption><tr><td colspan="2" valign="top">v</td></tr></table>
    <p><a name="end"></a><a href="#end">here</a></p><footer>F</footer>`

  expect(parse(html)).toEqual([
    { type: 'heading', size: 1, text: 'Report' },
    { type: 'paragraph', text: 'first\nsecond & &laquo;third&raquo; !' },
    {
      type: 'list',
      items: [
        { label: 'ab.', value: 28, type: 'a', blocks: [{ type: 'paragraph', text: 'x' }] },
        { label: 'XXVII.', value: 27, type: 'I', blocks: [{ type: 'paragraph', text: 'y' }] },
      ],
    },
    { type: 'expandable_blockquote', text: 'a\nb', credit: 'Ann' },
    {
      type: 'table',
      cells: [[{ text: 'v', colspan: 2, align: 'left', valign: 'top' }]],
      is_bordered: true,
      is_striped: true,
      is_compact: true,
      caption: 'T',
    },
    {
      type: 'paragraph',
      text: [
        { type: 'anchor', name: 'end' },
        { type: 'anchor_link', text: 'here', anchor_name: 'end' },
      ],
    },
    { type: 'footer', text: 'F' },
  ])
})

test('HTML that is blank, cut off or crossed is refused', () => {
  const broken = [
    '',
    ' \n',
    '<!-- a -->',
    'a <b',
    'a <b>c',
    'a</b>',
    '<b><i>a</b></i>',
    '<p>a',
    'a</x>',
  ]
  for (const html of [
    ...broken,
    '<ul>a</ul>',
    '<b><p>a</p></b>',
    '<table><td>a</td></table>',
    '<li>a</li>',
  ]) {
    expect([html, refusalOf(html)]).toEqual([html, 'RICH_MESSAGE_HTML_INVALID'])
  }
})

test('many comments that never end are refused as quickly as one', () => {
  expect(refusalOf('<!--'.repeat(200_000))).toBe('RICH_MESSAGE_HTML_INVALID')
})

test('a tag that rich messages do not have is dropped, its text stays; a lone sign is text', () => {
  expect(parse('<div>a <span>b</span><p>c</p></div> 1 < 2')).toEqual([
    { type: 'paragraph', text: 'a b' },
    { type: 'paragraph', text: 'c' },
    { type: 'paragraph', text: '1 < 2' },
  ])
})

test('HTML is held to the limits of rich messages', () => {
  expect(refusalOf('<h1></h1>')).toBe('RICH_MESSAGE_CONTENT_REQUIRED')
  expect(refusalOf('<ul></ul>')).toBe('RICH_MESSAGE_CONTENT_REQUIRED')
  expect(refusalOf('<pre></pre>')).toBe('RICH_MESSAGE_CONTENT_REQUIRED')
  expect(refusalOf('x'.repeat(32_769))).toBe('RICH_MESSAGE_TEXT_TOO_LONG')
  expect(refusalOf('<hr>'.repeat(500))).toBe('ok')
  expect(refusalOf('<hr>'.repeat(501))).toBe('RICH_MESSAGE_BLOCKS_TOO_MANY')
  expect(refusalOf(`${'<b>'.repeat(17)}a${'</b>'.repeat(17)}`)).toBe('RICH_MESSAGE_DEPTH_INVALID')
  expect(refusalOf(`${'<b>'.repeat(50_000)}a${'</b>'.repeat(50_000)}`)).toBe(
    'RICH_MESSAGE_DEPTH_INVALID',
  )
  expect(refusalOf(`<table><tr>${'<td>a</td>'.repeat(21)}</tr></table>`)).toBe(
    'RICH_MESSAGE_TABLE_COLS_TOO_MANY',
  )
  expect(refusalOf('<a href="/a">a</a>')).toBe('RICH_MESSAGE_URL_INVALID')
  expect(refusalOf('<img src="https://a.b/c.jpg"/>')).toBe('RICH_MESSAGE_PHOTO_NO_MEDIA_FOUND')
  expect(refusalOf('<video src="https://a.b/c.mp4"></video>')).toMatch('does not build <video>')
  expect(refusalOf('<pre><b>a</b></pre>')).toMatch('does not build <b> in code')
})

test('only a draft may show in HTML that the bot thinks', () => {
  const thinking = '<tg-thinking>Hm</tg-thinking>'

  expect(parse(thinking, { isDraft: true })).toEqual([{ type: 'thinking', text: 'Hm' }])
  expect(refusalOf(thinking)).toBe('RICH_MESSAGE_CONTENT_REQUIRED')
})

test('names and addresses are found in HTML, but not in code or links', () => {
  expect(
    parse('@some_bot <code>@some_bot</code> https://t.me', { skipEntityDetection: false }),
  ).toEqual([
    {
      type: 'paragraph',
      text: [
        { type: 'mention', text: '@some_bot', username: 'some_bot' },
        ' ',
        { type: 'code', text: '@some_bot' },
        ' ',
        { type: 'url', text: 'https://t.me', url: 'https://t.me' },
      ],
    },
  ])
})
