import type { Logger } from 'pino'
import { errorFacts } from '../../telegram/error-facts.ts'
import { CallRefusedError, FormattingRefusedError } from '../../telegram/errors.ts'
import type { RichSupport } from './rich-support.ts'

/** How a reply looks: a rich message, a text with entities, or its plain words. */
export type Formatting = 'rich' | 'entities' | 'none'

/** One odd beginning of a reply shall not cost all of it its formatting. */
const INTERIM_REFUSALS_MAX = 3
const BAD_REQUEST = 400

export interface ReplyFormattingDeps {
  richSupport: RichSupport
  log: Logger
}

/** Chooses how a reply is formatted: as well as Telegram takes it. Delivery beats formatting. */
export function createReplyFormatting({ richSupport, log }: ReplyFormattingDeps) {
  let current: Formatting | undefined
  let interimRefusals = 0
  return { current: choose, refused }

  function choose(): Formatting {
    current ??= richSupport.isExpected() ? 'rich' : 'entities'
    return current
  }

  /**
   * Takes notice of a call that failed.
   *
   * @param isInterim Whether it showed what nobody would miss: the next text may be taken again.
   * @throws The error, if other formatting would not help.
   */
  function refused(error: unknown, { isInterim }: { isInterim: boolean }): void {
    const formatting = choose()
    if (formatting === 'none' || !isAboutContent(error)) throw error
    const isUnsupported = error instanceof FormattingRefusedError && error.isUnsupported
    if (isUnsupported) richSupport.noteMissing()
    else if (isInterim && ++interimRefusals < INTERIM_REFUSALS_MAX) return
    interimRefusals = 0
    current = formatting === 'rich' ? 'entities' : 'none'
    log.warn({ ...errorFacts(error), formatting, instead: current }, 'formatting refused')
  }
}

/** A refusal that nobody expects may be about the formatting as well. */
function isAboutContent(error: unknown): boolean {
  if (error instanceof FormattingRefusedError) return true
  return error instanceof CallRefusedError && error.status === BAD_REQUEST
}
