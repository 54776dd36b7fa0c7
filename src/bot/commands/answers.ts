/** `/stop` and `/retry`: ends the answer that is being written, or answers the last message again. */
import { ServiceError } from '../../contract/client/service-error.ts'
import { type Models, toUnavailableText } from '../models.ts'
import type { ChatThread } from '../telegram/addressing.ts'
import { messageOrigin } from '../telegram/origin-key.ts'
import { markCode } from '../texts/marks.ts'
import type { Command, CommandDefinition } from './command.ts'
import { findNamed } from './command.ts'

interface Actor {
  userId: number
  isAdmin: boolean
}

/** `not_yours`: another user asked, and the one who wants it stopped is no admin. */
type StopOutcome = 'stopped' | 'nothing' | 'not_yours'

interface StopApp {
  stopTurn(thread: ChatThread, actor: Actor): Promise<StopOutcome>
}

type RetryRefusal = 'not_yours' | 'running' | 'nothing'

interface RetryApp {
  models: Pick<Models, 'load'>
  retryTurn(
    request: ChatThread & { originKey: string; model: string | undefined; actor: Actor },
  ): Promise<'started' | RetryRefusal>
}

const STOP_ANSWERS: Readonly<Record<StopOutcome, string>> = {
  stopped: 'stop-done',
  nothing: 'stop-nothing',
  not_yours: 'turn-not-yours',
}

const RETRY_REFUSALS: Readonly<Record<RetryRefusal, string>> = {
  not_yours: 'turn-not-yours',
  running: 'retry-running',
  nothing: 'retry-nothing',
}

/** Ends the answer that is being written. Its text so far stays. */
export const stopCommand: CommandDefinition<StopApp> = {
  name: 'stop',
  audience: 'everybody',
  async handle({ stopTurn }, command) {
    const { chatId, threadId, t, answer } = command
    const outcome = await stopTurn({ chatId, threadId }, actorOf(command))
    await answer(t(STOP_ANSWERS[outcome]))
  },
}

/** Answers the last message again, as the buttons below its answer do; with another model where one is named. */
export const retryCommand: CommandDefinition<RetryApp> = {
  name: 'retry',
  audience: 'everybody',
  usage: '[model]',
  async handle({ models, retryTurn }, command) {
    const { chatId, threadId, messageId, argument, t, answer, runTurn } = command
    const model = argument === '' ? undefined : await findModel(models, command)
    if (argument !== '' && model === undefined) return
    await runTurn(async () => {
      const originKey = messageOrigin(chatId, messageId)
      const request = { chatId, threadId, originKey, model, actor: actorOf(command) }
      const outcome = await retryTurn(request)
      if (outcome !== 'started') await answer(t(RETRY_REFUSALS[outcome]))
    })
  },
}

function actorOf({ user, isAdmin }: Command): Actor {
  return { userId: user.id, isAdmin }
}

/** @returns Undefined where what was typed does not mean one model; its user has an answer then. */
async function findModel(
  models: Pick<Models, 'load'>,
  { argument, t, answer }: Command,
): Promise<string | undefined> {
  try {
    const ids = (await models.load()).map(({ id }) => id)
    const named = ids.map((id) => ({ value: id, names: [id] }))
    const meant = findNamed(argument, named)
    if (meant !== undefined) return meant
    const commands = ids.map((id) => markCode(`/retry ${id}`)).join('\n')
    await answer(t('retry-which', { commands }))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    await answer(t(toUnavailableText(error)))
  }
  return undefined
}
