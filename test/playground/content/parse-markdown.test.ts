import { describe, expect, test } from 'vitest'
import { parseRichMarkdown } from '../../../src/playground/content/parse-markdown.ts'
import { plainTextOf } from '../../../src/playground/content/rich-text.ts'

/** The text of a message that is one paragraph. */
function textOf(markdown: string) {
  const [block, ...rest] = parseRichMarkdown(markdown)
  expect(rest).toEqual([])
  return block?.type === 'paragraph' ? block.text : block
}

describe('inline formatting', () => {
  test('stars, underlines, tildes and backticks are GitHub Markdown, double underlines bold', () => {
    expect(textOf('**a** __b__ *c* _d_ ~~e~~ `f`')).toEqual([
      { type: 'bold', text: 'a' },
      ' ',
      { type: 'bold', text: 'b' },
      ' ',
      { type: 'italic', text: 'c' },
      ' ',
      { type: 'italic', text: 'd' },
      ' ',
      { type: 'strikethrough', text: 'e' },
      ' ',
      { type: 'code', text: 'f' },
    ])
  })

  test('HTML tags wrap Markdown, unknown ones are dropped, comments too', () => {
    expect(textOf('<u>a **b**</u><br>H<sub>2</sub>O <span>x</span><!-- y -->')).toEqual([
      { type: 'underline', text: ['a ', { type: 'bold', text: 'b' }] },
      '\nH',
      { type: 'subscript', text: '2' },
      'O x',
    ])
  })

  test('a tag without its other half is refused', () => {
    for (const broken of ['a <b>x', 'x</b>', '<b><i>x</b></i>', 'a <details> b']) {
      expect(() => parseRichMarkdown(broken)).toThrow('Bad Request: RICH_MESSAGE_MARKDOWN_INVALID')
    }
    expect(textOf('1 < 2, <b and 3 > 2')).toBe('1 < 2, <b and 3 > 2')
  })

  test('links go where Telegram can follow', () => {
    expect(textOf('[a](https://t.me/)')).toEqual({ type: 'url', text: 'a', url: 'https://t.me/' })
    expect(textOf('[a](mailto:a@b.cd)')).toMatchObject({ email_address: 'a@b.cd' })
    expect(textOf('[a](tel:+123456)')).toMatchObject({ phone_number: '+123456' })
    expect(textOf('[a][1]\n\n[1]: tg://user?id=5')).toMatchObject({ url: 'tg://user?id=5' })
    for (const url of ['', '/a', 'a.html', 'javascript:x', 'ftp://a', '#nowhere']) {
      expect(() => parseRichMarkdown(`[a](${url})`)).toThrow(
        'Bad Request: RICH_MESSAGE_URL_INVALID',
      )
    }
    for (const email of ['b', '%zz']) {
      const broken = () => parseRichMarkdown(`[a](mailto:${email})`)
      expect(broken).toThrow('Bad Request: RICH_MESSAGE_EMAIL_INVALID')
    }
  })
})

describe('blocks', () => {
  test('headings, rules, quotes and code become blocks of their own', () => {
    expect(parseRichMarkdown('## A *b*\n\n---\n\n> q\n\n```js\n\tx = 1\n```')).toEqual([
      { type: 'heading', size: 2, text: ['A ', { type: 'italic', text: 'b' }] },
      { type: 'divider' },
      { type: 'blockquote', blocks: [{ type: 'paragraph', text: 'q' }] },
      { type: 'pre', text: ' x = 1', language: 'js' },
    ])
  })

  test('lists are labelled, tasks have their box', () => {
    expect(parseRichMarkdown('3. a\n4. b')).toEqual([
      {
        type: 'list',
        items: [
          { label: '3.', value: 3, type: '1', blocks: [{ type: 'paragraph', text: 'a' }] },
          { label: '4.', value: 4, type: '1', blocks: [{ type: 'paragraph', text: 'b' }] },
        ],
      },
    ])
    expect(parseRichMarkdown('- [ ] a\n- [x] b\n- c')).toMatchObject([
      { items: [{ has_checkbox: true }, { is_checked: true }, { label: '•' }] },
    ])
  })
})

test('the plain text of a rich message is what a reader sees', () => {
  const markdown = [
    '# Head',
    'a **b** [c](https://t.me) ||d||',
    '1. one\n   - in\n2. two',
    '- [x] done',
    '```js\ncode\n```',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '---',
  ]

  expect(plainTextOf(parseRichMarkdown(markdown.join('\n\n'))).split('\n')).toEqual([
    'Head',
    'a b c d',
    '1. one',
    '  • in',
    '2. two',
    '☑ done',
    'code',
    'a | b',
    '1 | 2',
    '———',
  ])
})
