import { describeGoal, type Goal, judgeGoal, medianOf, type Verdict } from './goal.ts'

/** The measurements of one subject. */
export interface Table {
  title: string
  /** A sentence on what was measured, and how. */
  says: string
  /** The contenders, ours last. */
  columns: readonly string[]
  /** Contenders that are not there to be measured. */
  missing?: readonly string[]
  rows: readonly Row[]
}

export interface Row {
  name: string
  unit: string
  /** Digits after the point. Default 0. */
  digits?: number
  /** One value a round, by contender. */
  values: Readonly<Record<string, readonly number[]>>
  goals?: readonly Goal[]
}

/** The measurements of each contender, one of each round. */
export type Runs<Run> = ReadonlyMap<string, readonly Run[]>

/** One row of what was measured; `pick` leaves out what a contender does not have. */
export function toRow<Run>(
  runs: Runs<Run>,
  { pick, ...row }: Omit<Row, 'values'> & { pick: (run: Run) => number | undefined },
): Row {
  const entries = [...runs].map(
    ([name, each]) => [name, each.map(pick).filter((value) => value !== undefined)] as const,
  )
  return { ...row, values: Object.fromEntries(entries.filter(([, values]) => values.length > 0)) }
}

/** Markdown: the median of the rounds, with the least and the most of them, and the goals. */
export function showTable({ title, says, columns, missing = [], rows }: Table): string {
  const header = ['', ...columns, 'goal']
  const rule = ['---', ...columns.map(() => '---:'), '---']
  const lines = [header, rule, ...rows.map((row) => toCells(row, columns))]
  return [
    `### ${title}`,
    says,
    lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
    ...(missing.length === 0 ? [] : [`Not installed: ${missing.join(', ')}.`]),
  ].join('\n\n')
}

/** A goal beside what came of it. */
export interface GoalOutcome {
  /** The table and the row. */
  subject: string
  goal: string
  before: string
  ours: string
  verdict: Verdict
}

/** All goals of a table. */
export function readGoals({ title, rows }: Table): GoalOutcome[] {
  return rows.flatMap(({ name, unit, digits = 0, values, goals = [] }) =>
    goals.map((goal) => {
      const [before, ours] = [values.before, values.Kopeck].map((taken) => {
        const median = medianOf(taken)
        return median === undefined ? '–' : show(median, digits)
      })
      const subject = `${title}: ${unit === '' ? name : `${name}, ${unit}`}`
      const outcome = {
        subject,
        goal: describeGoal(goal, values),
        verdict: judgeGoal(goal, values),
      }
      return { ...outcome, before: before ?? '–', ours: ours ?? '–' }
    }),
  )
}

/** Writes a verdict; all but `met` stand out. */
export function showVerdict(verdict: Verdict): string {
  return verdict === 'missed' || verdict === 'not certain' ? `**${verdict}**` : verdict
}

function toCells({ name, unit, digits = 0, values, goals = [] }: Row, columns: readonly string[]) {
  const figures = columns.map((column) => {
    const taken = values[column] ?? []
    const median = medianOf(taken)
    if (median === undefined) return '–'
    const spread = [Math.min(...taken), Math.max(...taken)].map((value) => show(value, digits))
    return `${show(median, digits)}${taken.length > 1 ? ` (${spread.join('–')})` : ''}`
  })
  const verdicts = goals.map(
    (goal) => `${describeGoal(goal, values)}: ${showVerdict(judgeGoal(goal, values))}`,
  )
  return [unit === '' ? name : `${name}, ${unit}`, ...figures, verdicts.join('; ')]
}

function show(value: number, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return value.toLocaleString('en', options)
}
