/** `/stop` and `/retry`: ends the answer that is being written, or answers the last message again. */
import { ServiceError } from '../../contract/client/service-error.ts'
import type { Replies } from '../conversations/replies.ts'
import { type Models, toUnavailableText } from '../models.ts'
import { messageOrigin } from '../telegram/addressing.ts'
import { markCode } from '../texts/marks.ts'
import { type Command, type CommandDefinition, findNamed } from './command.ts'

const STOP_ANSWERS = {
  stopped: 'stop-done',
  nothing: 'stop-nothing',
  not_yours: 'turn-not-yours',
} as const

const RETRY_REFUSALS = {
  not_yours: 'turn-not-yours',
  running: 'retry-running',
  nothing: 'retry-nothing',
} as const

export const stopCommand: CommandDefinition<{ replies: Pick<Replies, 'stop'> }> = {
  name: 'stop',
  audience: 'everybody',
  async handle({ replies }, command) {
    const { chatId, threadId, t, answer } = command
    const outcome = await replies.stop({ chatId, threadId }, actorOf(command))
    await answer(t(STOP_ANSWERS[outcome]))
  },
}

interface RetryApp {
  models: Pick<Models, 'load'>
  replies: Pick<Replies, 'retry'>
}

/** Answers the last message again, with the named model if there is any. */
export const retryCommand: CommandDefinition<RetryApp> = {
  name: 'retry',
  audience: 'everybody',
  usage: '[model]',
  async handle({ models, replies }, command) {
    const { chatId, threadId, messageId, argument, t, answer, runTurn } = command
    const model = argument === '' ? undefined : await findModel(models, command)
    if (argument !== '' && model === undefined) return
    await runTurn(async () => {
      const originKey = messageOrigin(chatId, messageId)
      const request = { chatId, threadId, originKey, model, actor: actorOf(command) }
      const outcome = await replies.retry(request)
      if (outcome !== 'started') await answer(t(RETRY_REFUSALS[outcome]))
    })
  },
}

function actorOf({ user, isAdmin }: Command) {
  return { userId: user.id, isAdmin }
}

/** @returns Undefined if the words do not match one model; the user then has an answer. */
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
