import { expect } from 'vitest'
import type { Report } from './client.ts'
import type { TwoServices } from './services.ts'

/** Every request came out as planned: left only by who leaves, cut only by a kill. */
export function checkOutcomes(reports: readonly Report[], { kills }: Pick<TwoServices, 'kills'>) {
  const wrong = reports.filter((report) => !isRight(report))
  expect(wrong.map(describe)).toEqual([])

  function isRight({ planned, outcome, instance, sentAt, endedAt }: Report): boolean {
    if (planned.expected.includes(outcome)) return true
    if (outcome === 'left') return planned.leavesAfterMs !== undefined
    const isKilled = kills.some(
      (kill) => kill.instance === instance && sentAt <= kill.endedAt && kill.beganAt <= endedAt,
    )
    return outcome === 'cut' && isKilled
  }
}

/** A refusal says why in `detail`, and a 429 when to come back. */
export function checkRefusals(reports: readonly Report[]) {
  const refusals = reports.filter(({ outcome }) => /^[45]\d\d$/.test(outcome))
  for (const report of refusals) {
    const { detail } = JSON.parse(report.text)
    expect(detail, describe(report)).toEqual(
      report.planned.path.startsWith('/chats') || report.outcome !== '422'
        ? expect.any(String)
        : expect.any(Array),
    )
    if (report.outcome === '429') expect(Number(report.retryAfter)).toBeGreaterThan(0)
  }
}

function describe({ planned, outcome, instance, text }: Report): string {
  const { index, method, path, body = '', expected } = planned
  const asked = `${index}: ${method} ${path} ${body.slice(0, 200)} at ${instance}`
  return `${asked} is ${outcome}, expected ${expected.join(' or ')}: ${text.slice(0, 200)}`
}
