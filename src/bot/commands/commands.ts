import { Composer } from 'grammy'
import type { Message } from 'grammy/types'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { ServiceClient } from '../../client/service-client.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import type { Clock } from '../../time/clock.ts'
import type { Access } from '../access/access.ts'
import type { Admissions } from '../access/admissions.ts'
import type { AccessRequests } from '../access/requests.ts'
import type { Users } from '../access/users.ts'
import { threadOf } from '../addressing/chat-thread.ts'
import { readCommand } from '../addressing/read-command.ts'
import type { BotContext, Sender } from '../addressing/sender.ts'
import {
  type ConversationSizesDeps,
  createConversationSizes,
} from '../conversation/conversation-size.ts'
import type { Conversations } from '../conversation/conversations.ts'
import { createInstructions } from '../conversation/instructions.ts'
import { createTranscripts } from '../conversation/transcript.ts'
import { createEraseUser, type EraseUserDeps } from '../erase/erase-user.ts'
import type { Texts } from '../locales/texts.ts'
import type { Orders } from '../media/orders.ts'
import { createCostNote } from '../spend/cost-note.ts'
import { createSpendReports } from '../spend/reports.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'
import { sendBestEffort } from '../telegram/outbox/send-best-effort.ts'
import { ACCESS_DATA, createAccessCommand } from './access.ts'
import { createBalance } from './balance.ts'
import type { Command, CommandHandler, Press } from './command.ts'
import { createCostNoteCommand } from './cost-note.ts'
import { createDrafts } from './drafts.ts'
import { createExport } from './export.ts'
import { createForget, FORGET_DATA } from './forget.ts'
import { help } from './help.ts'
import { createHistory, HISTORY_DATA } from './history.ts'
import { createLanguage, LANGUAGE_DATA } from './language.ts'
import { createModel, MODEL_DATA, MODELS_PAGE_DATA, type ModelDeps } from './model.ts'
import { createNew } from './new.ts'
import { createSpend } from './spend.ts'
import { start } from './start.ts'
import { createStop } from './stop.ts'
import { createSystem, SYSTEM_DATA } from './system.ts'
import { createUsage } from './usage.ts'
import { type ClipPrices, createVideo } from './video.ts'

export interface CommandsDeps {
  prisma: PrismaClient
  /** The same database in plain SQL. */
  pool: Pool
  service: Pick<ServiceClient, 'balance'>
  models: ConversationSizesDeps['models'] & ModelDeps['models']
  outbox: Pick<Outbox, 'send' | 'sendDocument' | 'edit' | 'answerButton'>
  conversations: Conversations
  stopTurn: EraseUserDeps['stopTurn']
  orders: Pick<Orders, 'place'>
  access: Access
  users: Pick<Users, 'chooseLanguage' | 'usesDrafts' | 'chooseDrafts'>
  admissions: Pick<Admissions, 'list'>
  requests: Pick<AccessRequests, 'set'>
  settings: {
    adminIds: ReadonlySet<number>
    allowedUserIds: ReadonlySet<number>
    systemPrompt?: string | undefined
    timeZone: string
    clipPricesMicroRub?: ClipPrices | undefined
  }
  texts: Texts
  log: Logger
  now?: () => Date
  clock: Clock
}

type PressHandler = (press: Press) => Promise<void>

/**
 * Handles every message that begins with a command, and the buttons below its answers.
 *
 * A command for another bot is passed over, one that nobody knows is answered with a sentence, and
 * to everybody else an admin's command is one that nobody knows. All other updates go on.
 */
export function createCommands(deps: CommandsDeps): Composer<BotContext> {
  const { prisma, outbox, access, settings, texts, log } = deps
  const { now = () => new Date() } = deps
  const { timeZone, systemPrompt } = settings
  const reports = createSpendReports({ prisma, timeZone, now })
  const transcripts = createTranscripts(prisma)
  const instructions = createInstructions(prisma)
  const reading = { ...deps, transcripts, timeZone, now }
  const models = createModel(deps)
  const language = createLanguage(deps)
  const accessList = createAccessCommand(deps)
  const instruction = createSystem({ outbox, instructions })
  const history = createHistory(reading)
  const eraseUser = createEraseUser(deps)
  const erasure = createForget({ eraseUser, outbox, now })
  const handlers = new Map<string, CommandHandler>([
    ['start', start],
    ['help', help],
    ['new', createNew({ ...deps, instructions })],
    ['model', models.model],
    ['stop', createStop(deps)],
    ['language', language.language],
    ['drafts', createDrafts(deps)],
    ['forget', erasure.forget],
    ['system', instruction.system],
    ['history', history.history],
    ['export', createExport(reading)],
    ['usage', createUsage({ reports, sizes: createConversationSizes({ ...deps, systemPrompt }) })],
    ['video', createVideo({ ...deps, pricesMicroRub: settings.clipPricesMicroRub })],
  ])
  const adminHandlers = new Map<string, CommandHandler>([
    ['balance', createBalance(deps)],
    ['spend', createSpend({ reports })],
    ['access', accessList.access],
    ['costnote', createCostNoteCommand({ costNote: createCostNote(prisma) })],
  ])
  const composer = new Composer<BotContext>()
  composer.on('message:entities:bot_command', async (ctx, next) => {
    const { message, me } = ctx
    const given = readCommand(message)
    if (given === undefined) return next()
    if (given.bot !== undefined && given.bot !== me.username.toLowerCase()) return
    const command = toCommand(message, ctx.sender, given.argument)
    const adminHandler = command.isAdmin ? adminHandlers.get(given.name) : undefined
    // Everybody in a group reads the answer.
    const isTooPublic = adminHandler !== undefined && message.chat.type !== 'private'
    if (isTooPublic) return command.answer(command.t('command-private'))
    const handler = handlers.get(given.name) ?? adminHandler
    // In a group it may be another bot's.
    const isMaybeOthers = given.bot === undefined && message.chat.type !== 'private'
    if (handler === undefined && isMaybeOthers) return
    await (handler ?? answerUnknown)(command)
  })
  onPress([MODEL_DATA, MODELS_PAGE_DATA], models.press)
  onPress(SYSTEM_DATA, instruction.press)
  onPress(HISTORY_DATA, history.press)
  onPress(FORGET_DATA, erasure.press)
  composer.callbackQuery(LANGUAGE_DATA, (ctx) =>
    language.press({
      callbackQueryId: ctx.callbackQuery.id,
      data: ctx.callbackQuery.data,
      userId: ctx.sender.id,
      telegramLanguageCode: ctx.from.language_code,
    }),
  )
  onPress(ACCESS_DATA, accessList.press)
  return composer

  function onPress(data: Parameters<typeof composer.callbackQuery>[0], press: PressHandler): void {
    composer.callbackQuery(data, async ({ callbackQuery, sender }) => {
      const { id: callbackQueryId, message, data = '' } = callbackQuery
      if (message === undefined) return outbox.answerButton(callbackQueryId)
      await press({
        callbackQueryId,
        data,
        message: { chatId: message.chat.id, messageId: message.message_id },
        ...threadOf(message),
        user: sender,
        t: (key, variables) => texts.t(sender.languageCode, key, variables),
      })
    })
  }

  function toCommand(message: Message, sender: Sender, argument: string): Command {
    const thread = threadOf(message)
    // A command can be typed again; a second answer would only confuse.
    const once = { chatId: thread.chatId, ifLost: 'command maybe not answered', log }
    return {
      ...thread,
      messageId: message.message_id,
      user: sender,
      isAdmin: access.isAdmin(sender.id),
      argument,
      t: (key, variables) => texts.t(sender.languageCode, key, variables),
      answer: (text, extras) =>
        sendBestEffort(() => outbox.send({ ...thread, text, ...extras }), once),
      answerFile: (file) => sendBestEffort(() => outbox.sendDocument({ ...thread, ...file }), once),
    }
  }
}

async function answerUnknown({ t, answer }: Command): Promise<void> {
  await answer(t('unknown-command'))
}
