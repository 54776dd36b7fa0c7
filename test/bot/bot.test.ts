import type { Update } from 'grammy/types'
import { describe, expect, test } from 'vitest'
import { ANNA, createBotSetup } from './bot-setup.ts'

describe('who and what is answered', () => {
  test('files, stickers and voices get a sentence, each of its own kind', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    const file = { bytes: new Uint8Array([1]) }

    for (const content of [{ voice: file }, { sticker: file }, { document: file }]) {
      setup.playground.userSends({ userId: ANNA, ...content })
    }
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)

    expect(setup.textsIn(ANNA)).toEqual([
      expect.stringContaining('voice messages'),
      expect.stringContaining('stickers'),
      expect.stringContaining('files of this kind'),
    ])
  })

  test('in a private chat any other kind of message gets a sentence, and what happened there none', async () => {
    const setup = await createBotSetup()
    const bot = await setup.startBot()
    const contents = [{ dice: {} }, { kind_of_next_year: {} }, {}, { pinned_message: {} }]
    for (const [index, content] of contents.entries()) {
      const message = {
        message_id: 100 + index,
        date: Math.floor(Date.now() / 1000),
        chat: { id: ANNA, type: 'private', first_name: 'Anna' },
        from: { id: ANNA, is_bot: false, first_name: 'Anna', language_code: 'en' },
        ...content,
      }
      await bot.receive({ update_id: 1 + index, message } as Update)
    }
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)
    setup.service.onCompletion((completion) => completion.answer('Hello!'))
    setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 4)

    expect(setup.textsIn(ANNA)).toEqual([
      ...Array(3).fill(expect.stringContaining('can’t read messages of this kind')),
      'Hello!',
    ])
  })

  test('a photo is answered with what can be made of it, an album once', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    const photo = { bytes: new Uint8Array([1]) }

    for (const mediaGroupId of ['1', '1', '1', '2']) {
      setup.playground.userSends({ userId: ANNA, photo, mediaGroupId })
    }
    setup.playground.userSends({ userId: ANNA, photo })
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)

    expect(setup.textsIn(ANNA)).toEqual(Array(3).fill(expect.stringContaining('with /video')))
  })

  test('what is kept for a user who blocked the bot is due when they take it back', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    const { prisma } = setup.database
    setup.playground.userSends({ userId: ANNA, text: '/start' })
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 1)
    const { id } = await prisma.order.create({
      data: {
        userId: ANNA,
        chatId: ANNA,
        originKey: 'message 1',
        replyToMessageId: 1,
        kind: 'video',
        params: {},
        label: 'vidgen-720p-5s',
        state: 'ready',
        parkedAt: new Date(),
      },
    })
    const parkedAt = async () => (await prisma.order.findUniqueOrThrow({ where: { id } })).parkedAt
    setup.playground.blocks(ANNA)

    setup.playground.unblocks(ANNA)

    await expect.poll(parkedAt, { timeout: 20_000 }).toBeNull()
  })
})

describe('start()', () => {
  test('waits for Telegram and publishes the commands', async () => {
    const setup = await createBotSetup()
    setup.playground.fault({ kind: '500', method: 'getMe' })
    setup.playground.fault({ kind: 'dropBefore', method: 'deleteWebhook' })

    await setup.startBot({ adminIds: new Set([ANNA]) })

    const scopes = setup.playground.commands().map(({ scope }) => scope.type)
    expect(new Set(scopes)).toEqual(
      new Set(['default', 'all_private_chats', 'all_group_chats', 'chat']),
    )
  })

  test('goes on while the service does not say what it sells; the menus come when it does', async () => {
    const prices = Promise.withResolvers<Record<string, number>>()
    const { playground, startBot } = await createBotSetup({ pricesRub: prices.promise })

    await startBot()
    const early = playground.commands()
    prices.resolve({ imagegen: 5 })

    expect(early).toEqual([])
    const names = () =>
      playground.commands().flatMap(({ commands }) => commands.map((one) => one.command))
    await playground.waitFor(() => names().includes('image'))
    expect(names()).not.toContain('video')
  })

  test('ends with a clear error when Telegram does not know the token', async () => {
    const setup = await createBotSetup()
    setup.playground.fault({ kind: 'unauthorized', method: 'getMe' })

    await expect(setup.startBot()).rejects.toThrow('refuses BOT_TOKEN')
  })

  test('the bot fails when its token is revoked while it runs', async () => {
    const setup = await createBotSetup()
    const bot = await setup.startBot()
    setup.playground.fault({ kind: 'unauthorized', method: 'getUpdates' })
    setup.playground.userSends({ userId: ANNA, text: '/help' })

    await expect(bot.whenFailed).rejects.toThrow('refuses BOT_TOKEN')
  })

  test('says so when there is no service to ask for models', async () => {
    const setup = await createBotSetup()
    await setup.service.close()
    await setup.startBot()

    setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 1)

    expect(setup.textsIn(ANNA)).toEqual([expect.stringContaining('no answer right now')])
  })
})
