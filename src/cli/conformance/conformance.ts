import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { describeAnswer, type WireAnswer } from './answer.ts'
import { TooDearError } from './budget.ts'
import { type Estimate, estimateCost, estimateSeconds } from './cost.ts'
import { gatherEvidence } from './evidence.ts'
import { gatherNotes, type Note } from './notes.ts'
import { type ConformanceOptions, findUnseenReason } from './options.ts'
import type { Receiver } from './receiver.ts'
import { type Finding, notSeen, type Rule } from './rule.ts'
import { RULES } from './rules/rules.ts'
import { createScenes } from './scenes/scenes.ts'
import { createWire, NoAnswerError } from './wire.ts'

const TEXT_CHARS_MAX = 160

/** A rule, what became of it, and the requests by which it was judged. */
export interface Result extends Finding {
  rule: string
  requests: RequestSeen[]
}

/** A request to the service, by which its operator finds it. */
export interface RequestSeen {
  method: string
  path: string
  status: number
  /** The service's name of it; null where it gave none. */
  id: string | null
}

/** What a run told. */
export interface Report {
  results: Result[]
  notes: Note[]
  /** Requests to the service. */
  asked: number
  /** What the balance fell by; undefined where it cannot be read. */
  spentMicroRub: bigint | undefined
  seconds: number
}

export interface ConformanceDeps {
  /** Ends in `/api/v1`. */
  baseUrl: string
  apiKey: string
  options: ConformanceOptions
  receiver?: Receiver | undefined
  clock?: Clock
  rules?: readonly Rule[]
}

/** Looks at a service from outside, rule by rule. */
export function createConformance({
  baseUrl,
  apiKey,
  options,
  receiver,
  clock = systemClock,
  rules = RULES,
}: ConformanceDeps) {
  const wire = createWire({ baseUrl, apiKey, clock })
  const scenes = createScenes({ baseUrl, apiKey, wire, options, receiver, clock })
  return { estimate, run, isAsking: wire.isAsking, close: wire.close }

  /**
   * Asks for prices, and estimates what `run()` will take at most.
   *
   * @throws {Error} One sentence for people, if the service is not there or does not let this key in.
   */
  async function estimate(): Promise<Estimate> {
    const answer = await scenes.models().catch((error: Error) => {
      throw new Error(toLine(`Cannot look at the service: ${error.message}`))
    })
    if (answer.status !== 200) {
      throw new Error(toLine(`Cannot list the models of the service: ${describeAnswer(answer)}`))
    }
    if (answer.json === undefined) {
      const { contentType } = answer
      throw new Error(
        toLine(`Cannot list the models of the service: it answered ${contentType || 'no JSON'}`),
      )
    }
    const model = await scenes.findModel()
    const items = estimateCost(options, { model, prices: await scenes.prices() })
    return {
      cost: items.map(({ what, microRub }) => ({ what: toLine(what), microRub })),
      seconds: estimateSeconds(options),
      balanceMicroRub: options.isFree ? undefined : await scenes.account.readBalance(),
    }
  }

  /**
   * Judges every rule that the options allow. Rules wait side by side.
   *
   * @param onResult Called with each result as it is known.
   */
  async function run(onResult: (result: Result) => void = () => {}): Promise<Report> {
    const begunAt = clock.now()
    const before = await readBalances()
    const report = async (rule: Rule): Promise<Result> => {
      const result = await judge(rule)
      onResult(result)
      return result
    }
    const results = await Promise.all(rules.filter(({ isOverAll }) => !isOverAll).map(report))
    for (const rule of rules.filter(({ isOverAll }) => isOverAll)) results.push(await report(rule))
    const notes = await gatherNotes(scenes)
    const after = await readBalances()
    return {
      results,
      notes: notes.map(({ about, seen }) => ({ about, seen: toLine(seen) })),
      asked: wire.answers.length,
      spentMicroRub: before !== undefined && after !== undefined ? before - after : undefined,
      seconds: (clock.now() - begunAt) / 1000,
    }
  }

  /** The balances of all accounts that the run pays from. */
  async function readBalances(): Promise<bigint | undefined> {
    let sum: bigint | undefined = 0n
    for (const account of scenes.accounts) {
      const balance = await account.readBalance().catch(() => undefined)
      sum = balance === undefined || sum === undefined ? undefined : sum + balance
    }
    return sum
  }

  async function judge(rule: Rule): Promise<Result> {
    const reason = findUnseenReason(rule.needs, options)
    const { outcome: finding, answers } = await gatherEvidence(async () => {
      if (reason !== undefined) return notSeen('nothing', reason)
      try {
        return await rule.judge(scenes)
      } catch (error) {
        return toFinding(error)
      }
    })
    const { outcome, asked, seen } = finding
    const requests = answers.map(toRequestSeen)
    return { rule: rule.id, outcome, asked: toLine(asked), seen: toLine(seen), requests }
  }

  function toFinding(error: unknown): Finding {
    if (error instanceof TooDearError) return notSeen('nothing', error.message)
    if (!(error instanceof NoAnswerError)) throw error
    return { outcome: 'failed', asked: 'what the rule asks', seen: error.message }
  }

  function toRequestSeen({ ask: { method, path }, status, requestId }: WireAnswer): RequestSeen {
    return { method, path, status, id: requestId === undefined ? null : toLine(requestId) }
  }

  /** One bounded line, which quotes no key though the service did. */
  function toLine(text: string): string {
    const keys = [apiKey, options.otherApiKey ?? apiKey]
    const masked = keys.reduce((line, key) => line.replaceAll(key, '[key]'), text)
    const line = masked.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
    return line.length > TEXT_CHARS_MAX ? `${line.slice(0, TEXT_CHARS_MAX - 1)}…` : line
  }
}
