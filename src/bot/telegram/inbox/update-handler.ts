import type { Update } from 'grammy/types'
import type { Released, UpdateFacts } from './leased-handling.ts'

/**
 * Hands updates of the inbox to grammY, which passes on nothing but the update: its handlers find here what the
 * inbox knows of it, and leave here what it is to wait for.
 */
export function createUpdateHandler(bot: { handleUpdate: (update: Update) => Promise<void> }) {
  const facts = new WeakMap<Update, UpdateFacts & Released>()
  return { handle, factsOf }

  /** An update is handled when nothing of it is left to be done, even if its chat went on before. */
  async function handle(update: Update, given: UpdateFacts): Promise<Released> {
    const own: UpdateFacts & Released = { ...given }
    facts.set(update, own)
    await bot.handleUpdate(update)
    return own
  }

  /** @throws {TypeError} If the update did not come by `handle()`. */
  function factsOf(update: Update): UpdateFacts & Released {
    const own = facts.get(update)
    if (own === undefined) throw new TypeError('Cannot handle update: the inbox does not know it')
    return own
  }
}
