import { formatDay } from '../../words/dates.ts'
import { words } from '../../words/language.ts'
import { daysAgo } from '../../words/today.ts'

/** The day of the messages below. */
export function DayRow({ date }: { date: number }) {
  return (
    <li class="note-row">
      <span class="plate">{describe(date)}</span>
    </li>
  )
}

function describe(date: number): string {
  const { today, yesterday } = words.value.message
  const days = daysAgo(date)
  if (days === 0) return today
  return days === 1 ? yesterday : formatDay(date)
}
