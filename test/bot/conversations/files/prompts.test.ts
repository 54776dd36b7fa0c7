import { describe, expect, test } from 'vitest'
import type { GivenContent, UserFile } from '../../../../src/playground/control/user-content.ts'
import { ANNA, BORIS, createBotSetup, shareBot } from '../../bot-setup.ts'
import { labels, press } from '../buttons.ts'
import { ended, turns } from '../ended.ts'
import { encode, encodeUtf16 } from './encode.ts'
import { makeDocx } from './make-docx.ts'
import { makePdf } from './make-pdf.ts'

const GROUP = -5
const NAME = '@kopeck_playground_bot'
const PHOTO = { bytes: new Uint8Array([1]) }

const addUser = shareBot()

function document(fileName: string, bytes: Uint8Array | string, more: Partial<UserFile> = {}) {
  return { document: { fileName, bytes: Buffer.from(bytes as string), ...more } }
}

interface Sent extends GivenContent {
  replyToMessageId?: number
  mediaGroupId?: string
  forwardFrom?: string
}

/** Adds a user, whose questions are answered with "Hello!". */
function addAsker() {
  const user = addUser()
  const { playground, service, textsIn, userId } = user
  const before = service.completions.length
  service.onCompletion((completion) => completion.answer('Hello!'))
  return {
    ...user,
    completions: () => service.completions.slice(before),
    prompt: () => service.completions.slice(before).at(-1)?.prompt,
    texts: () => textsIn(userId),
    ended: (count = 1) => ended(user, count, userId),
    sends: (sent: Sent) => playground.userSends({ userId, ...sent }).message_id,
  }
}

describe('the prompt that reaches the service', () => {
  test.each<[string, GivenContent, string]>([
    [
      'a text',
      document('notes.md', '# Plan\n\nEat.'),
      'File “notes.md”:\n```\n# Plan\n\nEat.\n```',
    ],
    ['a text in CP1251', document('b.csv', encode('имя;сумма', 'windows-1251')), 'имя;сумма'],
    ['a text in UTF-16', document('d.txt', encodeUtf16('Привет', 'be')), 'Привет'],
    ['code with fences', document('e.md', '```js\n1\n```'), '````\n```js\n1\n```\n````'],
    ['a PDF', document('f.pdf', makePdf(['one', 'two'])), 'File “f.pdf”:\n```\none\n\ntwo\n```'],
    ['a Word document', document('g.docx', makeDocx(['Раз', 'A &lt;b&gt;'])), 'Раз\n\nA <b>'],
    [
      'a name that is markup',
      document('<b>*x*</b>`\u202e.txt', 'y'),
      'File “<b>*x*</b>` .txt”:\n```\ny',
    ],
  ])('has the text of %s', async (_, content, text) => {
    const asker = addAsker()

    asker.sends(content)
    await asker.ended()

    expect(asker.prompt()).toContain(text)
    expect(asker.texts()).toEqual(['Hello!'])
  })

  test('has the caption in front of the file, and the next question has both', async () => {
    const asker = addAsker()

    asker.sends({ ...document('a.txt', 'b'), caption: 'What is this?' })
    await asker.ended()
    asker.sends({ text: 'And now?' })
    await asker.ended(2)

    expect(asker.completions()[1]?.request.messages).toEqual([
      { role: 'user', content: `What is this?\n\n${fileOf('a.txt', 'b')}` },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'And now?' },
    ])
  })

  test.each<[string, GivenContent, string, string]>([
    ['a picture', { photo: PHOTO }, 'A picture came with this', 'I can’t see pictures'],
    ['a voice message', { voice: PHOTO }, 'A voice message came', 'listen to voice messages'],
    ['a picture sent as a file', document('a.png', 'x'), 'A picture came', 'I can’t see pictures'],
    ['an archive', document('a.zip', 'x'), 'A file came with this', 'files of this kind'],
    ['a huge video', { video: { ...PHOTO, sizeBytes: 2e9 } }, 'A video', 'I can’t watch videos'],
  ])('is the caption of %s, and the answer says so', async (_, content, description, answer) => {
    const asker = addAsker()

    asker.sends({ ...content, caption: 'Who is this?' })
    await asker.ended()

    expect(asker.prompt()).toMatch(/^Who is this\?\n\n\(/)
    expect(asker.prompt()).toContain(description)
    const [text, ...others] = asker.texts()
    expect(text).toMatch(/^Hello!\n/)
    expect(text).toContain(answer)
    expect(text).toContain('your caption as the question')
    expect(others).toEqual([])
  })

  test('is one for an album, with every caption and every file', async () => {
    const asker = addAsker()
    const mediaGroupId = '1'

    asker.sends({ mediaGroupId, ...document('a.txt', 'one'), caption: 'Compare' })
    asker.sends({ mediaGroupId, ...document('b.txt', 'two') })
    asker.sends({ mediaGroupId, ...document('c.txt', 'three'), caption: 'this too' })
    await asker.ended()

    const files = [fileOf('a.txt', 'one'), fileOf('b.txt', 'two'), fileOf('c.txt', 'three')]
    expect(asker.completions()).toHaveLength(1)
    expect(asker.prompt()).toBe(['Compare', 'this too', ...files].join('\n\n'))
  })

  test('is one for a comment and the file that was forwarded with it', async () => {
    const asker = addAsker()

    asker.sends({ text: 'Is this true?' })
    asker.sends({ ...document('a.txt', 'b'), forwardFrom: 'Someone' })
    await asker.ended()

    expect(asker.prompt()).toBe(`Is this true?\n\n${fileOf('a.txt', 'b')}`)
  })

  test('has the file that a question answers, once', async () => {
    const asker = addAsker()
    const replyToMessageId = asker.sends({ ...document('a.txt', 'b'), caption: 'What is this?' })
    await asker.ended()

    asker.sends({ text: 'And why?', replyToMessageId })
    await asker.ended(2)
    expect(asker.prompt()).toContain('(This is about the file “a.txt” above.)')
    asker.sends({ text: '/new' })
    asker.sends({ text: 'And now?', replyToMessageId })
    await asker.ended(3)

    expect(asker.prompt()).toContain(`And now?\n\n${fileOf('a.txt', 'b')}`)
  })

  test('has the new caption of a file that is answered again, and the file', async () => {
    const asker = addAsker()
    const { playground, userId } = asker
    const messageId = asker.sends({ ...document('a.txt', 'b'), caption: 'Waht?' })
    await asker.ended()

    playground.userEdits({ userId, messageId, text: 'What?' })
    await press(asker, 'Answer again from here', { userId })
    await asker.ended(3)

    expect(asker.prompt()).toBe(`What?\n\n${fileOf('a.txt', 'b')}`)
  })
})

test('in a group a caption that names the bot is a question, and so is the name in reply to a file', async () => {
  const asker = addAsker()
  const { playground } = asker
  playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  playground.setBotStatus(GROUP, 'administrator')
  const asked = { userId: ANNA, chatId: GROUP }

  const { message_id: replyToMessageId } = playground.userSends({
    ...asked,
    ...document('a.pdf', makePdf(['the text'])),
    caption: 'for you all',
  })
  playground.userSends({ ...asked, ...document('c.txt', 'd'), caption: `${NAME} and this?` })
  await ended(asker, 1, GROUP)
  playground.userSends({ userId: BORIS, chatId: GROUP, text: NAME, replyToMessageId })
  await ended(asker, 2, GROUP)

  const [first, second] = asker.completions().map(({ prompt }) => prompt)
  expect(first).toBe(`Anna: and this?\n\n${fileOf('c.txt', 'd')}`)
  expect(second).toContain('Файл «a.pdf»:\n```\nthe text\n```')
})

describe('a file without a text for the model gets a sentence, and nothing is asked or charged', () => {
  test.each<[string, GivenContent, string]>([
    ['of 200 MB', document('a.pdf', '%PDF', { sizeBytes: 200e6 }), '“a.pdf” is larger than 20 MB'],
    ['with a password', document('c.pdf', makePdf(['x'], { isEncrypted: true })), 'password'],
    ['that is damaged', document('d.docx', 'PK'), 'damaged, or not what its name says'],
    ['with a name that is markup', document('*g*<i>.txt', ' '), 'no text in “*g*<i>.txt”'],
  ])('%s', async (_, content, sentence) => {
    const asker = addAsker()

    asker.sends({ ...content, caption: 'What is this?' })
    await asker.playground.waitFor(() => asker.texts().length === 1)

    expect(asker.texts()[0]).toContain(sentence)
    expect(asker.texts()[0]).toContain('Nothing was charged.')
    expect(asker.completions()).toEqual([])
    expect(await turns(asker, asker.userId)).toEqual([])
  })
})

test('a file that makes a message dear is asked about with its price, and answered once its user agrees', async () => {
  const asker = addAsker()
  // About 36,000 tokens, which are 5.40 ₽.
  const long = 'The quick brown fox jumps over the lazy dog. '.repeat(4_500)

  asker.sends({ ...document('a.txt', long), caption: 'Sum it up' })
  await asker.ended()

  expect(asker.texts()).toEqual([expect.stringMatching(/will cost about ₽5\.\d\d, plus/)])
  expect(labels(asker, asker.userId)).toEqual([['Answer', 'Don’t answer']])
  expect(asker.completions()).toEqual([])
  await press(asker, 'Answer', { userId: asker.userId })
  await asker.ended(2)
  expect(asker.texts()[0]).toMatch(/^Hello!/)
  expect(asker.prompt()).toMatch(/^Sum it up\n/)
})

test('a file that Telegram does not give is asked for once more', async () => {
  const asker = addAsker()
  asker.playground.fault({ kind: '500', method: 'getFile', times: 2 })

  asker.sends(document('a.txt', 'b'))
  await asker.playground.waitFor(() => asker.texts().length === 1)

  expect(asker.texts()).toEqual([expect.stringContaining('Send it again.')])
})

test('the address of a file, which holds the token, stands nowhere but in the fetch', async () => {
  const asker = addAsker()

  asker.sends({ ...document('a.txt', 'b'), caption: 'What?' })
  await asker.ended()

  const [, secret = ''] = asker.playground.token.split(':')
  const asked = asker.completions().map(({ request }) => request)
  const stored = await asker.database.prisma.message.findMany({ select: { content: true } })
  for (const text of [asked, stored, asker.bot.logged(), asker.texts()].map((one) =>
    JSON.stringify(one),
  )) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain('/file/bot')
  }
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
  expect(setup.service.completions.at(-1)?.prompt).toBe(`What?\n\n${fileOf('a.txt', 'b')}`)
  expect(setup.playground.calls.filter(({ method }) => method === 'getFile')).toHaveLength(1)
})

function fileOf(name: string, text: string): string {
  return `File “${name}”:\n\`\`\`\n${text}\n\`\`\``
}
