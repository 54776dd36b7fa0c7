import { formatDay } from '../../words/dates.ts'
import { words } from '../../words/language.ts'

const DAY_MS = 86_400_000

/** The day of the messages below. */
export function DayRow({ date }: { date: number }) {
  return (
    <li class="note-row">
      <span class="plate">{describe(date)}</span>
    </li>
  )
}

function describe(date: number): string {
  const day = new Date(date * 1000).toDateString()
  const { today, yesterday } = words.value.message
  if (day === new Date().toDateString()) return today
  if (day === new Date(Date.now() - DAY_MS).toDateString()) return yesterday
  return formatDay(date)
}
