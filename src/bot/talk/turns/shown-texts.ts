import type { Logger } from 'pino'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { errorFacts } from '../../telegram/error-facts.ts'

/** So far a note may be behind its chat: the process that dies keeps the text that stood there half a second ago. */
const BEHIND_MS_MAX = 500

/** A row that another statement has locked is left to the next note: no turn's note waits for another turn. */
const NOTE = `
  WITH noted AS (
    SELECT * FROM unnest($1::bigint[], $2::text[]) AS noted (id, text)
  ), own AS (
    SELECT turn.id, noted.text FROM bot.turn JOIN noted USING (id)
    WHERE lease_owner = $3 AND state = 'streaming'
      AND octet_length(shown_text) < octet_length(noted.text)
    ORDER BY turn.id FOR NO KEY UPDATE OF turn SKIP LOCKED
  )
  UPDATE bot.turn SET shown_text = own.text FROM own WHERE turn.id = own.id`

export interface ShownTextsDeps {
  prisma: Pick<PrismaClient, '$executeRawUnsafe'>
  /** This process. */
  leaseOwner: number
  clock: Clock
  log: Logger
  /** Has what is not noted yet noted at once. */
  signal: AbortSignal
}

/**
 * Notes how far the replies of this process are seen as they grow, all of them in one statement.
 *
 * Invariant: a note only makes longer what is noted of a turn that is answered here. So it may come late, and it
 * may get lost with a process or a connection: the next one brings the row up. That a reply has begun to show, and
 * in which messages, is noted by `Turns.recordShown()`, for which the reply waits.
 */
export function createShownTexts(deps: ShownTextsDeps) {
  const { prisma, leaseOwner, clock, log, signal } = deps
  let texts = new Map<bigint, string>()
  let written = Promise.resolve()
  return {
    /** Notes a text within half a second. Never waits and never throws. */
    note: (turnId: bigint, text: string) => {
      if (texts.size === 0) void writeLater()
      texts.set(turnId, text)
    },
    /** Forgets what is not noted yet of a turn: its end tells all of it. */
    drop: (turnId: bigint) => void texts.delete(turnId),
    /** Resolves when what is known by now was written, or could not be. */
    write,
  }

  async function writeLater(): Promise<void> {
    // An end of the process is what the sleep is aborted for.
    await clock.sleep(BEHIND_MS_MAX, signal).catch(() => {})
    await write()
  }

  /** One after the other, so that a later one finds no row locked by an earlier one. */
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
      await prisma.$executeRawUnsafe(NOTE, ids, contents, leaseOwner)
    } catch (error) {
      log.warn({ ...errorFacts(error), turns: ids.length }, 'growing replies not noted')
    }
  }
}

export type ShownTexts = ReturnType<typeof createShownTexts>
