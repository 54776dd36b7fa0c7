/**
 * What a rule needs to be seen: `nothing` costs nothing at a service that keeps the rules, as it reads, or sends what
 * is to be refused. The others cost money, time, an address or a key, and an option asks for each.
 */
export type Need =
  | 'nothing'
  | 'chat'
  | 'task'
  | 'video'
  | 'receiver'
  | 'limits'
  | 'other key'
  | 'private name'
  | Provocation

/**
 * What an operator can make happen, under a name of the service: a chat that the provider refuses (502), one of which
 * the provider is not there (503), a stream that breaks in the middle, an answer that takes more than was held; a task
 * that fails, and a creation that the provider refuses (502 or 503).
 */
export const PROVOCATIONS = [
  'refused',
  'unavailable',
  'broken',
  'longer',
  'failed',
  'rejected',
] as const
export type Provocation = (typeof PROVOCATIONS)[number]

/** Names by what they provoke: of models, and the prompts of the last two. */
export type Provocations = Readonly<Partial<Record<Provocation, string>>>

/** The names of our own service's built-in configuration. */
export const DEMO_PROVOCATIONS: Provocations = Object.fromEntries(
  PROVOCATIONS.map((provocation) => [provocation, `demo-${provocation}`]),
)

/** The options of a run: what it checks besides the rules that cost nothing. */
export interface ConformanceOptions {
  /** Only what costs nothing. */
  isFree: boolean
  /** A paid clip. */
  withVideo: boolean
  /** More requests than are allowed, to see that they are refused. */
  withLimits: boolean
  /** More tasks, until each state was met. */
  isThorough: boolean
  /** The URL at which callbacks of the service reach this process. */
  callbackUrl: string | undefined
  /** A key of another account, which may not see the tasks of this one, and whose limits are used up. */
  otherApiKey: string | undefined
  /** A public name that leads to a private address: no callback may go there. */
  privateName: string | undefined
  /** The chat model to ask; the cheapest by default. */
  model: string | undefined
  /** A creation endpoint besides the videos', and a body that it takes. */
  creation: { path: string; body: Record<string, unknown> }
  provoke: Provocations
  /** The most that may be spent. */
  mostMicroRub: bigint | undefined
  /** How long the balance may take to move after an answer, or a failed task. */
  settleMs: number
}

/** @returns The reason why a rule with that need cannot be seen; undefined if it is judged. */
export function findUnseenReason(need: Need, options: ConformanceOptions): string | undefined {
  if (need === 'nothing') return undefined
  if (need === 'private name') return given(options.privateName, 'a name', '--private-name')
  if (options.isFree) return 'it costs money: --free'
  switch (need) {
    case 'chat':
    case 'task':
      return undefined
    case 'video':
      return options.withVideo ? undefined : 'it costs a clip: --video'
    case 'receiver':
      return given(options.callbackUrl, 'an address', '--callback-url')
    case 'limits':
      return options.withLimits ? undefined : 'it uses up what a minute allows: --limits'
    case 'other key':
      return given(options.otherApiKey, 'another account', '--other-key')
    default:
      return given(options.provoke[need], 'a name', `--provoke ${need}=NAME`)
  }
}

function given(value: string | undefined, what: string, option: string): string | undefined {
  return value === undefined ? `it needs ${what}: ${option}` : undefined
}
