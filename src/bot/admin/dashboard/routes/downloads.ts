import { Readable } from 'node:stream'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { readCharges, writeChargesCsv } from '../../../spend/charges-csv.ts'
import type { DownloadAnswer } from '../api.ts'
import type { Dashboard } from '../dashboard.ts'
import { DashboardRefusal } from '../http/refusal.ts'
import type { TicketRefusal } from '../sign-in/tickets.ts'
import { kind, model, span } from './query.ts'

/** Telegram's client in the browser fetches the file by itself. */
const FETCHED_BY = 'https://web.telegram.org'

const body = Type.Object(
  {
    span,
    user: Type.Optional(Type.Integer()),
    kind: Type.Optional(kind),
    model: Type.Optional(model),
  },
  { additionalProperties: false },
)

type Asked = Static<typeof body>

const REFUSALS: Readonly<Record<TicketRefusal, [status: number, detail: string]>> = {
  used: [410, 'The file was fetched already.'],
  expired: [410, 'The link to the file is too old.'],
  unknown: [404, 'There is no such file.'],
}

/** `POST /downloads`: gives a path by which a file of charges can be fetched once. */
export function downloadsRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  return async (app) => {
    app.post<{ Body: Asked }>(
      '/downloads',
      { schema: { body }, config: { forViewers: true } },
      async ({ body, visitor }, reply): Promise<DownloadAnswer> => {
        const { tickets, reports } = dashboard()
        const { from = 'all', to } = await reports.dates(body.span)
        const fileName = `spend-${from}-${to}.csv`
        const request = { ...body, fileName }
        const token = await tickets.make('download', { userId: visitor.userId, request })
        reply.code(201)
        return { path: `api/downloads/${token}`, fileName }
      },
    )
  }
}

/**
 * `GET /downloads/:token`: the file, as it is read. It needs no session, for it is fetched by what has none: the
 * browser's own download, or Telegram.
 */
export function downloadRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Params: { token: string } }>(
      '/downloads/:token',
      // A look at the headers shall not use the path up.
      { exposeHeadRoute: false },
      async ({ params }, reply): Promise<FastifyReply> => {
        const { tickets, roles } = dashboard()
        const ticket = await tickets.take('download', params.token)
        if (typeof ticket === 'string') throw new DashboardRefusal(...REFUSALS[ticket])
        const { userId, request } = ticket
        if ((await roles.of(userId)) === undefined) {
          throw new DashboardRefusal(403, 'Only admins and viewers get this file.')
        }
        const { fileName, ...asked } = request as Asked & { fileName: string }
        return reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${fileName}"`)
          .header('access-control-allow-origin', FETCHED_BY)
          .send(Readable.from(await writeFile(asked, userId), { objectMode: false }))
      },
    )
  }

  async function writeFile({ span, user: userId, kind, model: item }: Asked, readerId: number) {
    const { prisma, reports, users } = dashboard()
    const { language } = await users.describe(readerId)
    const range = await reports.dates(span)
    const charges = readCharges(prisma, { range, filter: { userId, kind, item } })
    return writeChargesCsv(charges, { languageCode: language ?? undefined })
  }
}
