import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { words } from '../../words/language.ts'
import { callRates, calls } from '../panel-data.ts'
import { CHART_SECONDS, type SecondOfCalls } from '../rates.ts'

const HEIGHT = 40
/** A quiet minute is drawn low, not blown up. */
const TOP_MIN = 5

/** How many calls a second the bot makes, over the last minute. */
export function RateChart() {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, 1_000)
    return () => clearInterval(timer)
  }, [])
  // Read for its changes: the counts themselves are no signal.
  const newest = calls.items.value.at(-1)?.at ?? 0
  const seconds = callRates.at(Math.max(now.value, newest))
  const peak = Math.max(...seconds.map((second) => second.calls))
  const top = Math.max(TOP_MIN, peak)
  const current = seconds.at(-2)?.calls ?? 0
  const { rate } = words.value.panel.calls
  return (
    <figure class="rate">
      <svg
        viewBox={`0 0 ${CHART_SECONDS} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={rate(current, peak)}
      >
        <path class="rate-all" d={barsOf(seconds, top, ({ calls }) => calls)} />
        <path
          class="rate-bad"
          d={barsOf(seconds, top, ({ limited, failed }) => limited + failed)}
        />
        <path class="rate-limited" d={barsOf(seconds, top, ({ limited }) => limited)} />
      </svg>
      <figcaption class="hint small num">{rate(current, peak)}</figcaption>
    </figure>
  )
}

/** One path for all bars of a kind: sixty elements would be drawn again with every batch. */
function barsOf(
  seconds: readonly SecondOfCalls[],
  top: number,
  countOf: (second: SecondOfCalls) => number,
): string {
  return seconds
    .map((second, index) => {
      const value = countOf(second)
      const height = (HEIGHT * value) / top
      return value === 0 ? '' : `M${index + 0.1} ${HEIGHT}v${-height}h0.8v${height}z`
    })
    .join('')
}
