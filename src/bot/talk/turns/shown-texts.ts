import type { Logger } from 'pino'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { errorFacts } from '../../telegram/error-facts.ts'

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

export interface ShownTextsDeps {
  prisma: Pick<PrismaClient, '$executeRawUnsafe'>
  leaseOwner: number
  clock: Clock
  log: Logger
  /** Has all texts written at once. */
  signal: AbortSignal
}

/**
 * Records how far the replies of this process are seen as they grow, all of them in one statement.
 *
 * Invariant: a write only makes the shown text of a turn that is answered here longer. So it may come late, and it
 * may get lost with a process or a connection: the next one brings the row up. `Turns.recordShown()` records that a
 * reply has begun to show, and in which messages; the reply waits for that.
 */
export function createShownTexts(deps: ShownTextsDeps) {
  const { prisma, leaseOwner, clock, log, signal } = deps
  let texts = new Map<bigint, string>()
  let written = Promise.resolve()
  return {
    /** Never waits and never throws. */
    record: (turnId: bigint, text: string) => {
      if (texts.size === 0) void writeLater()
      texts.set(turnId, text)
    },
    drop: (turnId: bigint) => void texts.delete(turnId),
    write,
  }

  async function writeLater(): Promise<void> {
    // The end of the process aborts the sleep.
    await clock.sleep(BEHIND_MS_MAX, signal).catch(() => {})
    await write()
  }

  /** Writes one after the other, so that a later one finds no row locked by an earlier one. */
  function write(): Promise<void> {
    written = written.then(writeAll)
    return written
  }

  async function writeAll(): Promise<void> {
    if (texts.size === 0) return
    const ids = [...texts.keys()].map(String)
    const contents = [...texts.values()]
    texts = new Map()
    try {
      await prisma.$executeRawUnsafe(RECORD, ids, contents, leaseOwner)
    } catch (error) {
      log.warn({ ...errorFacts(error), turns: ids.length }, 'growing replies not recorded')
    }
  }
}

export type ShownTexts = ReturnType<typeof createShownTexts>
