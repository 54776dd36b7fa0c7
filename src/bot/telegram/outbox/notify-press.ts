import type { Texts } from '../../locales/texts.ts'
import type { BotContext } from '../addressing/sender.ts'
import type { Outbox } from './outbox.ts'

/** Ends the waiting state of a button, with a short text in its user's language if a key of one is given. */
export function createNotifyPress({
  outbox,
  texts,
}: {
  outbox: Pick<Outbox, 'answerButton'>
  texts: Texts
}) {
  return async function notifyPress(
    ctx: Pick<BotContext, 'sender'> & { callbackQuery: { id: string } },
    key?: string,
  ): Promise<void> {
    const notice = key === undefined ? undefined : texts.t(ctx.sender.languageCode, key)
    await outbox.answerButton(ctx.callbackQuery.id, notice)
  }
}

export type NotifyPress = ReturnType<typeof createNotifyPress>
