/**
 * Why the service charges otherwise than the model billed. Only ends that nobody could know are allowed:
 *
 * - the model told nobody what it counted;
 * - the client left, or the service's process ended, before the count had come;
 * - nothing of the answer could go out: what is refused is given back, and what the model billed for it is ours.
 */

/** What a model does instead of reporting a usage: only it knows its bill. */
export type Untold = 'no usage' | 'no possible usage' | 'broken off'

/** How a hold ended, and how the model did. */
export interface EndedHold {
  endReason: string
  isOut: boolean
  endedAt: Date
  asked: ModelAnswer | undefined
}

/** What is known of one answer of a model. */
export interface ModelAnswer {
  untold: Untold | undefined
  writtenAt?: Date
}

/** What happened to others while a hold was open. */
export interface Hindrances {
  isServiceKilled: boolean
  serviceHinderedAt: Date | undefined
  isClientGone: boolean
}

export interface Reason {
  text: string
  isKnown?: true
}

const ENDING_MS = 2_000

/** Explains a hold that did not end at what the model billed. */
export function explainHold(
  { endReason, isOut, endedAt, asked }: EndedHold,
  { isServiceKilled, serviceHinderedAt, isClientGone }: Hindrances,
): Reason {
  const { untold, writtenAt } = asked ?? {}
  const isCounted = writtenAt !== undefined && untold === undefined
  const untilMs = (serviceHinderedAt ?? endedAt).getTime()
  if (isCounted && untilMs - writtenAt.getTime() > ENDING_MS) {
    return known(`${endReason} although the model had told its count`)
  }
  switch (endReason) {
    case 'counted':
      if (untold === 'no usage') return { text: 'the model told no usage' }
      break
    case 'disbelieved':
      if (untold === 'no possible usage') return { text: 'the model told no possible usage' }
      break
    case 'broken':
      if (untold === 'broken off') return { text: 'the model broke off' }
      break
    case 'left':
      if (isClientGone) return { text: 'the client left before the end' }
      break
    case 'taken_over':
      // It had ended so before: what is kept is the same.
      if (isOut && untold === 'broken off') return { text: 'the model broke off' }
      if (isServiceKilled) {
        const when = isOut ? 'in the middle of the answer' : 'before anything went out'
        return { text: `the service’s process ended ${when}` }
      }
      // Its process was taken for dead, and has refused the answer that it read meanwhile: nothing could be marked.
      if (!isOut && serviceHinderedAt !== undefined) {
        return { text: 'nothing could go out: refused and given back' }
      }
      break
    case 'failed':
      // Given back only where nothing went out, also where the mark that something was about to is stored.
      if (serviceHinderedAt !== undefined || untold === 'broken off') {
        return { text: 'nothing could go out: refused and given back' }
      }
      break
  }
  return known(`a hold that is ${endReason}`)
}

/** Makes a reason that is none. */
export function known(text: string): Reason {
  return { text, isKnown: true }
}
