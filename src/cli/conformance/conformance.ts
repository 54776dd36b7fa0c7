import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { type CostItem, estimateCost } from './cost.ts'
import { gatherNotes, type Note } from './notes.ts'
import { type ConformanceOptions, findSkipReason } from './options.ts'
import type { Receiver } from './receiver.ts'
import type { Finding, Rule } from './rule.ts'
import { RULES } from './rules/rules.ts'
import { createScenes } from './scenes/scenes.ts'
import { createWire, describeAnswer, NoAnswerError } from './wire.ts'

const TEXT_CHARS_MAX = 160

/** A rule, and what became of it. */
export type Result = { rule: string } & Finding

export interface Report {
  results: Result[]
  notes: Note[]
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
  const scenes = createScenes({ baseUrl, wire, options, receiver, clock })
  return { estimate, run, close: wire.close }

  /**
   * Asks for prices, and estimates what `run()` will cost at most.
   *
   * @throws {Error} One sentence for people, if the service is not there or does not let this key in.
   */
  async function estimate(): Promise<CostItem[]> {
    const answer = await scenes.models().catch((error: Error) => {
      throw new Error(`Cannot look at the service: ${error.message}`)
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
    return items.map(({ what, microRub }) => ({ what: toLine(what), microRub }))
  }

  /**
   * Judges every rule that the options allow.
   *
   * @param onResult Called with each result as it comes.
   */
  async function run(onResult: (result: Result) => void = () => {}): Promise<Report> {
    const results: Result[] = []
    for (const rule of rules) {
      const { outcome, asked, seen } = await judge(rule)
      const result = { rule: rule.id, outcome, asked: toLine(asked), seen: toLine(seen) }
      results.push(result)
      onResult(result)
    }
    const notes = await gatherNotes(scenes)
    return { results, notes: notes.map(({ about, seen }) => ({ about, seen: toLine(seen) })) }
  }

  async function judge(rule: Rule): Promise<Finding> {
    const reason = findSkipReason(rule.needs, options)
    if (reason !== undefined) return { outcome: 'skipped', asked: 'nothing', seen: reason }
    try {
      return await rule.judge(scenes)
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error
      return { outcome: 'failed', asked: 'what the rule asks', seen: error.message }
    }
  }

  /** One bounded line, which quotes no key though the service did. */
  function toLine(text: string): string {
    const keys = [apiKey, options.otherApiKey ?? apiKey]
    const masked = keys.reduce((line, key) => line.replaceAll(key, '[key]'), text)
    const line = masked.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
    return line.length > TEXT_CHARS_MAX ? `${line.slice(0, TEXT_CHARS_MAX - 1)}…` : line
  }
}
