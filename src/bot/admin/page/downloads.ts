/** Charges as CSV files; the path of a file works once. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { writeChargesCsv } from '../../spend/charges-csv.ts'
import { spanOf } from './layout.ts'
import { filterOf } from './overview.ts'
import { makeTicket, readUser, takeTicket } from './sign-in.ts'
import { type AdminPage, PageRefused, type Visitor } from './visit.ts'

/** Telegram's client in the browser fetches the file by itself. */
const FETCHED_BY = 'https://web.telegram.org'

export async function orderFile(
  { reports, prisma }: AdminPage,
  { userId, language }: Visitor,
  fields: URLSearchParams,
): Promise<{ path: string; fileName: string }> {
  const { from = 'all', to } = await reports.dates(spanOf({ query: fields }))
  const fileName = `spend-${from}-${to}.csv`
  const request = { fileName, language, asked: String(fields) }
  const token = await makeTicket(prisma, 'download', { userId, request })
  return { path: `downloads/${token}`, fileName }
}

/**
 * Streams a file without a session: the browser's download and Telegram have none.
 *
 * @throws {PageRefused} 410 if the path is used, too old or unknown.
 */
export async function sendFile(page: AdminPage, token: string, reply: FastifyReply) {
  const ticket = await takeTicket(page.prisma, 'download', token)
  if (ticket === undefined) throw new PageRefused(410, 'page-file-over')
  const { role } = await readUser(page, ticket.userId)
  if (role === undefined) throw new PageRefused(403, 'page-no-role')
  const { fileName, language, asked } = ticket.request as Record<string, string>
  const query = new URLSearchParams(asked)
  const range = await page.reports.dates(spanOf({ query }))
  const user = query.get('user') ?? ''
  const userId = /^-?\d{1,15}$/.test(user) ? BigInt(user) : undefined
  const filter = { ...filterOf({ query }), userId }
  const lines = writeChargesCsv(page.prisma, { range, filter, languageCode: language })
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .header('access-control-allow-origin', FETCHED_BY)
    .send(Readable.from(lines, { objectMode: false }))
}
