import { Composer } from 'grammy'
import type { Message } from 'grammy/types'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { AnswerTurn } from '../conversations/answer-message.ts'
import { readPicture } from '../media/pictures.ts'
import { readFormat } from '../people/chats.ts'
import {
  answeredIn,
  type BotContext,
  type ChatThread,
  hasTopics,
  readCommand,
  threadOf,
} from '../telegram/addressing.ts'
import { type FormattingDeps, inBestFormat } from '../telegram/formatting.ts'
import type { Outbox } from '../telegram/send.ts'
import { sendBestEffort, sendPictured } from '../telegram/shortcuts.ts'
import type { Texts } from '../texts/texts.ts'
import type { Command, CommandDefinition, Press, PressHandling } from './command.ts'
import { type Audience, isAmong } from './command.ts'

export interface DispatchApp extends FormattingDeps {
  outbox: Pick<Outbox, 'send' | 'sendMedia' | 'edit' | 'answerButton'>
  answerTurn: AnswerTurn
  prisma: Pick<PrismaClient, 'chat'>
  texts: Texts
}

/**
 * Handles messages and captions that begin with a command, and the buttons below command answers.
 *
 * Ignores commands for other bots and answers unknown commands with a sentence. To users outside its audience a command
 * is unknown. Passes on all other updates.
 */
export function dispatchCommands<App>(
  commands: readonly CommandDefinition<App>[],
  app: App & DispatchApp,
): Composer<BotContext> {
  const { outbox, answerTurn, prisma, richSupport, texts, log } = app
  const formatting = { richSupport, log }
  const byName = new Map(commands.map((command) => [command.name, command]))
  const composer = new Composer<BotContext>()
  composer.on('message::bot_command', async (ctx, next) => {
    const { message, me } = ctx
    const given = readCommand(message)
    if (given === undefined) return next()
    if (given.bot !== undefined && given.bot !== me.username.toLowerCase()) return
    const command = toCommand(ctx, given.argument)
    const known = byName.get(given.name)
    const isGroup = message.chat.type !== 'private'
    if (known !== undefined && isAmong(known.audience, ctx.sender.role)) {
      // Everybody in a group reads the answer.
      const isPrivate = known.audience !== 'everybody' && isGroup
      return isPrivate ? command.answer(command.t('command-private')) : known.handle(app, command)
    }
    // In a group it may be another bot's command.
    const isMaybeOthers = given.bot === undefined && isGroup
    if (!isMaybeOthers) await command.answer(command.t('unknown-command'))
  })
  for (const { audience, presses = [] } of commands) {
    for (const handling of presses) onPress(audience, handling)
  }
  return composer

  function onPress(audience: Audience, { data, press }: PressHandling<App>): void {
    composer.callbackQuery(data, async (ctx) => {
      const { callbackQuery, match, from, sender, me } = ctx
      const { id: callbackQueryId, message } = callbackQuery
      const t: Press['t'] = (key, variables) => texts.t(sender.languageCode, key, variables)
      const notify = (text?: string) => outbox.answerButton(callbackQueryId, text)
      if (message === undefined) return notify()
      if (!isAmong(audience, sender.role)) {
        return notify(t(audience === 'admins' ? 'admins-only' : 'viewers-only'))
      }
      const target = { chatId: message.chat.id, messageId: message.message_id }
      const thread = threadOf(message)
      await press(app, {
        ...thread,
        id: callbackQueryId,
        messageId: message.message_id,
        data: callbackQuery.data,
        match: typeof match === 'string' ? [match] : match,
        user: sender,
        isAdmin: sender.role === 'admin',
        hasTopics: hasTopics(message.chat, me),
        telegramLanguageCode: from.language_code,
        t,
        notify,
        // The user can press again.
        ...answersTo(thread, 'press maybe not answered'),
        runTurn: (run) => answerTurn(ctx, thread, run),
        async edit(body, extras) {
          if (typeof body !== 'function') return void (await outbox.edit(target, body, extras))
          await inBestFormat(formatting, await readFormat(prisma, thread.chatId), (format) =>
            outbox.edit(target, body(format), extras),
          )
        },
      })
    })
  }

  function toCommand(
    ctx: Pick<BotContext, 'update' | 'sender' | 'me'> & { message: Message },
    argument: string,
  ): Command {
    const { message, sender, me } = ctx
    const thread = threadOf(message)
    return {
      ...thread,
      messageId: message.message_id,
      user: sender,
      isAdmin: sender.role === 'admin',
      telegramLanguageCode: message.from?.language_code,
      hasTopics: hasTopics(message.chat, me),
      argument,
      picture: readPicture(message),
      t: (key, variables) => texts.t(sender.languageCode, key, variables),
      // The user can repeat the command; a second answer would confuse.
      ...answersTo({ ...thread, ...answeredIn(message) }, 'command maybe not answered'),
      runTurn: (run) => answerTurn(ctx, thread, run),
    }
  }

  function answersTo(
    thread: ChatThread & { replyToMessageId?: number },
    ifLost: string,
  ): Pick<Command, 'answer' | 'answerFile'> {
    const once = { chatId: thread.chatId, ifLost, log }
    return {
      async answer(body, extras) {
        const send = async () => {
          if (typeof body === 'string')
            return sendPictured(outbox, { ...thread, text: body, ...extras })
          const { keyboard } = extras ?? {}
          return inBestFormat(formatting, await readFormat(prisma, thread.chatId), (format) =>
            outbox.send({ ...thread, ...body(format), keyboard }),
          )
        }
        await sendBestEffort<unknown>(send, once)
      },
      async answerFile(source) {
        const files = [{ type: 'document', source }] as const
        await sendBestEffort(() => outbox.sendMedia({ ...thread, files }), once)
      },
    }
  }
}
