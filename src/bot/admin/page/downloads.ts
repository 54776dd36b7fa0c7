/** Charges as CSV files, which are fetched by a path that works once. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { writeChargesCsv } from '../../spend/charges-csv.ts'
import type { Language } from '../../texts/texts.ts'
import { spanOf } from './layout.ts'
import { filterOf } from './overview.ts'
import { readUser } from './sign-in.ts'
import { makeTicket, takeTicket } from './tokens.ts'
import { type AdminPage, PageRefused } from './visit.ts'

/** Telegram's client in the browser fetches the file by itself. */
const FETCHED_BY = 'https://web.telegram.org'

const REFUSALS = {
  used: [410, 'page-file-used'],
  expired: [410, 'page-file-expired'],
  unknown: [404, 'page-file-unknown'],
} as const

/** Makes a path, relative to the page, by which charges can be fetched as a file. */
export async function orderFile(
  { reports, prisma }: AdminPage,
  { userId, language }: { userId: number; language: Language },
  fields: URLSearchParams,
): Promise<{ path: string; fileName: string }> {
  const { from = 'all', to } = await reports.dates(spanOf({ query: fields }))
  const fileName = `spend-${from}-${to}.csv`
  const request = { fileName, language, asked: String(fields) }
  const token = await makeTicket(prisma, 'download', { userId, request })
  return { path: `downloads/${token}`, fileName }
}

/**
 * Sends a file while it is read. The browser's own download and Telegram fetch it, which have no session.
 *
 * @throws {PageRefused} 404, or 410 if the path is used or too old.
 */
export async function sendFile(page: AdminPage, token: string, reply: FastifyReply) {
  const ticket = await takeTicket(page.prisma, 'download', token)
  if (typeof ticket === 'string') {
    const [status, key] = REFUSALS[ticket]
    throw new PageRefused(status, key)
  }
  const { role } = await readUser(page, ticket.userId)
  if (role === undefined) throw new PageRefused(403, 'page-no-role')
  const { fileName, language, asked } = ticket.request as {
    fileName: string
    language: Language
    asked: string
  }
  const query = new URLSearchParams(asked)
  const range = await page.reports.dates(spanOf({ query }))
  const filter = filterOf({ query })
  const lines = writeChargesCsv(page.prisma, { range, filter, languageCode: language })
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .header('access-control-allow-origin', FETCHED_BY)
    .send(Readable.from(lines, { objectMode: false }))
}
