import { expect, test } from 'vitest'
import { parseRichBlocks } from '../../../../src/playground/rich/from-json/parse-blocks.ts'
import { parseRichMarkdown } from '../../../../src/playground/rich/parse-markdown.ts'

const OPTIONS = { unclosedHtml: 'reject', skipEntityDetection: true, isDraft: false } as const

function parse(
  blocks: unknown,
  options: { skipEntityDetection?: boolean; isDraft?: boolean } = {},
) {
  return parseRichBlocks(blocks, {
    ...OPTIONS,
    ...options,
    opens: { opensLocalPages: false },
    readMedia: (type) => async () => ({ [type]: {} }),
  }).blocks
}

function refusalOf(...blocks: unknown[]): string {
  try {
    parse(blocks)
    return 'ok'
  } catch (error) {
    return (error as Error).message.replace('Bad Request: ', '')
  }
}

/** The refusal of a paragraph with such a text. */
function refusalOfText(text: unknown): string {
  return refusalOf({ type: 'paragraph', text })
}

const PARAGRAPH = { type: 'paragraph', text: 'a' }

test('blocks have the blocks of their Markdown', () => {
  const blocks = [
    { type: 'heading', size: 2, text: ['A ', { type: 'italic', text: ['b'] }] },
    { type: 'divider' },
    { type: 'blockquote', blocks: [{ type: 'paragraph', text: ['q', 'uote'] }] },
    { type: 'pre', text: '\tx = 1', language: 'js' },
    { type: 'mathematical_expression', expression: 'x^2' },
    { type: 'list', items: [{ blocks: [PARAGRAPH], has_checkbox: true, is_checked: true }] },
    {
      type: 'list',
      items: [
        { blocks: [PARAGRAPH], value: 3, type: '1' },
        { blocks: [PARAGRAPH], value: 4 },
      ],
    },
    {
      type: 'table',
      cells: [
        [{ text: 'h', is_header: true, align: 'right', valign: 'middle' }],
        [{ text: '1', align: 'right', valign: 'middle' }],
      ],
    },
    { type: 'details', summary: 'S', is_open: true, blocks: [PARAGRAPH] },
    {
      type: 'paragraph',
      text: [
        { type: 'url', text: 'a', url: 'https://t.me/' },
        ' ',
        { type: 'custom_emoji', custom_emoji_id: '5', alternative_text: '👍' },
        ' ',
        { type: 'mathematical_expression', expression: 'y' },
      ],
    },
  ]
  const markdown = [
    '## A *b*',
    '---',
    '> quote',
    '```js\n\tx = 1\n```',
    '$$x^2$$',
    '- [x] a',
    '3. a\n4. a',
    '| h |\n|--:|\n| 1 |',
    '<details open><summary>S</summary>a</details>',
    '[a](https://t.me/) ![👍](tg://emoji?id=5) $y$',
  ]

  expect(parse(blocks)).toEqual(parseRichMarkdown(markdown.join('\n\n'), OPTIONS))
})

test('what has no Markdown is read field by field, the unknown passed over', () => {
  const location = { latitude: 41.9, longitude: 12.5 }
  const map = { type: 'map', location, zoom: 14, width: 600, height: 300 }
  const button = { text: 'Go', callback_data: 'go', style: 'link' }

  expect(
    parse([
      { type: 'pullquote', text: 'a', credit: 'Ann', other: 1 },
      { type: 'list', items: [{ blocks: [PARAGRAPH], value: 4, type: 'i' }] },
      { ...map, zoom: 3, caption: { text: 'Rome', credit: { type: 'bold', text: 'Ann' } } },
      { type: 'buttons', buttons: [button], align: 'center' },
      { type: 'paragraph', text: [{ type: 'button', button: { text: 'x', url: 'https://t.me' } }] },
      {
        type: 'paragraph',
        text: { type: 'text_mention', text: 'Ann', user: { id: 5, first_name: 'Ann' } },
      },
    ]),
  ).toEqual([
    { type: 'pullquote', text: 'a', credit: 'Ann' },
    { type: 'list', items: [{ label: 'iv.', value: 4, type: 'i', blocks: [PARAGRAPH] }] },
    { ...map, zoom: 13, caption: { text: 'Rome', credit: { type: 'bold', text: 'Ann' } } },
    { type: 'buttons', buttons: [button], align: 'center' },
    { type: 'paragraph', text: { type: 'button', button: { text: 'x', url: 'https://t.me' } } },
    {
      type: 'paragraph',
      text: {
        type: 'text_mention',
        text: 'Ann',
        user: { id: 5, is_bot: false, first_name: 'Ann' },
      },
    },
  ])
})

test('blocks that are none are refused by their field', () => {
  expect(refusalOf({ type: 'x' })).toBe(`can't parse InputRichBlock: type "x" is unsupported`)
  expect(refusalOf({ text: 'a' })).toBe(`can't parse InputRichBlock: Can't find field "type"`)
  expect(refusalOf('a')).toBe(`can't parse InputRichBlock: expected an Object`)
  expect(refusalOf({ type: 'paragraph' })).toBe(
    `can't parse InputRichBlock: Can't find field "text"`,
  )
  expect(refusalOf({ type: 'pre', text: 'a', language: 5 })).toMatch(
    'Field "language" must be of type String',
  )
  expect(refusalOf({ type: 'heading', text: 'a', size: 7 })).toMatch('Field "size"')
  expect(refusalOf({ type: 'list', items: {} })).toMatch('Field "items" must be of type Array')
  expect(refusalOf({ type: 'table', cells: ['a'] })).toMatch('Field "cells"')
  expect(
    refusalOf({
      type: 'map',
      location: { latitude: 91, longitude: 0 },
      zoom: 14,
      width: 9,
      height: 9,
    }),
  ).toMatch('of the map')
  expect(() => parse({})).toThrow(
    `can't parse InputRichMessage: Field "blocks" must be of type Array`,
  )
})

test('texts that are none are refused by their field', () => {
  expect(refusalOfText({ type: 'x', text: 'a' })).toBe(
    `can't parse RichText: type "x" is unsupported`,
  )
  expect(refusalOfText({ text: 'a' })).toBe(`can't parse RichText: Can't find field "type"`)
  expect(refusalOfText({ type: 'bold' })).toBe(`can't parse RichText: Can't find field "text"`)
  expect(refusalOfText(5)).toBe(`can't parse RichText: expected an Object`)
  expect(refusalOfText('\ud83d')).toMatch('strings must be encoded in UTF-8')
})

test.each([
  ['url', { url: '/a' }, 'URL'],
  ['email_address', { email_address: 'a' }, 'EMAIL'],
  ['phone_number', { phone_number: 'a' }, 'PHONE'],
  ['mention', { username: 'a b' }, 'MENTION'],
  ['hashtag', { hashtag: 'a b' }, 'HASHTAG'],
  ['cashtag', { cashtag: 'a b' }, 'CASHTAG'],
  ['bot_command', { bot_command: 'a b' }, 'BOT_COMMAND'],
  ['bank_card_number', { bank_card_number: '1' }, 'BANK_CARD'],
  ['custom_emoji', { custom_emoji_id: 'x', alternative_text: '👍' }, 'EMOJI'],
  ['anchor_link', { anchor_name: 'nowhere' }, 'URL'],
])('a %s with a wrong value is refused', (type, fields, name) => {
  expect(refusalOfText({ type, text: 'a', ...fields })).toBe(`RICH_MESSAGE_${name}_INVALID`)
})

test('blocks without content are refused', () => {
  const table = { type: 'table', cells: [] }
  const empty = [
    { type: 'heading', text: ' ', size: 1 },
    { type: 'pre', text: '' },
    { type: 'paragraph', text: [] },
    { type: 'list', items: [] },
    { type: 'list', items: [{ blocks: [] }] },
    { type: 'collage', blocks: [] },
    { type: 'slideshow', blocks: [] },
    { type: 'buttons', buttons: [] },
    { type: 'thinking', text: 'Hm' },
    table,
  ]
  for (const block of empty) {
    expect([block, refusalOf(block)]).toEqual([block, 'RICH_MESSAGE_CONTENT_REQUIRED'])
  }
  expect(refusalOf()).toBe('RICH_MESSAGE_CONTENT_REQUIRED')
  expect(parse([{ type: 'thinking', text: 'Hm' }], { isDraft: true })).toHaveLength(1)
})

test('blocks are held to the limits of rich messages', () => {
  const photo = { type: 'photo', photo: {} }
  const deep = (levels: number) => {
    let block: unknown = PARAGRAPH
    for (let level = 0; level < levels; level++) block = { type: 'blockquote', blocks: [block] }
    return block
  }

  expect(refusalOfText('x'.repeat(32_768))).toBe('ok')
  expect(refusalOfText('x'.repeat(32_769))).toBe('RICH_MESSAGE_TEXT_TOO_LONG')
  expect(refusalOf(...Array(500).fill(PARAGRAPH))).toBe('ok')
  expect(refusalOf(...Array(501).fill(PARAGRAPH))).toBe('RICH_MESSAGE_BLOCKS_TOO_MANY')
  expect(refusalOf(deep(16))).toBe('ok')
  expect(refusalOf(deep(17))).toBe('RICH_MESSAGE_DEPTH_INVALID')
  expect(refusalOf(deep(50_000))).toBe('RICH_MESSAGE_DEPTH_INVALID')
  expect(refusalOf({ type: 'table', cells: [Array(21).fill({ text: 'a' })] })).toBe(
    'RICH_MESSAGE_TABLE_COLS_TOO_MANY',
  )
  expect(refusalOf({ type: 'collage', blocks: Array(50).fill(photo) })).toBe('ok')
  expect(refusalOf({ type: 'collage', blocks: Array(50).fill(photo) }, photo)).toBe(
    'RICH_MESSAGE_MEDIA_TOO_MANY',
  )
  expect(refusalOfText(Array(5_850).fill({ type: 'bold', text: 'a' }))).toBe(
    'RICH_MESSAGE_TOO_LARGE',
  )
})

test('buttons are read as those of a keyboard', () => {
  const row = (...buttons: object[]) => refusalOf({ type: 'buttons', buttons })
  const button = { text: 'a', callback_data: 'a' }

  expect(row(...Array(8).fill(button))).toBe('ok')
  expect(row(...Array(9).fill(button))).toMatch('too many buttons')
  expect(row({ text: 'a' })).toMatch("can't parse inline keyboard button")
  expect(row({ text: 'a', callback_data: 'a'.repeat(65) })).toBe('BUTTON_DATA_INVALID')
  expect(row({ text: 'a', url: 'https://t.me', style: 'link' })).toMatch('callback buttons alone')
  expect(row({ ...button, text: { type: 'bold', text: 'a' } })).toMatch('unsupported formatting')
})
