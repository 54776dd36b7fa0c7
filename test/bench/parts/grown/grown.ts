import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { createSpendReports } from '../../../../src/bot/spend/reports/spend-reports.ts'
import { openDatabase } from '../../../../src/platform/database/database.ts'
import { openPrisma } from '../../../../src/platform/database/prisma.ts'
import { THIS_CHECKOUT } from '../../checkout.ts'
import type { BenchContext } from '../../part.ts'
import type { Table } from '../../report/table.ts'
import { measureCommands } from './commands.ts'
import { GROWN, growDatabase } from './grow-database.ts'
import { measureSpendFiles } from './spend-files.ts'
import { measureSpendViews } from './spend-views.ts'

const COUNTS = Object.entries({
  turns: GROWN.turns,
  messages: GROWN.turns * 2,
  charges: GROWN.turns * 2,
  orders: GROWN.orders,
  holds: GROWN.holds,
  tasks: GROWN.tasks,
})

/** Measures what a year of much use costs those who write and look. */
export async function grown(context: BenchContext): Promise<Table[]> {
  const { database, progress } = context
  const url = await database.create(THIS_CHECKOUT)
  const { pool, close } = openDatabase({ url })
  const prisma = openPrisma(pool)
  try {
    progress('grow the database')
    await growDatabase({ pool, prisma }, GROWN)
    const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
    const reports = createSpendReports({ prisma, calendar })
    progress('what admins see')
    const views = await measureSpendViews(reports, pool)
    progress('what goes through all charges')
    const files = await measureSpendFiles(reports, prisma)
    const counts = COUNTS.map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    const says = `A database with ${counts.join(', ')}.`
    const messages = GROWN.readersTurns * 2
    return [await measureCommands(url, { says, messages }, context), views, files]
  } finally {
    await prisma.$disconnect()
    await close()
  }
}
