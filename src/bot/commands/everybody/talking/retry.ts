import { ServiceError } from '../../../../contract/client/service-error.ts'
import { markCode } from '../../../locales/marks.ts'
import { type Models, toUnavailableText } from '../../../models/models.ts'
import type { Reply } from '../../../talk/reply/run-turn.ts'
import type { ChatThread } from '../../../telegram/addressing/chat-thread.ts'
import type { UpdateFacts } from '../../../telegram/inbox/leased-handling.ts'
import { messageOrigin } from '../../../telegram/origin-key.ts'
import type { Command, CommandDefinition } from '../../command.ts'
import { findNamed } from '../../find-named.ts'

type RetryRefusal = 'not_yours' | 'running' | 'nothing'

interface RetryDeps {
  models: Pick<Models, 'load'>
  retryTurn(
    request: ChatThread & {
      originKey: string
      model: string | undefined
      actor: { userId: number; isAdmin: boolean }
    },
    facts: UpdateFacts,
  ): Promise<Reply | RetryRefusal>
}

const REFUSALS: Readonly<Record<RetryRefusal, string>> = {
  not_yours: 'turn-not-yours',
  running: 'retry-running',
  nothing: 'retry-nothing',
}

/** Answers the last message again, as the buttons below its answer do; with another model where one is named. */
export const retryCommand: CommandDefinition<RetryDeps> = {
  name: 'retry',
  audience: 'everybody',
  usage: '[model]',
  create: ({ models, retryTurn }) => ({
    async handle(command) {
      const { chatId, threadId, messageId, user, isAdmin, argument, t, answer, runTurn } = command
      const model = argument === '' ? undefined : await findModel(models, command)
      if (argument !== '' && model === undefined) return
      await runTurn(async (facts) => {
        const actor = { userId: user.id, isAdmin }
        const originKey = messageOrigin(chatId, messageId)
        const request = { chatId, threadId, originKey, model, actor }
        const outcome = await retryTurn(request, facts)
        if (typeof outcome !== 'string') return outcome
        await answer(t(REFUSALS[outcome]))
        return undefined
      })
    },
  }),
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
