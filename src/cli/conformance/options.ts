/**
 * A rule's need: `nothing` costs nothing at a service that keeps the rules, as it reads, or sends what is to be
 * refused. The others cost money, time or an address, and an option asks for each.
 */
export type Need = 'nothing' | 'chat' | 'task' | 'video' | 'receiver' | 'limits'

/** The options of a run: what it checks besides the rules that cost nothing. */
export interface ConformanceOptions {
  /** Only what costs nothing. */
  isFree: boolean
  /** A paid clip. */
  withVideo: boolean
  /** More requests than are allowed, to see that they are refused. */
  withLimits: boolean
  /** The URL at which callbacks of the service reach this process. */
  callbackUrl: string | undefined
  /** A key of another account, which may not see the tasks of this one. */
  otherApiKey: string | undefined
  /** A public name that leads to a private address: no callback may go there. */
  privateName: string | undefined
  /** The chat model to ask; the cheapest by default. */
  model: string | undefined
  /** A creation endpoint besides the videos', and a body that it takes. */
  creation: { path: string; body: Record<string, unknown> }
}

/** @returns The reason why a rule with that need is skipped; undefined if it is judged. */
export function findSkipReason(need: Need, options: ConformanceOptions): string | undefined {
  switch (need) {
    case 'nothing':
      return undefined
    case 'chat':
    case 'task':
      return options.isFree ? 'it costs money: --free' : undefined
    case 'video':
      if (options.isFree) return 'it costs money: --free'
      return options.withVideo ? undefined : 'it costs a clip: --video'
    case 'receiver':
      if (options.isFree) return 'it costs money: --free'
      return options.callbackUrl === undefined ? 'it needs an address: --callback-url' : undefined
    case 'limits':
      if (options.isFree) return 'it costs money: --free'
      return options.withLimits ? undefined : 'it uses up what a minute allows: --limits'
  }
}
