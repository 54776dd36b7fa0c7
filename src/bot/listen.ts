import { Composer, type Context } from 'grammy'
import type { Message } from 'grammy/types'
import type { Logger } from 'pino'
import type { Access } from './access/access.ts'
import { languageOf, type Users } from './access/users.ts'
import { readAddress } from './addressing/address.ts'
import { placeOf } from './addressing/place.ts'
import { type BotContext, hasSender } from './addressing/sender.ts'
import type { Chats } from './chats/chats.ts'
import { errorFacts } from './error-facts.ts'
import { ChatUnreachableError, SendOutcomeUnknownError } from './telegram/errors.ts'
import type { Outbox } from './telegram/outbox.ts'
import type { Texts } from './texts.ts'

export interface ListenDeps {
  access: Access
  users: Users
  chats: Chats
  outbox: Pick<Outbox, 'send' | 'answerButton'>
  texts: Texts
  log: Logger
  commands: Composer<BotContext>
  answerText: (ctx: BotContext & { message: Message & { text: string } }) => Promise<void>
}

/** What is read but not understood. */
const OTHER_MESSAGES = [
  'message:file',
  'message:location',
  'message:contact',
  'message:poll',
  'message:dice',
  'message:game',
  'message:story',
  'message:paid_media',
  'message:checklist',
  'message:rich_message',
] as const

/**
 * What becomes of an update: who sent it, whether it is meant for the bot, whether they may talk to
 * it, and which room answers. In groups everything else is met with silence.
 */
export function createListener(deps: ListenDeps): Composer<Context> {
  const { access, users, chats, outbox, texts, log } = deps
  const listener = new Composer<Context>()
  listener.on('my_chat_member', ({ myChatMember: { chat, date, new_chat_member } }) =>
    chats.noteStatus(chat.id, new_chat_member.status, new Date(date * 1000)),
  )
  const heard = listener.filter(isMeantForBot).filter(hasSender)
  const insiders = heard.filter(async (ctx) => {
    const user = await users.meet(ctx.sender)
    ctx.sender.languageCode = languageOf(user)
    const standing = access.standingOf(user)
    if (standing === 'outsider') await turnAway(ctx)
    return standing === 'insider'
  })
  insiders.use(deps.commands)
  insiders.on('message:text', (ctx) => deps.answerText(ctx))
  insiders.chatType('private').on([...OTHER_MESSAGES], async (ctx) => {
    const albumId = ctx.message.media_group_id
    const isAnswered = albumId !== undefined && !(await chats.isNewAlbum(ctx.chat.id, albumId))
    if (!isAnswered) await say(ctx, 'text-only')
  })
  return listener

  /** One sentence; in a group only for who called the bot by its name, and seldom. */
  async function turnAway(ctx: BotContext): Promise<void> {
    const { callbackQuery, message } = ctx
    if (callbackQuery !== undefined) {
      const notice = texts.t(ctx.sender.languageCode, 'outsider')
      return outbox.answerButton(callbackQuery.id, notice)
    }
    if (message === undefined) return
    if (message.chat.type === 'private') return say(ctx, 'outsider')
    const isCalled = readAddress(message, ctx.me) === 'command'
    if (isCalled && (await chats.mayHint(message.chat.id))) await say(ctx, 'outsider')
  }

  async function say({ message, sender }: BotContext, key: string): Promise<void> {
    if (message === undefined) return
    const { chatId, threadId } = placeOf(message)
    try {
      await outbox.send({ chatId, threadId, text: texts.t(sender.languageCode, key) })
    } catch (error) {
      const isLost =
        error instanceof ChatUnreachableError || error instanceof SendOutcomeUnknownError
      if (!isLost) throw error
      log.info({ ...errorFacts(error), chatId }, 'sentence maybe not shown')
    }
  }
}

function isMeantForBot(ctx: Context): boolean {
  const { msg, chat } = ctx
  if (ctx.callbackQuery !== undefined || chat?.type === 'private') return true
  return msg !== undefined && chat?.type !== 'channel' && readAddress(msg, ctx.me) !== undefined
}
