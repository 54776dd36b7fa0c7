import type { App } from '../context.ts'
import { errorFacts } from '../telegram/error-facts.ts'

/** How far a row may be behind its chat: a process that dies leaves the text that its chat had half a second ago. */
const BEHIND_MS_MAX = 500

/** Leaves a row that another statement has locked to the next write: no turn waits for another one. */
const RECORD = `
  WITH shown AS (
    SELECT * FROM unnest($1::bigint[], $2::text[]) AS shown (id, text)
  ), own AS (
    SELECT turn.id, shown.text FROM bot.turn JOIN shown USING (id)
    WHERE lease_owner = $3 AND state = 'streaming'
      AND octet_length(shown_text) < octet_length(shown.text)
    ORDER BY turn.id FOR NO KEY UPDATE OF turn SKIP LOCKED
  )
  UPDATE bot.turn SET shown_text = own.text FROM own WHERE turn.id = own.id`

/**
 * Records how far the replies of this process are seen as they grow, all of them in one statement.
 *
 * Invariant: a write only makes the shown text of a turn that is answered here longer. So it may come late, and it
 * may get lost with a process or a connection: the next one brings the row up. `Turns.recordShown()` records that a
 * reply has begun to show, and in which messages; the reply waits for that.
 */
export class ShownTexts {
  readonly #app: Pick<App, 'prisma' | 'leaseOwner' | 'clock' | 'log'>
  /** Aborted when all texts are to be written at once. */
  readonly #signal: AbortSignal
  #texts = new Map<bigint, string>()
  #written = Promise.resolve()

  constructor(
    app: Pick<App, 'prisma' | 'leaseOwner' | 'clock' | 'log'>,
    { signal }: { signal: AbortSignal },
  ) {
    this.#app = app
    this.#signal = signal
  }

  /** Never waits and never throws. */
  record(turnId: bigint, text: string): void {
    if (this.#texts.size === 0) void this.#writeLater()
    this.#texts.set(turnId, text)
  }

  drop(turnId: bigint): void {
    this.#texts.delete(turnId)
  }

  /** Writes one after the other, so that a later one finds no row locked by an earlier one. */
  write(): Promise<void> {
    this.#written = this.#written.then(() => this.#writeAll())
    return this.#written
  }

  async #writeLater(): Promise<void> {
    // The end of the process aborts the sleep.
    await this.#app.clock.sleep(BEHIND_MS_MAX, this.#signal).catch(() => {})
    await this.write()
  }

  async #writeAll(): Promise<void> {
    if (this.#texts.size === 0) return
    const { prisma, leaseOwner, log } = this.#app
    const ids = [...this.#texts.keys()].map(String)
    const contents = [...this.#texts.values()]
    this.#texts = new Map()
    try {
      await prisma.$executeRawUnsafe(RECORD, ids, contents, leaseOwner)
    } catch (error) {
      log.warn({ ...errorFacts(error), turns: ids.length }, 'growing replies not recorded')
    }
  }
}
