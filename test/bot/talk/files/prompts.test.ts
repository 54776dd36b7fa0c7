import { describe, expect, test } from 'vitest'
import type { GivenContent, UserFile } from '../../../../src/playground/control/user-content.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import type { ChatServiceOptions } from '../../chat-service.ts'
import { labels, press } from '../reply/buttons.ts'
import { ended, turns } from '../turns/ended.ts'
import { encode, encodeUtf16 } from './encode.ts'
import { makeDocx } from './make-docx.ts'
import { makePdf } from './make-pdf.ts'

const GROUP = -5
const NAME = '@kopeck_playground_bot'
const PHOTO = { bytes: new Uint8Array([1]) }

function document(fileName: string, bytes: Uint8Array | string, more: Partial<UserFile> = {}) {
  return { document: { fileName, bytes: Buffer.from(bytes as string), ...more } }
}

async function startAnswering(options: ChatServiceOptions = {}) {
  const setup = await createBotSetup(options)
  setup.service.onCompletion((completion) => completion.answer('Hello!'))
  await setup.startBot()
  return setup
}

function prompt({ service }: BotSetup): string | undefined {
  return service.completions.at(-1)?.prompt
}

describe('the prompt that reaches the service', () => {
  test.each<[string, GivenContent, string]>([
    [
      'a text',
      document('notes.md', '# Plan\n\nEat.'),
      'File “notes.md”:\n```\n# Plan\n\nEat.\n```',
    ],
    ['a text in CP1251', document('b.csv', encode('имя;сумма', 'windows-1251')), 'имя;сумма'],
    [
      'a text in UTF-16',
      document('c.txt', encodeUtf16('Привет', 'le', { hasMark: true })),
      'Привет',
    ],
    ['a text in UTF-16 without a mark', document('d.txt', encodeUtf16('Привет', 'be')), 'Привет'],
    ['code with fences', document('e.md', '```js\n1\n```'), '````\n```js\n1\n```\n````'],
    ['a PDF', document('f.pdf', makePdf(['one', 'two'])), 'File “f.pdf”:\n```\none\n\ntwo\n```'],
    ['a Word document', document('g.docx', makeDocx(['Раз', 'Два'])), 'Раз\n\nДва'],
    [
      'a name that is markup',
      document('<b>*x*</b>`\u202e.txt', 'y'),
      'File “<b>*x*</b>` .txt”:\n```\ny',
    ],
  ])('has the text of %s', async (_, content, text) => {
    const setup = await startAnswering()

    setup.playground.userSends({ userId: ANNA, ...content })
    await ended(setup)

    expect(prompt(setup)).toContain(text)
    expect(setup.textsIn(ANNA)).toEqual(['Hello!'])
  })

  test('has the caption in front of the file, and keeps it for the next question', async () => {
    const setup = await startAnswering()

    setup.playground.userSends({
      userId: ANNA,
      ...document('a.txt', 'b'),
      caption: 'What is this?',
    })
    await ended(setup)
    setup.playground.userSends({ userId: ANNA, text: 'And now?' })
    await ended(setup, 2)

    const content = 'What is this?\n\nFile “a.txt”:\n```\nb\n```'
    expect(setup.service.completions[1]?.request.messages).toEqual([
      { role: 'user', content },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'And now?' },
    ])
  })

  test.each<[string, GivenContent, string, string]>([
    ['a picture', { photo: PHOTO }, 'A picture came with this', 'I can’t see pictures'],
    ['a video', { video: PHOTO }, 'A video came with this', 'I can’t watch videos'],
    ['a voice message', { voice: PHOTO }, 'A voice message came', 'listen to voice messages'],
    ['a picture sent as a file', document('a.png', 'x'), 'A picture came', 'I can’t see pictures'],
    ['an archive', document('a.zip', 'x'), 'A file came with this', 'files of this kind'],
    ['a huge video', { video: { ...PHOTO, sizeBytes: 2e9 } }, 'A video', 'I can’t watch videos'],
  ])('is the caption of %s, and the answer says so', async (_, content, description, answer) => {
    const setup = await startAnswering()

    setup.playground.userSends({ userId: ANNA, ...content, caption: 'Who is this?' })
    await ended(setup)

    expect(prompt(setup)).toMatch(/^Who is this\?\n\n\(/)
    expect(prompt(setup)).toContain(description)
    expect(setup.textsIn(ANNA)).toEqual([expect.stringMatching(/^Hello!\n/)])
    expect(setup.textsIn(ANNA)[0]).toContain(answer)
    expect(setup.textsIn(ANNA)[0]).toContain('your caption as the question')
  })

  test('is one for an album, with every caption and every file', async () => {
    const setup = await startAnswering()
    const part = { userId: ANNA, mediaGroupId: '1' }

    setup.playground.userSends({ ...part, ...document('a.txt', 'one'), caption: 'Compare' })
    setup.playground.userSends({ ...part, ...document('b.txt', 'two') })
    setup.playground.userSends({ ...part, ...document('c.txt', 'three'), caption: 'this too' })
    await ended(setup)

    expect(setup.service.completions).toHaveLength(1)
    expect(prompt(setup)).toBe(
      [
        'Compare',
        'this too',
        fileOf('a.txt', 'one'),
        fileOf('b.txt', 'two'),
        fileOf('c.txt', 'three'),
      ].join('\n\n'),
    )
  })

  test('is one for a comment and the file that was forwarded with it', async () => {
    const setup = await startAnswering()

    setup.playground.userSends({ userId: ANNA, text: 'Is this true?' })
    setup.playground.userSends({ userId: ANNA, ...document('a.txt', 'b'), forwardFrom: 'Someone' })
    await ended(setup)

    expect(prompt(setup)).toBe(`Is this true?\n\n${fileOf('a.txt', 'b')}`)
  })

  test('has the file that a question answers, once', async () => {
    const setup = await startAnswering()
    const { message_id: replyToMessageId } = setup.playground.userSends({
      userId: ANNA,
      ...document('a.txt', 'b'),
      caption: 'What is this?',
    })
    await ended(setup)

    setup.playground.userSends({ userId: ANNA, text: 'And why?', replyToMessageId })
    await ended(setup, 2)
    expect(prompt(setup)).toContain('(This is about the file “a.txt” above.)')
    setup.playground.userSends({ userId: ANNA, text: '/new' })
    setup.playground.userSends({ userId: ANNA, text: 'And now?', replyToMessageId })
    await ended(setup, 3)

    expect(prompt(setup)).toContain(`And now?\n\n${fileOf('a.txt', 'b')}`)
  })

  test('has the new caption of a file that is answered again, and the file', async () => {
    const setup = await startAnswering()
    const sent = { userId: ANNA, ...document('a.txt', 'b'), caption: 'Waht?' }
    const { message_id: messageId } = setup.playground.userSends(sent)
    await ended(setup)

    setup.playground.userEdits({ userId: ANNA, messageId, text: 'What?' })
    await press(setup, 'Answer again from here')
    await ended(setup, 3)

    expect(prompt(setup)).toBe(`What?\n\n${fileOf('a.txt', 'b')}`)
  })
})

describe('in a group', () => {
  async function startGroup() {
    const setup = await startAnswering()
    setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
    setup.playground.setBotStatus(GROUP, 'administrator')
    return setup
  }

  test('a caption that names the bot is a question', async () => {
    const setup = await startGroup()
    const asked = { userId: ANNA, chatId: GROUP }

    setup.playground.userSends({ ...asked, ...document('a.txt', 'b'), caption: 'for you all' })
    setup.playground.userSends({
      ...asked,
      ...document('c.txt', 'd'),
      caption: `${NAME} and this?`,
    })
    await ended(setup)

    expect(setup.service.completions).toHaveLength(1)
    expect(prompt(setup)).toBe(`Anna: and this?\n\n${fileOf('c.txt', 'd')}`)
  })

  test('the name alone, in reply to a file, asks about it', async () => {
    const setup = await startGroup()
    const { message_id: replyToMessageId } = setup.playground.userSends({
      userId: ANNA,
      chatId: GROUP,
      ...document('a.pdf', makePdf(['the text'])),
    })

    setup.playground.userSends({ userId: BORIS, chatId: GROUP, text: NAME, replyToMessageId })
    await ended(setup)

    expect(prompt(setup)).toBe('Файл «a.pdf»:\n```\nthe text\n```')
  })
})

describe('a file without a text for the model gets a sentence, and nothing is asked or charged', () => {
  const PAGES = Array.from({ length: 10_000 }, (_, page) => `Page ${page}`)

  test.each<[string, GivenContent, string]>([
    ['of 200 MB', document('a.pdf', '%PDF', { sizeBytes: 200e6 }), '“a.pdf” is larger than 20 MB'],
    ['of 10,000 pages', document('b.pdf', makePdf(PAGES)), '“b.pdf” is too long'],
    ['with a password', document('c.pdf', makePdf(['x'], { isEncrypted: true })), 'password'],
    ['that is damaged', document('d.docx', 'PK'), 'damaged, or not what its name says'],
    ['that is blank', document('e.txt', ' \n '), 'no text in “e.txt”'],
    ['that is no text', document('f.txt', Buffer.from([0, 1, 2])), 'not what its name says'],
    ['with a name that is markup', document('*g*<i>.txt', ' '), 'no text in “*g*<i>.txt”'],
  ])('%s', async (_, content, sentence) => {
    const setup = await startAnswering()

    setup.playground.userSends({ userId: ANNA, ...content, caption: 'What is this?' })
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 1)

    expect(setup.textsIn(ANNA)[0]).toContain(sentence)
    expect(setup.textsIn(ANNA)[0]).toContain('Nothing was charged.')
    expect(setup.service.completions).toEqual([])
    expect(await turns(setup)).toEqual([])
  })
})

describe('a file that makes a message dear', () => {
  /** A text of about 36,000 tokens, which are 5.40 ₽. */
  const LONG = 'The quick brown fox jumps over the lazy dog. '.repeat(4_500)

  test('is asked about with its price, and answered once its user agrees', async () => {
    const setup = await startAnswering()

    setup.playground.userSends({ userId: ANNA, ...document('a.txt', LONG), caption: 'Sum it up' })
    await ended(setup)

    expect(setup.textsIn(ANNA)).toEqual([expect.stringMatching(/will cost about ₽5\.\d\d, plus/)])
    expect(labels(setup, ANNA)).toEqual([['Answer', 'Don’t answer']])
    expect(setup.service.completions).toEqual([])
    await press(setup, 'Answer')
    await ended(setup, 2)
    expect(setup.textsIn(ANNA)[0]).toMatch(/^Hello!/)
    expect(prompt(setup)).toMatch(/^Sum it up\n/)
  })
})

test('after a crash a message with a file is answered once, and the file not fetched again', async () => {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  setup.playground.userSends({ userId: ANNA, ...document('a.txt', 'b'), caption: 'What?' })
  await setup.service.next()
  await bot.kill()

  setup.service.onCompletion((completion) => completion.answer('Hello!'))
  await setup.startBot()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual(['Hello!'])
  expect(prompt(setup)).toBe(`What?\n\n${fileOf('a.txt', 'b')}`)
  expect(setup.playground.calls.filter(({ method }) => method === 'getFile')).toHaveLength(1)
})

test('a file that Telegram does not give is asked for once more', async () => {
  const setup = await startAnswering()
  setup.playground.fault({ kind: '500', method: 'getFile', times: 2 })

  setup.playground.userSends({ userId: ANNA, ...document('a.txt', 'b') })
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 1)

  expect(setup.textsIn(ANNA)).toEqual([expect.stringContaining('Send it again.')])
})

test('the address of a file, which holds the token, stands nowhere but in the fetch', async () => {
  const setup = await createBotSetup()
  setup.service.onCompletion((completion) => completion.answer('Hello!'))
  const bot = await setup.startBot()

  setup.playground.userSends({ userId: ANNA, ...document('a.txt', 'b'), caption: 'What?' })
  await ended(setup)

  const [, secret = ''] = setup.playground.token.split(':')
  const asked = JSON.stringify(setup.service.completions.map(({ request }) => request))
  const stored = JSON.stringify(await setup.database.prisma.message.findMany(), (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  for (const text of [asked, stored, bot.logged(), JSON.stringify(setup.textsIn(ANNA))]) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain('/file/bot')
  }
})

function fileOf(name: string, text: string): string {
  return `File “${name}”:\n\`\`\`\n${text}\n\`\`\``
}
